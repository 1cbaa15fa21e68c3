"""No type's name stands for two things: a linker takes the destructor of either for both. Reads every header and source of
the library, private ones too; what lies in an anonymous namespace is its file's own.

Usage: names.py ROOT. Prints a line for each name with two definitions; status 1 where there is one.
"""

import re
import sys
from pathlib import Path

LIBRARY = "base threads bodies contact ldy solver embedding forces simulation queries mechanism io app c python".split()
TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])'"
    r"|\bnamespace\s+([\w:]*)\s*\{|\b(?:class|struct|enum(?:\s+class)?|union)\s+(\w[\w:]*)[^;{}()=<>]*\{|[{}]",
    re.S,
)


def definitions(text):
    """Full names of the types that a file defines at namespace level."""
    scopes = []  # a namespace's name, None for braces of another kind
    for match in TOKEN.finditer(text):
        token = match.group(0)
        if token[0] in "/\"'":
            continue
        if token == "}":
            scopes.pop()
        elif token == "{":
            scopes.append(None)
        elif match.group(1) is not None:
            scopes.append(match.group(1) or "(anonymous)")
        else:
            if None not in scopes and "(anonymous)" not in scopes:
                yield "::".join([*scopes, match.group(2)])
            scopes.append(None)


root = Path(sys.argv[1])
places = {}
files = sorted(path for folder in LIBRARY for path in (root / folder).rglob("*.[hc]pp"))
for file in files:
    for name in definitions(file.read_text(encoding="utf-8")):  # in one file: the same, written for several options
        places.setdefault(name, {})[str(file.relative_to(root))] = True
faults = [f"{name}: expected one definition, found {', '.join(where)}" for name, where in places.items() if len(where) > 1]
print("\n".join([*faults, f"{len(places)} types in {len(files)} files"]))
sys.exit(1 if faults or not places else 0)
