"""What exact sweeps would take on a cluster: work, messages and waiting, colour by colour.

    T = Σ over colours [ w t + max(0, m L + b/β − i t) ] + (J w t + one exchange + reductions) / 12

w constraints that a rank sweeps in the colour, t the time of one, m messages and b bytes that a rank gets before it, i
constraints that wait for none of them, L latency, β bytes a second, J what a judgement costs in sweeps, one after twelve.

    t, J     measured: measured.jsonl, `locdyn_mpi measure lattice:N` on 1 to 16 ranks of one machine; what misses the
             caches: cited
    m, b, i  counted: counted.jsonl, `locdyn_mpi count lattice:N --json`; for the cluster of 1 029 000 contacts
    w        counted: of the mean rank where nobody waits, of the busiest where all wait at every colour
    L, β     assumed for the cluster, nominal numbers; measured for the comparison with that machine
    sweeps   fitted: `locdyn_mpi solve lattice:N --tol 1e-4` at six sizes

    python3 distributed/model/cluster_model.py            # tables, as they stand in distributed/README.md
    python3 distributed/model/cluster_model.py --check    # status 1 where README or measurement says otherwise
    python3 distributed/model/cluster_model.py --plot distributed/model/cluster_model.png
"""

import argparse
import json
import math
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
CONTACTS = 1e8
SWEEPS_PER_JUDGEMENT = 12  # kSweepsBetweenChecks, distributed_sweeps.cpp
REDUCTIONS_PER_JUDGEMENT = 3  # one of exact sums, two of maxima

# Assumed: latency of a message between processes on different nodes, the wire and MPI together; 25 GB/s a node, the nominal
# 200 Gb/s of InfiniBand HDR, of which a few cores send at once, all 64 do, or all do at half speed. Cited: memory of eight
# channels at 3200 MT/s, 205 GB/s nominal (thomas-krenn.com, EPYC 7002 and 7003), 150 to 400 GB/s for others; 256 MB of
# cache for 64 cores (EPYC 7763, techgage.com, Milan launch).
LATENCY = (1.0e-6, 1.5e-6, 2.5e-6)
BANDWIDTH = (25e9 / 16, 25e9 / 64, 25e9 / 128)  # of a core
MEMORY_BANDWIDTH = (400e9 / 64, 200e9 / 64, 150e9 / 64)
CACHE = 4e6
BYTES_OF_CONTACT = 400  # a visit reads or writes: 44 numbers of the contact (wide_contact.hpp), its bodies' velocities

VIRTUAL_RANKS = (10, 18, 32, 56, 100)  # of lattice:70: of CONTACTS, 10³ to 10⁴ cores

# Fitted: edge of the lattice, sweeps to 1e-4.
SWEEPS = {8: 208, 12: 436, 16: 748, 24: 1636, 32: 2848, 44: 5260}


def read(name):
    """The lines of a file of JSON objects."""
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def line_through(points):
    """Slope and offset of least squares, and the largest distance of a point."""
    n = len(points)
    x, y = sum(p[0] for p in points) / n, sum(p[1] for p in points) / n
    slope = sum((p[0] - x) * (p[1] - y) for p in points) / sum((p[0] - x) ** 2 for p in points)
    offset = y - slope * x
    return slope, offset, max(abs(p[1] - slope * p[0] - offset) for p in points)


def time_of_contact(measured, contacts):
    """t [s] where a machine holds so many: between what was measured, by the logarithm of the number."""
    known = sorted((math.log(m["contacts"]), m["sweep_wall"] / m["contacts"]) for m in measured if m["ranks"] == 1)
    x = math.log(contacts)
    low, high = next(((a, b) for a, b in zip(known, known[1:]) if x <= b[0]), known[-2:])
    return low[1] + (high[1] - low[1]) * (x - low[0]) / (high[0] - low[0])


def compare_with_measurement(measured, counted):
    """(contacts, ranks, measured, model) in seconds of a sweep by the clock, where the busiest rank sweeps each colour."""
    rows = []
    alone = [m for m in measured if m["ranks"] == 1]
    for m in alone[1:-1]:  # one left out, the others say
        others = [other for other in alone if other is not m]
        rows.append((m["contacts"], 1, m["sweep_wall"], m["contacts"] * time_of_contact(others, m["contacts"])))
    for m in measured:
        if m["ranks"] == 1:
            continue
        c = next(c for c in counted if (c["problem"], c["ranks"]) == (m["problem"], m["ranks"]))
        t = time_of_contact(measured, m["contacts"])  # ranks of one machine share its cache
        bandwidth = (1 << 20) / m["megabyte"]
        model = sum(w * t + max(0.0, messages * m["latency"] + b / bandwidth - i * t)
                    for w, messages, b, i in zip(c["most"], c["messages"], c["bytes"], c["interior"]))
        rows.append((m["contacts"], m["ranks"], m["sweep_wall"], model))
    return rows


def judgement(measured):
    """J: what a judgement costs in sweeps, at the largest size."""
    largest = max((m for m in measured if m["ranks"] == 1), key=lambda m: m["contacts"])
    return largest["judge_wall"] / largest["sweep_wall"]


