"""A line for each problem and scene with the hash of what a build of locdyn makes of it: two builds compute the same
where their lists are the same. For changes that must not change a number.

    same_bits.py LOCDYN [FOLDER…] > list        reactions of the built-in problems and of each *.hdf5 below FOLDER, to
                                                1e-8; state after 200 steps of each scene of ../scenes
A solve that ends by the clock has no bits to compare: its line says `not converged`.
"""
import glob
import hashlib
import json
import os
import subprocess
import sys
import tempfile

import h5py

SCENES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenes")
BUILTIN = ["stack", "wall", "arch", "tower", "spheres", "chain", "machine", "heavy"]
SECONDS, STEPS = 20, 200


def digest(file, below="/"):
    """Of all datasets, by name and bytes: the file itself holds times of day."""
    total = hashlib.sha256()
    with h5py.File(file) as root:
        root[below].visititems(lambda name, item: total.update(name.encode() + item[()].tobytes())
                               if isinstance(item, h5py.Dataset) and item.dtype.kind in "fiu" else None)
    return total.hexdigest()[:16]


def solved(locdyn, problem, out):
    run = subprocess.run([locdyn, "solve", problem, "--max-time", str(SECONDS), "--json", "-o", out],
                         capture_output=True, text=True)
    if run.returncode == 2:
        return "refused: " + run.stderr.strip().splitlines()[-1]
    report = json.loads(run.stdout)
    return f"{digest(out)} {report['iterations']}" if report["status"] == "converged" else "not converged"


def stepped(locdyn, scene, out):
    with open(scene, encoding="utf-8") as text:
        step = json.load(text).get("step")
    run = subprocess.run([locdyn, "simulate", scene, "-o", out] + (["--time", repr(STEPS * step)] if step else []),
                         capture_output=True, text=True)
    states = sorted(glob.glob(os.path.join(out, "*.h5")))
    if not states:
        return f"status {run.returncode}, no state"
    return " ".join(f"{os.path.basename(state)[:-3]} {digest(state)}" for state in states)


def main(locdyn, folders):
    with tempfile.TemporaryDirectory() as room:
        for name in BUILTIN:
            print(f"builtin:{name}", solved(locdyn, f"builtin:{name}", os.path.join(room, "out.hdf5")), flush=True)
        for folder in folders:
            for file in sorted(glob.glob(os.path.join(folder, "**", "*.hdf5"), recursive=True)):
                print(os.path.relpath(file, folder), solved(locdyn, file, os.path.join(room, "out.hdf5")), flush=True)
        for number, scene in enumerate(sorted(glob.glob(os.path.join(SCENES, "**", "*.json"), recursive=True))):
            print(os.path.relpath(scene, SCENES), stepped(locdyn, scene, os.path.join(room, str(number))), flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
