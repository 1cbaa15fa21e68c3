"""Builds the manual with every warning an error; where Sphinx or its parts are missing it says so."""

import importlib.util
import subprocess
import sys

DOCS, OUT = sys.argv[1:]
missing = [name for name in ("sphinx", "myst_parser", "furo") if importlib.util.find_spec(name) is None]
if missing:
    print(f"skipped: no {missing[0]}")
    sys.exit(0)
command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-E", "-b", "html", DOCS, OUT]
sys.exit(subprocess.run(command).returncode)