def predict(c, measured, case):
    """Of a count c, scaled to CONTACTS: cores, contacts a core, and seconds of a sweep by part. case: 0 low, 1 middle, 2
    high."""
    scale = CONTACTS / c["contacts"]
    cores, contacts = c["ranks"] * scale, c["contacts"] / c["ranks"]
    small, large = time_of_contact(measured, 24000), time_of_contact(measured, 1029000)
    if contacts * BYTES_OF_CONTACT <= CACHE:
        t = (small, math.sqrt(small * large), large)[case]
    else:
        t = max(large, BYTES_OF_CONTACT / MEMORY_BANDWIDTH[case])
    # The graph counted has walls, where a rank has no neighbours; its busiest rank is one of fewer.
    walls = 1 if case == 0 else 1 / (1 - c["ranks"] ** (-1 / 3))
    rarer = math.sqrt(math.log(cores) / math.log(c["ranks"]))
    work = wait = exchange = hidden = 0.0
    for m, b, w, most, i in zip(c["messages"], c["bytes"], c["constraints"], c["most"], c["interior"]):
        busiest = w + rarer * (most - w)
        w_all = (w, (w + busiest) / 2, busiest)[case]
        interior = max(0.0, w - walls * (w - i))
        send = walls * (m * LATENCY[case] + b / BANDWIDTH[case])
        work += w * t
        wait += (w_all - w) * t
        exchange += max(0.0, send - interior * t)
        hidden += send
    reductions = REDUCTIONS_PER_JUDGEMENT * 2 * math.log2(cores) * LATENCY[case]
    judge = (judgement(measured) * work + hidden + reductions) / SWEEPS_PER_JUDGEMENT
    return {"cores": cores, "contacts": contacts, "work": work, "wait": wait, "exchange": exchange, "judge": judge,
            "all": work + wait + exchange + judge}


def sweeps_to(edge):
    """Low, middle, high of the sweeps to 1e-4, by the line through all sizes and through the larger half, and its
    distance from the points for every factor of 5.5 in the edge that it is followed beyond them."""
    points = [(math.log(n), math.log(s)) for n, s in SWEEPS.items()]
    beyond = math.log(edge / max(SWEEPS)) / math.log(max(SWEEPS) / min(SWEEPS))
    values = []
    for some in (points, points[len(points) // 2:]):
        slope, offset, apart = line_through(some)
        values += [math.exp(slope * math.log(edge) + offset + sign * apart * (1 + beyond)) for sign in (-1, 0, 1)]
    return min(values), math.sqrt(values[1] * values[4]), max(values), line_through(points)[0]


def tables(measured, counted):
    """The lines of README.md."""
    lines = ["| contacts | ranks | measured, ms | model, ms | apart |", "|---|---|---|---|---|"]
    for contacts, ranks, found, model in compare_with_measurement(measured, counted):
        lines.append(f"| {contacts} | {ranks} | {1e3 * found:.3g} | {1e3 * model:.3g} | {100 * (model / found - 1):+.0f} % |")
    lines += ["", "| cores | contacts a core | ms a sweep | work | waiting | messages | judge | efficiency |",
              "|---|---|---|---|---|---|---|---|"]
    for c in large_counts(counted):
        low, mid, high = (predict(c, measured, case) for case in range(3))
        parts = " | ".join(f"{1e3 * mid[part]:.2f}" for part in ("work", "wait", "exchange", "judge"))
        lines.append(f"| {mid['cores']:.0f} | {mid['contacts']:.0f} | {1e3 * mid['all']:.1f} ({1e3 * low['all']:.1f} to "
                     f"{1e3 * high['all']:.1f}) | {parts} | {mid['work'] / mid['all']:.2f} "
                     f"({high['work'] / high['all']:.2f} to {low['work'] / low['all']:.2f}) |")
    return lines


def large_counts(counted):
    """Counts that stand for 10³ to 10⁴ cores."""
    return [c for c in counted if c["problem"] == "lattice:70" and c["ranks"] in VIRTUAL_RANKS]


def plot(measured, counted, path):
    """Time of a sweep over cores, with its interval and its parts."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = [[predict(c, measured, case) for case in range(3)] for c in large_counts(counted)]
    cores = [row[1]["cores"] for row in rows]
    figure, axes = plt.subplots(figsize=(6.4, 4.0))
    axes.fill_between(cores, [1e3 * r[0]["all"] for r in rows], [1e3 * r[2]["all"] for r in rows], alpha=0.2, label="interval")
    axes.plot(cores, [1e3 * r[1]["all"] for r in rows], "o-", label="a sweep")
    for part, name in (("work", "work"), ("wait", "waiting at colours"), ("exchange", "messages not hidden"),
                       ("judge", "judge, a twelfth")):
        axes.plot(cores, [1e3 * r[1][part] for r in rows], "--", linewidth=1, label=name)
    axes.set(xscale="log", yscale="log", xlabel="cores", ylabel="ms", title="10⁸ contacts, exact sweeps (model)")
    axes.grid(True, which="both", alpha=0.3)
    axes.legend(fontsize=8, loc="lower left", ncols=2)
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": None})


def check(measured, counted, lines):
    """What is wrong, in lines."""
    faults = []
    for contacts, ranks, found, model in compare_with_measurement(measured, counted):
        if ranks <= 2 and abs(model / found - 1) > 0.15:
            faults.append(f"{contacts} contacts on {ranks} ranks: measured {found:.3g} s, model {model:.3g} s: beyond 15 %")
    readme = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    faults += [f"README.md has no line: {line}" for line in lines if line and line not in readme]
    return faults


def main():
    """Prints, checks or plots."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--plot")
    arguments = parser.parse_args()
    measured, counted = read("measured.jsonl"), read("counted.jsonl")
    lines = tables(measured, counted)
    if arguments.plot:
        plot(measured, counted, arguments.plot)
    if arguments.check:
        faults = check(measured, counted, lines)
        print("\n".join(faults) or "all passed")
        return 1 if faults else 0
    print("\n".join(lines))
    low, mid, high, power = sweeps_to((CONTACTS / 3) ** (1 / 3))
    print(f"\nsweeps to 1e-4: {low:.2g}, {mid:.2g}, {high:.2g}, as the edge to the power {power:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
