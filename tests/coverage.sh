#!/usr/bin/env bash
# coverage.sh BUILD: the coverage of lines and branches by room after a test run of preset coverage; by file, with the
# lines that nothing reached, in BUILD/coverage.txt.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
rooms=(base threads bodies contact ldy solver embedding forces simulation queries mechanism io app c)
filters=()
for room in "${rooms[@]}"; do filters+=(--filter "$room/"); done
gcovr -r . "${filters[@]}" --exclude-throw-branches --exclude-unreachable-branches --json "$build/coverage.json" \
  --txt "$build/coverage.txt" "$build" >/dev/null
python3 - "$build/coverage.json" <<'PYTHON'
import collections, json, sys

lines, branches = collections.Counter(), collections.Counter()
for file in json.load(open(sys.argv[1], encoding="utf-8"))["files"]:
    room = file["file"].split("/")[0]
    for line in file["lines"]:
        lines[room, line["count"] > 0] += 1
        for branch in line["branches"]:
            branches[room, branch["count"] > 0] += 1
share = lambda counts, room: 100 * counts[room, True] / max(counts[room, True] + counts[room, False], 1)
print(f"{'room':<12}{'lines':>8}{'reached':>10}{'branches':>10}")
for room in sorted({room for room, _ in lines}):
    print(f"{room:<12}{lines[room, True] + lines[room, False]:>8}{share(lines, room):>9.1f}%{share(branches, room):>9.1f}%")
PYTHON
echo "by file: $build/coverage.txt"
