#!/usr/bin/env python3
"""coverage.py BUILD: the coverage of lines and branches by room after a test run of preset coverage; by file, with the
lines that nothing reached, in BUILD/coverage.txt.

Each object's counts are read from gcov's standard output, so that nothing is written beside the sources. Headers reach the
compiler through links within BUILD/include: a file is known by where it really lies, and listed once. Branches that only
an exception takes are left out."""

import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROOMS = "base threads bodies contact ldy solver embedding forces simulation queries sensitivity mechanism io app c".split()


def room_of(path):
    """The folder of the root that a file of this project lies in, or None."""
    parts = path.relative_to(ROOT).parts if path.is_relative_to(ROOT) else ()
    return parts[0] if len(parts) > 1 and parts[0] in ROOMS else None


def counts_of(data):
    """(file, line, function) -> (count, counts of its branches), of one object."""
    done = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", data], cwd=data.parent,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    found = {}
    if done.returncode != 0:  # counts of a program that was built before its library was
        print(f"{data}: expected counts of this build, found others: left out", file=sys.stderr)
        return found
    for document in done.stdout.splitlines():
        read = json.loads(document)
        for file in read["files"]:
            path = pathlib.Path(os.path.realpath(os.path.join(read["current_working_directory"], file["file"])))
            if room_of(path) is None:
                continue
            for line in file["lines"]:
                branches = [branch["count"] for branch in line["branches"] if not branch["throw"]]
                found[path, line["line_number"], line.get("function_name", "")] = (line["count"], branches)
    return found


def added(a, b):
    """Branch by branch; of two instances whose branches differ in number the longer list, as far as both go."""
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    return [count + (shorter[k] if k < len(shorter) else 0) for k, count in enumerate(longer)]


def ranges(numbers):
    """1-3,7 for 1, 2, 3, 7."""
    spans = []
    for number in sorted(numbers):
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ",".join(f"{first}" if first == last else f"{first}-{last}" for first, last in spans)


def main(build):
    lines, branches = collections.defaultdict(dict), collections.defaultdict(dict)
    objects = sorted(build.resolve().rglob("*.gcda"))
    if not objects:
        sys.exit(f"{build}: expected counts of a test run (*.gcda), found none")
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(counts_of, objects, chunksize=4):
            for (path, line, _), (count, counts) in found.items():
                lines[path][line] = lines[path].get(line, 0) + count
                branches[path][line] = added(branches[path].get(line, []), counts)

    share = lambda reached, of: f"{100 * reached / of:.1f}%" if of else "-"
    total = collections.defaultdict(lambda: [0, 0, 0, 0])
    with open(build / "coverage.txt", "w", encoding="utf-8") as by_file:
        by_file.write(f"{'file':<64}{'lines':>7}{'reached':>9}  not reached\n")
        for path in sorted(lines):
            counts, taken = lines[path], [count for each in branches[path].values() for count in each]
            reached = sum(count > 0 for count in counts.values())
            by_file.write(f"{str(path.relative_to(ROOT)):<64}{len(counts):>7}{share(reached, len(counts)):>9}  "
                          f"{ranges(line for line, count in counts.items() if count == 0)}\n")
            for k, number in enumerate((reached, len(counts), sum(count > 0 for count in taken), len(taken))):
                total[room_of(path)][k] += number
    print(f"{'room':<12}{'lines':>8}{'reached':>10}{'branches':>10}")
    for room in sorted(total):
        reached, count, taken, of = total[room]
        print(f"{room:<12}{count:>8}{share(reached, count):>10}{share(taken, of):>10}")
    print(f"by file: {build}/coverage.txt")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
