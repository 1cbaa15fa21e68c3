"""The stubs say what the compiled module has, and the package passes mypy --strict."""

import os
import subprocess
import sys

import pytest

import locdyn

pytest.importorskip("mypy", reason="mypy is not installed")
PACKAGE = os.path.dirname(locdyn.__file__)


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """What mypy keeps of modules it has checked, numpy above all: read once for all tests."""
    return ("--strict", "--cache-dir", str(tmp_path_factory.mktemp("checked")))


def mypy(module, *arguments, cwd):
    environment = {**os.environ, "MYPYPATH": os.path.dirname(PACKAGE)}
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)


def test_stubs_are_those_of_the_module(tmp_path):
    told = mypy("mypy.stubtest", "locdyn._locdyn", "--concise", cwd=tmp_path).stdout
    lines = [line for line in told.splitlines() if line.startswith("locdyn")]
    # Every compiled class has pybind11's own metaclass, which no stub can name.
    assert len([line for line in lines if line.endswith("metaclass differs")]) > 20, told
    assert [line for line in lines if not line.endswith("metaclass differs")] == []


def test_types_are_sound(tmp_path, checked):
    done = mypy("mypy", *checked, PACKAGE, cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_a_program_that_uses_them(tmp_path, checked):
    (tmp_path / "uses.py").write_text(
        "import locdyn\n"
        "R, report = locdyn.solve([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, -1], 0.5)\n"
        "name: str = report.solver\n"
        "system = locdyn.System()\n"
        "ball: locdyn.BodyId = system.add_body(locdyn.Sphere(0.1), position=(0, 0, 1))\n"
        "system.remove(ball)\n"
        "run = locdyn.Scene({'step': 1e-3}).run(0.1)\n"
        "height = float(run.positions[-1, 0, 2])\n"
    )
    done = mypy("mypy", *checked, "uses.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    (tmp_path / "misuses.py").write_text("import locdyn\nlocdyn.System().remove(3)\n")
    done = mypy("mypy", *checked, "misuses.py", cwd=tmp_path)
    assert done.returncode == 1 and "remove" in done.stdout
