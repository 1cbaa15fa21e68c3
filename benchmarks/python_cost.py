"""What the Python package costs beside the programs in C++, everything in turn in one run, the best of the rounds:

    python_cost.py LOCDYN [ROUNDS]      LOCDYN: the command line program of the same build as the package on PYTHONPATH

Aims: a solve and 1000 steps within 1.02 times the C++ program; 10 000 contacts as an array in 1 ms; rollout of 64 scenes
at least 1.8 times faster on two threads.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

import locdyn
import numpy as np

SCENES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenes")
PROBLEMS = ["tower", "wall", "spheres"]  # as files: W alone, for both
STEPPED = ["moving/pile", "dominoes", "moving/skittles"]
STEPS = 1000


def seconds(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def told(*command):
    """What the program says that its own work took [s]."""
    run = subprocess.run([*command, "--json"], capture_output=True, text=True)
    if run.returncode not in (0, 3):
        sys.exit(f"{' '.join(command)}: {run.stderr.strip()}")
    return json.loads(run.stdout)["time_s"]


def best(rounds, *works):
    """The least time of each, done in turn."""
    return [min(times) for times in zip(*([work() for work in works] for _ in range(rounds)))]


def solve_once(file):
    problem = locdyn.Problem.read(file)
    problem.R = np.zeros((len(problem), 3))
    return seconds(lambda: problem.solve(tolerance=1e-8))


def step_many(file):
    stepper = locdyn.Scene(file).stepper()

    def steps():
        for _ in range(STEPS):
            stepper.step()

    return seconds(steps)


def standing_boxes():
    """2500 boxes on a plane, four contacts each."""
    floor = {"name": "floor", "kind": "obstacle", "surface": "stone", "shape": {"type": "plane"}}
    boxes = [{"name": f"box{i}", "surface": "stone", "shape": {"type": "box", "size": [0.5, 0.5, 0.5]}, "density": 1000,
              "position": [i % 50, i // 50, 0.25]} for i in range(2500)]
    scene = {"step": 0.01, "duration": 1, "surfaces": {"stone": {"friction": 0.5}}, "bodies": [floor, *boxes]}
    stepper = locdyn.Scene(scene).stepper(sleep=False)
    for _ in range(3):
        stepper.step()
    return stepper


def main(program, rounds):
    for name in PROBLEMS:
        with tempfile.TemporaryDirectory() as room:
            file = os.path.join(room, "problem.hdf5")
            told(program, "solve", f"builtin:{name}", "-o", file)
            ours, theirs = best(rounds, lambda: solve_once(file),
                                lambda: told(program, "solve", file, "--tol", "1e-8"))
        print(f"solve builtin:{name}: Python {1e3 * ours:.2f} ms, C++ {1e3 * theirs:.2f} ms, ratio {ours / theirs:.3f}",
              flush=True)
    for name in STEPPED:
        file = os.path.join(SCENES, name + ".json")
        with open(file, encoding="utf-8") as text:
            duration = STEPS * json.load(text)["step"]
        ours, theirs = best(rounds, lambda: step_many(file),
                            lambda: told(program, "simulate", file, "--quiet", "--time", repr(duration)))
        print(f"{STEPS} steps of {name}: Python {ours:.3f} s, C++ {theirs:.3f} s, ratio {ours / theirs:.3f}", flush=True)

    stepper = standing_boxes()
    array, = best(10 * rounds, lambda: seconds(lambda: stepper.contacts))
    print(f"{len(stepper.contacts)} contacts as an array: {1e3 * array:.3f} ms", flush=True)

    pile = locdyn.Scene(os.path.join(SCENES, "moving", "pile.json"))
    many = [pile] * 64
    one, two = best(rounds, lambda: seconds(lambda: locdyn.rollout(many, threads=1, time=0.2)),
                    lambda: seconds(lambda: locdyn.rollout(many, threads=2, time=0.2)))
    print(f"rollout of {len(many)} scenes: one thread {one:.2f} s, two {two:.2f} s, {one / two:.2f} times faster")


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 3)
