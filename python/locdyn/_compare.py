"""Several solvers on several problems, side by side."""

from __future__ import annotations

import html
import os
from dataclasses import dataclass
from typing import Any, Iterable, Mapping, Sequence

from locdyn._locdyn import SolveReport, solvers
from locdyn._problem import Problem


@dataclass(frozen=True)
class ComparisonRun:
    """One solver on one problem, from R = 0."""

    problem: str
    solver: str
    report: SolveReport


class Comparison(Sequence[ComparisonRun]):
    """The runs of `compare`: a sequence that prints as a table."""

    _HEAD = ("problem", "solver", "status", "residual", "iterations", "time [s]")

    def __init__(self, runs: Iterable[ComparisonRun]) -> None:
        self._runs = tuple(runs)

    def __len__(self) -> int:
        """How many runs."""
        return len(self._runs)

    def __getitem__(self, place: Any) -> Any:
        """One run, or a slice of them."""
        return self._runs[place]

    def rows(self) -> list[tuple[str, str, str, float, int, float]]:
        """(problem, solver, status, scaled residual, iterations, seconds) of each run."""
        return [
            (r.problem, r.solver, r.report.status, r.report.residual.scaled, r.report.iterations, r.report.seconds)
            for r in self._runs
        ]

    def _texts(self) -> list[tuple[str, ...]]:
        return [(p, s, status, f"{e:.1e}", str(i), f"{t:.3g}") for p, s, status, e, i, t in self.rows()]

    def __str__(self) -> str:
        rows = [self._HEAD, *self._texts()]
        widths = [max(len(row[k]) for row in rows) for k in range(len(self._HEAD))]
        lines = [
            "  ".join(cell.ljust(w) if k < 3 else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths)))
            for row in rows
        ]
        return "\n".join(line.rstrip() for line in lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        def row(cells: Iterable[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

        return "<table>" + row(self._HEAD, "th") + "".join(row(r, "td") for r in self._texts()) + "</table>"


def compare(
    problems: Problem | str | os.PathLike[str] | Mapping[str, Problem] | Iterable[Any],
    solver_names: Iterable[str] | None = None,
    **options: Any,
) -> Comparison:
    """Runs solvers on problems, each from R = 0 on a copy, and gives a table.

    problems: a Problem, a path, a mapping from names to problems, or several of the first two. solver_names: those to
    run; without, all of `solvers()`. options: those of `Problem.solve`; max_seconds is 10 unless said otherwise.
    """
    options.setdefault("max_seconds", 10.0)
    names = [name for name, _ in solvers()] if solver_names is None else list(solver_names)
    runs = []
    for label, problem in _named(problems):
        for name in names:
            copy = problem.copy()
            copy.R = 0 * copy.R
            runs.append(ComparisonRun(label, name, copy.solve(name, **options)))
    return Comparison(runs)


def _named(problems: Any) -> Iterable[tuple[str, Problem]]:
    if isinstance(problems, Mapping):
        yield from problems.items()
        return
    if isinstance(problems, (Problem, str, os.PathLike)):
        problems = [problems]
    for place, problem in enumerate(problems):
        if isinstance(problem, Problem):
            yield problem.title or f"problem {place}", problem
        else:
            yield os.path.basename(os.fspath(problem)), Problem.read(problem)
