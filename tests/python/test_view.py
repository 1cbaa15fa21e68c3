"""Pages are written for whatever can be shown; what is in them is tested in a browser (tests/viewer)."""

import numpy as np
import pytest

import locdyn
from locdyn import _locdyn
from test_scene import falling

needs_viewer = pytest.mark.skipif(not _locdyn._with_pages, reason="built without the viewer")


@needs_viewer
def test_every_source_gives_a_page(tmp_path):
    scene = falling()
    scene.run(out=tmp_path / "run")
    scene.write(tmp_path / "scene.json")
    problem = locdyn.Problem(np.eye(6), [0, 0, -1, 0.3, 0, -1], 0.5)
    problem.solve()
    problem.write(tmp_path / "problem.hdf5")
    sources = [scene, tmp_path / "run", tmp_path / "run" / "trajectory.h5", tmp_path / "scene.json", problem,
               tmp_path / "problem.hdf5"]
    for place, source in enumerate(sources):
        page = tmp_path / f"{place}.html"
        locdyn.view(source, page, title=f"title {place}")
        text = page.read_text(encoding="utf-8")
        assert text.lstrip().lower().startswith("<!doctype html") and f"title {place}" in text
        assert "http://" not in text.split("<script")[0]


@needs_viewer
def test_what_cannot_be_shown(tmp_path):
    for source in (tmp_path, tmp_path / "none", tmp_path / "none.json"):
        with pytest.raises(locdyn.FileError):
            locdyn.view(source, tmp_path / "page.html")
    with pytest.raises(locdyn.FileError):
        locdyn.view(falling(), tmp_path / "no" / "page.html")
    assert not (tmp_path / "page.html").exists()


@pytest.mark.skipif(_locdyn._with_pages, reason="built with the viewer")
def test_a_build_without_says_so(tmp_path):
    with pytest.raises(RuntimeError, match="view: expected a build with the viewer"):
        locdyn.view(falling(), tmp_path / "page.html")
