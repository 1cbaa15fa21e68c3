"""Runs every program of docs/snippets, each in a folder of its own, and says how many there were."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(sys.argv[1])
environment = {**os.environ, "PATH": os.environ["LOCDYN_BIN"] + os.pathsep + os.environ["PATH"]}
snippets = sorted((ROOT / "docs" / "snippets").iterdir())
failed = []
for snippet in snippets:
    command = {".py": [sys.executable], ".sh": ["bash", "-eu"]}[snippet.suffix]
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(ROOT / "scenes" / "arch.json", folder)
        done = subprocess.run([*command, snippet], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        failed.append(snippet.name)
        print(f"{snippet.name}: status {done.returncode}\n{done.stdout}{done.stderr}")
print(f"{len(snippets)} snippets run, {len(failed)} failed")
sys.exit(1 if failed or not snippets else 0)
