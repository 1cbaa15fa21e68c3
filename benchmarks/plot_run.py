#!/usr/bin/env python3
"""What a run has written in its table, energies.csv or path.csv of its folder, against time or the drive.

usage: plot_run.py TABLE.csv OUT.png|OUT.svg   (needs matplotlib)

Of steps with contacts: energies, residual and penetration, iterations and contacts, time by stage. Of a mechanism: every
column by itself.
"""
import csv
import sys


def columns_of(path):
    """Columns of numbers by their heading, without the unit; those that hold words are left out."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    heading, lines = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
    columns = {}
    for place, name in enumerate(heading):
        try:
            columns[name] = [float(line[place]) for line in lines]
        except ValueError:
            continue
    return columns


def pick(columns, *starts):
    return {name: values for name, values in columns.items() if name.startswith(starts)}


def panels_of(columns, along):
    """(title, columns, logarithmic) of each panel."""
    if "residual" not in columns:
        return [(name, {name: values}, False) for name, values in columns.items() if name not in (along, "step")][:12]
    return [
        ("energy [J]", pick(columns, "kinetic", "potential", "total"), False),
        ("residual", pick(columns, "residual"), True),
        ("penetration [m]", pick(columns, "penetration"), True),
        ("iterations", pick(columns, "iterations"), False),
        ("contacts", pick(columns, "contacts", "islands"), False),
        ("time of a step [s]", pick(columns, "detection", "assembly", "solve", "correction time", "other"), True),
    ]


def draw(columns, out):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    along = next((name for name in columns if name.startswith("time")), next(iter(columns)))
    panels = panels_of(columns, along)
    figure, all_axes = plt.subplots((len(panels) + 1) // 2, 2, figsize=(10, 2.6 * ((len(panels) + 1) // 2)), squeeze=False, sharex=True)
    for axes, (title, shown, logarithmic) in zip(all_axes.flat, panels):
        for name, values in shown.items():
            positive = [value if value > 0 else float("nan") for value in values] if logarithmic else values
            axes.plot(columns[along], positive, linewidth=0.9, label=name.split(" [")[0])
        if logarithmic and any(value > 0 for values in shown.values() for value in values):
            axes.set_yscale("log")
        axes.set_title(title, fontsize=9, loc="left")
        axes.tick_params(labelsize=8)
        axes.grid(alpha=0.3)
        if len(shown) > 1:
            axes.legend(fontsize=7, frameon=False)
    for axes in all_axes.flat[len(panels):]:
        axes.axis("off")
    for axes in all_axes[-1]:
        axes.set_xlabel(along, fontsize=8)
    figure.tight_layout()
    figure.savefig(out, dpi=120)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip().splitlines()[2])
    table = columns_of(sys.argv[1])
    if not table or not next(iter(table.values())):
        sys.exit("a table: expected lines of numbers, found none")
    draw(table, sys.argv[2])
