#!/usr/bin/env python3
"""Performance profiles and residuals against time of the runs that `locdyn bench -o` wrote.

usage: plot_profiles.py RUNS.json OUT.png|OUT.svg [--clock wall|cpu] [--contacts 20] [--curves 6]   (needs matplotlib)

Above, one drawing a tolerance: for each solver, the share of problems (of at least --contacts contacts, all where none
has so many) that it solves within a factor tau of the fastest solver of that problem. A peer's time is that of its
cheapest run whose scaled residual meets the tolerance. Friction pyramids, which solve another problem, are compared
with each other only, and drawn dotted; peers are dashed.
Below, the residual against time on the problems that took our solvers longest: our curves are of one run, a peer's
points are the runs of its ladder of tolerances.
Source: Dolan & More, Math. Program. 91 (2002) 201-213.
"""
import argparse
import json
import math
import sys


def name_of(run):
    return f"{run['peer']}:{run['solver']}" if run["peer"] else run["solver"]


def meets(run, accuracy, measure):
    """As the program's own summary judges."""
    scaled = run["residual"]["scaled"]
    good = scaled is not None and scaled <= max(accuracy, run["residual"]["floor"] or 0)
    if run["peer"]:
        return good
    if run["status"] != "converged" or run["tolerance"] != accuracy:
        return False
    return run["pyramid"] or measure != "scaled" or good


def times_to(runs, accuracy, measure, clock):
    """{solver: {problem: seconds, infinite where it was tried in vain}}."""
    times = {}
    for run in runs:
        of = times.setdefault(name_of(run), {})
        seconds = max(run[clock], 1e-9) if meets(run, accuracy, measure) else math.inf
        of[run["key"]] = min(of.get(run["key"], math.inf), seconds)
    return times


def profiles(times):
    """{solver: (sorted ratios to the best time, one a problem solved; problems tried)}."""
    best = {}
    for of in times.values():
        for problem, seconds in of.items():
            best[problem] = min(best.get(problem, math.inf), seconds)
    ratios = {solver: sorted(seconds / best[problem] for problem, seconds in of.items() if seconds < math.inf)
              for solver, of in times.items()}
    return {solver: (values, len(times[solver])) for solver, values in ratios.items()}


def draw_profiles(axes, runs, accuracy, settings, clock, style_of):
    groups = [[run for run in runs if run["pyramid"] == kind] for kind in (False, True)]
    found = [profiles(times_to(group, accuracy, settings["measure"], clock)) for group in groups]
    ratios = [ratio for group in found for values, _ in group.values() for ratio in values]
    right = max(max(ratios, default=1.0) * 1.5, 10.0)
    for group in found:
        for solver, (values, tried) in group.items():
            x, y = [1.0], [0.0]
            for k, ratio in enumerate(values, 1):
                x += [ratio, ratio]
                y += [y[-1], k / tried]
            axes.plot(x + [right], y + [y[-1]], label=f"{solver} ({len(values)} of {tried})", **style_of(solver))
    axes.set(xscale="log", xlim=(1, right), ylim=(0, 1.02), xlabel="time / time of the fastest solver of the problem",
             ylabel="share of problems solved")
    axes.set_title(f"{settings['measure']} residual ≤ {accuracy:g}", fontsize=10)
    axes.grid(True, which="both", alpha=0.25)
    axes.legend(fontsize=6, loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2)


def draw_residuals(axes, runs, clock, style_of):
    """Residual against time of one problem."""
    solvers = {}
    for run in runs:
        solvers.setdefault(name_of(run), []).append(run)
    for solver, own in solvers.items():
        if own[0]["peer"]:
            points = sorted((run[clock], run["residual"]["scaled"]) for run in own if run["residual"]["scaled"])
            style = dict(style_of(solver), marker=".")
        else:
            points = [(t, r) for t, r in min(own, key=lambda run: run["tolerance"])["history"] if t and r]
            style = style_of(solver)
        if points:
            axes.plot(*zip(*points), **style)
    axes.set(xscale="log", yscale="log", xlabel="time [s]", ylabel="residual")
    axes.set_title(f"{runs[0]['problem']}, {max(run['contacts'] for run in runs)} contacts", fontsize=9)
    axes.grid(True, alpha=0.25)


def hardest(runs, count):
    """The problems that took longest, each with its runs."""
    problems, longest = {}, {}
    for run in runs:
        problems.setdefault(run["key"], []).append(run)
        if not run["peer"]:
            longest[run["key"]] = max(longest.get(run["key"], 0), run["time_s"] or 0)
    order = sorted(problems, key=lambda key: -longest.get(key, 0))
    return [problems[key] for key in order[:count]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", help="JSON of locdyn bench")
    parser.add_argument("drawing", help="OUT.png or OUT.svg")
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall")
    parser.add_argument("--contacts", type=int, default=20, help="fewest contacts of a problem in a profile")
    parser.add_argument("--curves", type=int, default=6, help="problems whose residuals are drawn")
    options = parser.parse_args()
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        sys.exit("plot_profiles: expected matplotlib, found none")
    with open(options.runs, encoding="utf-8") as file:
        report = json.load(file)
    runs, settings = report["runs"], report["settings"]
    if not runs:
        sys.exit("plot_profiles: expected runs, found none")
    clock = "cpu_s" if options.clock == "cpu" else "time_s"
    sizes = {}
    for run in runs:
        sizes[run["key"]] = max(sizes.get(run["key"], 0), run["contacts"])
    large = [run for run in runs if sizes[run["key"]] >= options.contacts] or runs

    solvers = list(dict.fromkeys(name_of(run) for run in runs))
    pyramids = {name_of(run) for run in runs if run["pyramid"]}
    peers = {name_of(run) for run in runs if run["peer"]}
    colours = plt.get_cmap("tab20")

    def style_of(solver):
        style = {"color": colours(solvers.index(solver) % 20), "linestyle": "-", "linewidth": 1.8}
        if solver in pyramids:
            style["linestyle"] = ":"
        if solver in peers:
            style.update(linestyle="--", linewidth=0.9)
        return style

    curves = hardest(runs, options.curves)
    across = 2
    accuracies = settings["tolerances"]
    above, below = -(-len(accuracies) // across), -(-len(curves) // across)
    figure, axes = plt.subplots(above + below, across, figsize=(13, 4.2 * above + 3.2 * below), layout="constrained",
                                squeeze=False)
    for place, accuracy in zip(axes[:above].flat, accuracies):
        draw_profiles(place, large, accuracy, settings, clock, style_of)
    for place, problem in zip(axes[above:].flat, curves):
        draw_residuals(place, problem, clock, style_of)
    for place in list(axes[:above].flat)[len(accuracies):] + list(axes[above:].flat)[len(curves):]:
        place.set_visible(False)
    within = f"within {settings['max_time_s']:g} s, " if settings["max_time_s"] else ""
    figure.suptitle(f"{len(set(run['key'] for run in large))} problems, {within}threads: {settings['threads']}, "
                    f"{report['machine']['processor']}, {options.clock} time", fontsize=10)
    figure.savefig(options.drawing, dpi=150)


if __name__ == "__main__":
    main()
