"""The functions that the library shows are those of the header, and each of them has a comment."""

import re
import subprocess
import sys


def declared(header):
    """Names of the functions of the header, each with whether a comment stands right above it."""
    text = open(header, encoding="utf-8").read()
    found = {}
    for match in re.finditer(r"^(?!typedef)[a-z][\w \*]*?\**(locdyn_\w+)\(", text, re.MULTILINE):
        before = text[: match.start()].rstrip()
        found[match.group(1)] = before.endswith("*/") and "/**" in before[before.rfind("\n\n") :]
    return found


def shown(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    names = {line.split()[-1].split("@")[0] for line in lines.splitlines() if line.split()[-2] != "A"}
    return names


def undocumented_members(header):
    """Members of structs and enums without a comment."""
    text = open(header, encoding="utf-8").read()
    bodies = re.findall(r"typedef (?:struct|enum) \w+ \{(.*?)\}", text, re.DOTALL)
    members = [line.strip() for body in bodies for line in body.splitlines() if re.match(r"\s*\w.*[;,]|\s*LOCDYN_", line)]
    return [member for member in members if "/**<" not in member and not member.startswith(("*", "/*"))]


def main(header, library):
    functions = declared(header)
    faults = [f"{name}: expected a comment above it, found none" for name, told in functions.items() if not told]
    faults += [f"{name}: expected in the library, found in the header alone" for name in functions.keys() - shown(library)]
    faults += [f"{name}: expected in the header, found in the library alone" for name in shown(library) - functions.keys()]
    faults += [f"{member}: expected a comment beside it, found none" for member in undocumented_members(header)]
    if len(functions) < 20:
        faults.append(f"{header}: expected at least 20 functions, found {len(functions)}")
    print("\n".join(faults) or f"{len(functions)} functions, all of them shown and told")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
