#!/usr/bin/python3
"""Solve problem files from the command line and let the independent judge check each solution.

usage: judge_files.py [--locdyn EXE] [--judge check_solution.py] [--tol 1e-8] [--max-time 30] FOLDER_OR_FILE…

For each file runs `locdyn solve FILE --tol T --max-time S --threads 1 --json -o SOLUTION`, then the judge on SOLUTION,
and prints contacts, status, seconds, the `scaled` residual by both and whether they agree to 1 % or 1e-13. The last
lines sum up: how many met the tolerance (or the rounding floor), by size, and on how many the two agree.
Exit status 0 if all agree, 1 if not.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def problem_files(places):
    for place in map(pathlib.Path, places):
        yield from sorted(place.rglob("*.hdf5")) if place.is_dir() else [place]


def run(options, path, solution):
    solve = subprocess.run([options.locdyn, "solve", str(path), "--tol", str(options.tol), "--max-time",
                            str(options.max_time), "--threads", "1", "--json", "-o", solution],
                           capture_output=True, text=True)
    if solve.returncode > 1:
        raise RuntimeError(solve.stderr.strip())
    judged = subprocess.run(["/usr/bin/python3", options.judge, solution], capture_output=True, text=True)
    if judged.returncode != 0:
        raise RuntimeError(judged.stderr.strip())
    return json.loads(solve.stdout), json.loads(judged.stdout)


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    problems = os.environ.get("LOCDYN_PROBLEMS", "")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--locdyn", default=str(here / "build/release/bin/locdyn"))
    parser.add_argument("--judge", default=str(pathlib.Path(problems) / "../tools/check_solution.py"))
    parser.add_argument("--tol", type=float, default=1e-8)
    parser.add_argument("--max-time", type=float, default=30)
    parser.add_argument("places", nargs="+")
    options = parser.parse_args()

    met, count, agreed, total = {}, {}, 0, 0
    print(f"{'file':46} {'contacts':>8} {'status':>14} {'solver':>7} {'time s':>8} {'scaled':>9} {'judge':>9}  agree")
    for path in problem_files(options.places):
        with tempfile.TemporaryDirectory() as folder:
            try:
                said, judge = run(options, path, os.path.join(folder, "solution.hdf5"))
            except RuntimeError as fault:
                print(f"{path.name:46} {fault}")
                total += 1
                continue
        mine, theirs = said["residual"]["scaled"], judge["scaled"]
        agree = abs(mine - theirs) <= max(1e-2 * max(mine, theirs), 1e-13)
        good = theirs <= max(options.tol, judge["floor"])
        size = "below 20" if said["contacts"] < 20 else "20 to 3000" if said["contacts"] <= 3000 else "above 3000"
        met[size] = met.get(size, 0) + good
        count[size] = count.get(size, 0) + 1
        agreed += agree
        total += 1
        print(f"{path.name:46} {said['contacts']:8} {said['status']:>14} {said['solver']:>7} {said['time_s']:8.3f} "
              f"{mine:9.2e} {theirs:9.2e}  {'yes' if agree else 'NO'}{'' if good else '  above tolerance'}", flush=True)
    for size in ("below 20", "20 to 3000", "above 3000"):
        if size in count:
            print(f"{size} contacts: {met[size]} of {count[size]} met {options.tol:g} within {options.max_time:g} s")
    print(f"judge and locdyn agree to 1 % or 1e-13 on {agreed} of {total} files")
    sys.exit(0 if agreed == total else 1)


if __name__ == "__main__":
    main()
