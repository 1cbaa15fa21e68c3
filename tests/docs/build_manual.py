"""Builds the manual with every warning an error; where Sphinx or its parts are missing it says so."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

DOCS, OUT = sys.argv[1:]
missing = [name for name in ("sphinx", "myst_parser", "furo", "breathe") if importlib.util.find_spec(name) is None]
missing += [name for name in ("doxygen",) if shutil.which(name) is None]
if missing:
    print(f"skipped: no {missing[0]}")
    sys.exit(0)
for form in ("html", "man"):
    again = ["-E"] if form == "html" else []  # the second reads what the first has kept
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", *again, "-b", form, "-d", f"{OUT}/doctrees"]
    done = subprocess.run([*command, DOCS, f"{OUT}/{form}"])
    if done.returncode != 0:
        sys.exit(done.returncode)
text = (Path(OUT) / "man" / "locdyn.1").read_text(encoding="utf-8")
if ".SH LOCDYN SOLVE" not in text or "--minimum-norm" not in text.replace("\\-", "-"):
    sys.exit("locdyn.1: expected the options of every command, found others")
