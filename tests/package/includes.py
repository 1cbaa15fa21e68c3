"""Every file includes what it names of the standard library and of Eigen, itself or through this project's headers, and
names nothing that Clang 14 refuses.

The precompiled header (cmake/precompiled.hpp) would hide a missing #include from the compiler; an embedder, who has no
such header, would find it. Known names alone are looked for: a name not in the table is not judged. Clang 14, of the
sanitizers' presets, cannot compile std::ranges::subrange and the views of GCC 12's library.

    includes.py FOLDER      exits with 1 and one line a finding
"""
import os
import re
import sys

NAMED_IN = {
    "algorithm": "all_of any_of clamp copy fill find_if lower_bound max max_element min min_element minmax none_of "
                 "reverse sort stable_sort transform unique upper_bound",
    "array": "array",
    "cmath": "abs acos asin atan2 cbrt ceil cos exp floor fmod hypot isfinite isnan log pow round sin sqrt tan",
    "cstdint": "int32_t int64_t uint8_t uint16_t uint32_t uint64_t",
    "cstdio": "FILE fclose fopen fprintf printf snprintf",
    "filesystem": "filesystem",
    "fstream": "fstream ifstream ofstream",
    "functional": "function",
    "iostream": "cerr cin cout",
    "limits": "numeric_limits",
    "map": "map multimap",
    "memory": "make_shared make_unique shared_ptr unique_ptr weak_ptr",
    "numeric": "accumulate inner_product iota partial_sum",
    "optional": "nullopt optional",
    "random": "mt19937 mt19937_64 normal_distribution uniform_int_distribution uniform_real_distribution",
    "set": "multiset set",
    "span": "span",
    "sstream": "istringstream ostringstream stringstream",
    "stdexcept": "domain_error invalid_argument logic_error out_of_range overflow_error runtime_error",
    "string": "getline stod stoi string to_string",
    "string_view": "string_view",
    "utility": "exchange move pair swap",
    "variant": "get_if holds_alternative variant visit",
    "vector": "vector",
}
HEADER_OF = {name: header for header, names in NAMED_IN.items() for name in names.split()}
EIGEN = {
    "Eigen/Cholesky": r"Eigen::LDLT|Eigen::LLT|\.ldlt\(\)|\.llt\(\)",
    "Eigen/Geometry": r"Eigen::AngleAxis|Eigen::Quaternion|\.cross\(",
    "Eigen/LU": r"Eigen::(Full|Partial)PivLU|\.(inverse|determinant|partialPivLu|fullPivLu)\(\)",
}
EIGEN_WHOLE = {"Eigen/Dense": set(EIGEN)}
NOT_CLANG_14 = (r"\bstd::ranges::(?:equal_range|find_end|partition|remove|remove_if|rotate|search|stable_partition|subrange|"
                r"unique|views)\b|\bstd::views\b|\bstd::format\b|\bstd::expected\b")
# Headers that give another's names by what the standard says of them.
GIVES = {"iostream": {"string"}, "fstream": {"string"}, "sstream": {"string"}, "map": {"utility"}}
FOLDERS = "app base benchmarks bodies contact embedding examples forces io ldy mechanism queries sensitivity simulation solver tests threads".split()


def sources(root):
    for folder in FOLDERS:
        for where, inner, names in os.walk(os.path.join(root, folder)):
            inner[:] = [name for name in inner if name != "missing_include"]  # wrong on purpose: the test of this file
            for name in names:
                if name.endswith((".hpp", ".cpp")):
                    yield os.path.relpath(os.path.join(where, name), root)


def main(root):
    text = {file: open(os.path.join(root, file), encoding="utf-8").read() for file in sources(root)}
    roots = [""] + [where + "/" for where in FOLDERS] + ["app/command/", "benchmarks/campaign/",
                                                        "tests/simulation/physics/experiments/"]

    def project_file(including, name):
        if name.startswith("locdyn/"):
            return name[len("locdyn/"):]
        beside = os.path.normpath(os.path.join(os.path.dirname(including), name))
        return next((path for path in [beside] + [start + name for start in roots] if path in text), None)

    def seen_from(file, visited):
        seen = set()
        if file in visited or file not in text:
            return seen
        visited.add(file)
        for name in re.findall(r'^ *# *include *[<"]([^>"]+)[>"]', text[file], re.MULTILINE):
            inner = project_file(file, name)
            seen |= seen_from(inner, visited) if inner else {name} | GIVES.get(name, set()) | EIGEN_WHOLE.get(name, set())
        return seen

    findings = []
    for file in sorted(text):
        code = re.sub(r"//[^\n]*", "", text[file])
        needed = {HEADER_OF[name]: f"std::{name}"
                  for name in re.findall(r"\bstd::(?:ranges::)?(\w+)", code) if name in HEADER_OF}
        for header, names in EIGEN.items():
            found = re.search(names, code)
            if found and "Eigen" in code:
                needed[header] = found.group(0)
        seen = seen_from(file, set())
        findings += [f"{file}: expected #include <{header}> for {name}, found none"
                     for header, name in sorted(needed.items()) if header not in seen]
        findings += [f"{file}: expected what Clang 14 compiles, found {name}"
                     for name in sorted(set(re.findall(NOT_CLANG_14, code)))]
    print("\n".join(findings) or f"{len(text)} files include what they name, and Clang 14 knows it")
    return 1 if findings or not text else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
