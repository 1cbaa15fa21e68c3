"""Pages for a browser."""

from __future__ import annotations

import os
import tempfile

from locdyn import _locdyn
from locdyn._problem import Problem
from locdyn._simulation import Scene


def view(
    what: Problem | Scene | str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    title: str = "",
    contacts: int = 400_000,
) -> None:
    """Writes one HTML file that opens from disk without network and shows what happened.

    what: a folder that a run has left, its trajectory.h5, a Scene or scene file (.json), which is run first, a Problem
    with the R that it holds, or a problem file, which is solved first. contacts: rows of contacts at most; of longer runs
    every k-th frame has them. Raises FileError, SceneError; RuntimeError in a build without the viewer.
    """
    out = os.fspath(out)
    if isinstance(what, Problem):
        what._graph.view("R as it was given", title or what.title or "contact problem", out)
    elif isinstance(what, Scene):
        _view_scene(what, out, title, contacts)
    else:
        path = os.fspath(what)
        if path.endswith(".json"):
            _view_scene(Scene(path), out, title, contacts)
        elif os.path.isdir(path) or _locdyn._is_trajectory(path):
            _locdyn._view_run(path, out, title, contacts)
        else:
            problem = Problem.read(path)
            report = problem.solve()
            problem._graph.view(f"auto, {report.status}", title or os.path.basename(path), out)


def _view_scene(scene: Scene, out: str, title: str, contacts: int) -> None:
    with tempfile.TemporaryDirectory(prefix="locdyn-") as folder:
        scene.run(out=folder)
        _locdyn._view_run(folder, out, title, contacts)
