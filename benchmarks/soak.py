"""Long runs: memory flat, time a step flat, no step unsolved that was not told. Writes what it found as one JSON file.

    PYTHONPATH=build/release/python python3 benchmarks/soak.py [--steps 1000000] [--scenes drum,hopper,buggy] [-o FILE]

Each scene runs in a process of its own. Memory is the resident set after the first and the last tenth of the steps, time
the processor's, the mean of a step in the same tenths, whatever else the machine does; a hopper that has run empty is
quicker, a drum and a machine are as they were. Status 1 where memory grows by more than 5 % and 4 MiB, a step of the
drum or the machine takes more than half as long again, or a number is not finite. `./dev soak` builds, runs it, and keeps its record in benchmarks/soak.json.
"""

import argparse
import json
import math
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCENES = {"drum": "scenes/drum.json", "hopper": "scenes/moving/hopper.json", "buggy": "scenes/buggy.json"}
MEMORY_SHARE, MEMORY_BYTES, TIME_SHARE = 0.05, 4 << 20, 0.5


def resident():
    """Bytes in memory, now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


def run(name, steps):
    """Steps of one scene in this process, and what they were."""
    import locdyn  # of the process that runs, not of the one that starts it

    stepper = locdyn.Scene(ROOT / SCENES[name]).stepper()
    tenth = max(steps // 10, 1)
    marks, unsolved, worst, finite = [], 0, 0.0, True
    begin = time.process_time()
    for done in range(1, steps + 1):
        report = stepper.step()
        unsolved += bool(report.failed)
        worst = max(worst, report.residual)
        if done % tenth == 0:
            now = time.process_time()
            finite = finite and math.isfinite(report.kinetic_energy)
            marks.append({"steps": done, "bytes": resident(), "milliseconds": 1e3 * (now - begin) / tenth,
                          "kinetic_energy": report.kinetic_energy, "penetration": report.penetration})  # fmt: skip
            begin = time.process_time()
    return {"scene": name, "steps": steps, "unsolved": unsolved, "worst_residual": worst, "finite": finite, "tenths": marks}


def faults_of(found):
    """What is not as promised, one line each."""
    first, last = found["tenths"][0], found["tenths"][-1]
    grown = last["bytes"] - first["bytes"]
    if not found["finite"]:
        yield f"{found['scene']}: expected finite energies, found others"
    if grown > MEMORY_BYTES and grown > MEMORY_SHARE * first["bytes"]:
        yield f"{found['scene']}: expected memory as after the first tenth, {first['bytes']} bytes, found {last['bytes']}"
    if found["scene"] != "hopper" and last["milliseconds"] > (1 + TIME_SHARE) * first["milliseconds"]:
        yield f"{found['scene']}: expected {first['milliseconds']:.3g} ms a step, found {last['milliseconds']:.3g}"


def main():
    """Runs what was asked for; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--scenes", default=",".join(SCENES))
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.steps < 10:
        parser.error(f"--steps: expected at least 10, found {asked.steps}")
    if asked.one:
        print(json.dumps(run(asked.one, asked.steps)))
        return 0
    record = {"machine": platform.processor() or platform.machine(), "runs": []}
    faults = []
    for name in asked.scenes.split(","):
        if name not in SCENES:
            parser.error(f"--scenes: expected some of {', '.join(SCENES)}, found {name}")
        begin = time.monotonic()
        one = [sys.executable, __file__, "--one", name, "--steps", str(asked.steps)]
        done = subprocess.run(one, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            faults.append(f"{name}: expected exit status 0, found {done.returncode}")
            continue
        found = json.loads(done.stdout)
        found["hours"] = (time.monotonic() - begin) / 3600
        record["runs"].append(found)
        faults += faults_of(found)
        first, last = found["tenths"][0], found["tenths"][-1]
        print(f"{name}: {found['steps']} steps in {found['hours']:.3f} h, {found['unsolved']} unsolved (each told), "
              f"{first['bytes'] >> 10} then {last['bytes'] >> 10} KiB, "
              f"{first['milliseconds']:.3f} then {last['milliseconds']:.3f} ms a step", flush=True)  # fmt: skip
    if asked.output:
        asked.output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
