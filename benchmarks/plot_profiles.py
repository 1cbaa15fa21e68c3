#!/usr/bin/env python3
"""Performance profiles of the runs that `locdyn bench -o` wrote.

usage: plot_profiles.py RUNS.json OUT.png|OUT.svg        (needs matplotlib)

For each solver, the share of problems that it solves within a factor tau of the fastest solver of that problem.
Friction pyramids, which solve another problem, are compared with each other only, and drawn dashed.
Source: Dolan & More, Math. Program. 91 (2002) 201-213.
"""
import json
import sys


def profiles(runs):
    """{solver: sorted ratios to the best time, one a problem solved}, and the number of problems."""
    problems = list(dict.fromkeys(run["problem"] for run in runs))
    best = {}
    for run in runs:
        if run["status"] == "converged":
            best[run["problem"]] = min(best.get(run["problem"], float("inf")), run["time_s"])
    ratios = {run["solver"]: [] for run in runs}
    for run in runs:
        if run["status"] == "converged":
            floor = max(best[run["problem"]], 1e-9)
            ratios[run["solver"]].append(max(run["time_s"], 1e-9) / floor)
    return {solver: sorted(values) for solver, values in ratios.items()}, len(problems)


def draw(axes, runs, right, style):
    curves, count = profiles(runs)
    for solver, values in curves.items():
        x, y = [1.0], [0.0]
        for k, ratio in enumerate(values, 1):
            x += [ratio, ratio]
            y += [y[-1], k / count]
        axes.plot(x + [right], y + [y[-1]], style, label=f"{solver} ({len(values)} of {count})")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        sys.exit("plot_profiles: expected matplotlib, found none")
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    groups = [([r for r in report["runs"] if r["pyramid"] == kind], style) for kind, style in ((False, "-"), (True, "--"))]
    ratios = [r for runs, _ in groups for values in profiles(runs)[0].values() for r in values]
    right = max(max(ratios, default=1.0) * 1.5, 10.0)

    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for runs, style in groups:
        draw(axes, runs, right, style)
    axes.set(xscale="log", xlim=(1, right), ylim=(0, 1.02), xlabel="time / time of the fastest solver of the problem",
             ylabel="share of problems solved")
    settings = report["settings"]
    limit = settings["max_time_s"]
    within = f" within {limit:g} s" if limit else ""
    axes.set_title(f"{settings['measure']} residual ≤ {settings['tolerance']:g}{within}, threads: {settings['threads']}",
                   fontsize=10)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.grid(True, which="both", alpha=0.25)
    axes.legend(loc="lower right")
    figure.savefig(sys.argv[2], dpi=150)


if __name__ == "__main__":
    main()
