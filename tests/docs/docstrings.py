"""Every public symbol of C++ and C is told of: docstrings.py BINARIES [HEADER ...], by the folder of the programs those
that are installed, else the given ones. Counts them."""

import collections
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs"))
import doxygen_xml

if shutil.which("doxygen") is None:
    print("skipped: no doxygen")
    sys.exit(0)
headers = sys.argv[2:] or [*doxygen_xml.public_headers(sys.argv[1]), "c/locdyn.h"]
with tempfile.TemporaryDirectory() as room:
    doxygen_xml.run_doxygen(headers, room)
    found = list(doxygen_xml.symbols(Path(room) / "xml"))
missing = [symbol for symbol in found if not symbol.documented]
for symbol in sorted(missing):
    print(f"{symbol.file}:{symbol.line}: {symbol.kind} {symbol.name}: expected a comment that tells of it, found none")
kinds = collections.Counter(symbol.kind for symbol in found)
print(f"{len(found)} public symbols ({', '.join(f'{count} {kind}' for kind, count in sorted(kinds.items()))}),",
      f"{len(missing)} without a comment")
sys.exit(1 if missing or not found else 0)
