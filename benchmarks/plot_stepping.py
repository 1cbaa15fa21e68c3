#!/usr/bin/env python3
"""What steps of scenes cost, of the runs that `locdyn bench SCENE… -o` wrote.

usage: plot_stepping.py RUNS.json OUT.png|OUT.svg   (needs matplotlib)

Two drawings a scene. Left: mean processor time of a step against the median residual of the steps, a point a run; the
runs of one solver at its tolerances, or of one peer at its settings, are joined, and those that did not come to the
scene's end are hollow. Right: the share of steps that take at most so long, of each run at the middle tolerance and of
each peer's first setting. Of several trajectories of a scene the first is drawn.
"""
import argparse
import json
import sys


def name_of(run):
    return run["program"] if run["peer"] else f"{run['program']}:{run['solver']}" if run["program"] else run["solver"]


def by_name(runs):
    named = {}
    for run in runs:
        if run["steps"]:
            named.setdefault(name_of(run), []).append(run)
    return named


def draw_costs(axes, runs, colour_of):
    """Time of a step against residual."""
    for name, own in by_name(runs).items():
        points = sorted((run["residual"]["median"], run["total_s"] / run["steps"] * 1e3, run["status"] == "done")
                        for run in own if run["residual"]["median"])
        if not points:
            continue
        axes.plot([p[0] for p in points], [p[1] for p in points], color=colour_of(name), linewidth=1.2, label=name,
                  linestyle="--" if own[0]["peer"] else "-")
        for residual, time, done in points:
            axes.plot([residual], [time], "o", color=colour_of(name), fillstyle="full" if done else "none",
                      markersize=4)
    axes.set(xscale="log", yscale="log", xlabel="median residual of the steps", ylabel="mean time of a step [ms]")
    axes.grid(True, alpha=0.25)
    axes.legend(fontsize=6)


def draw_distribution(axes, runs, tolerance, colour_of):
    """Share of steps that take at most so long."""
    for name, own in by_name(runs).items():
        chosen = [run for run in own if run["peer"] or run["tolerance"] == tolerance]
        if not chosen:
            continue
        times = sorted(1e3 * time for time in chosen[0]["step_s"])
        shares = [(k + 1) / len(times) for k in range(len(times))]
        axes.plot(times, shares, color=colour_of(name), linewidth=1.2, drawstyle="steps-post",
                  linestyle="--" if chosen[0]["peer"] else "-")
    axes.set(xscale="log", ylim=(0, 1.01), xlabel="time of a step [ms]",
             ylabel="share of steps that take at most so long")
    axes.grid(True, which="both", alpha=0.25)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", help="JSON of locdyn bench on scenes")
    parser.add_argument("drawing", help="OUT.png or OUT.svg")
    options = parser.parse_args()
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        sys.exit("plot_stepping: expected matplotlib, found none")
    with open(options.runs, encoding="utf-8") as file:
        report = json.load(file)
    runs = [run for run in report["runs"] if run.get("trajectory", 1) == 1]
    if not runs:
        sys.exit("plot_stepping: expected runs, found none")
    tolerances = sorted(report["settings"]["tolerances"], reverse=True)
    middle = tolerances[(len(tolerances) - 1) // 2]
    names = list(dict.fromkeys(name_of(run) for run in runs))
    colours = plt.get_cmap("tab10")
    scenes = list(dict.fromkeys(run["scene"] for run in runs))

    figure, axes = plt.subplots(len(scenes), 2, figsize=(12, 3.4 * len(scenes)), layout="constrained", squeeze=False)
    for (left, right), scene in zip(axes, scenes):
        own = [run for run in runs if run["scene"] == scene]
        left.set_title(f"{scene}, {own[0]['bodies']} bodies and obstacles", fontsize=9)
        right.set_title(f"{scene}, tolerance {middle:g}", fontsize=9)
        draw_costs(left, own, lambda name: colours(names.index(name) % 10))
        draw_distribution(right, own, middle, lambda name: colours(names.index(name) % 10))
    figure.suptitle(f"processor time, threads: {report['settings']['threads']}, {report['machine']['processor']}",
                    fontsize=10)
    figure.savefig(options.drawing, dpi=130)


if __name__ == "__main__":
    main()
