"""Derivatives of steps and runs from Python: closed forms, tangent against adjoint, bad input."""

import numpy as np
import pytest

import locdyn


def puck(friction=0.2, speed=2.0):
    system = locdyn.System(gravity=(0, 0, -10))
    system.add_surface("ice", friction=friction)
    system.add_obstacle(locdyn.Plane(), surface="ice")
    system.add_body(locdyn.Sphere(0.1), position=(0, 0, 0.0999), velocity=(speed, 0, 0), surface="ice")
    options = {"step": 0.01, "tolerance": 1e-13, "correction": "none", "sleep": False}
    return system, locdyn.TimeStepper(system, **options)


def test_a_step_by_its_friction_and_back():
    _, stepper = puck()
    step = locdyn.differentiate_step(stepper)
    assert step.not_strict == [] and step.report.step == 1
    by = step.adjoint(u=[0, 0, 0, 1, 0, 0])
    assert by["friction"] == pytest.approx([0, 0, -10 * 0.01], abs=1e-9)
    assert by["u"][3] == pytest.approx(1)
    rng = np.random.default_rng(3)
    change = {key: rng.normal(size=value.shape) for key, value in by.items()}
    there = step.tangent(**change)
    weights = {key: rng.normal(size=value.shape) for key, value in there.items()}
    back = step.adjoint(**weights)
    left = sum((weights[key] * there[key]).sum() for key in there)
    right = sum((back[key] * change[key]).sum() for key in back)
    assert left == pytest.approx(right, rel=1e-9)


def test_a_run_by_its_friction_and_first_velocity():
    _, stepper = puck()
    run = locdyn.differentiate_run(stepper, checkpoint_every=4)
    run.run(10)
    assert run.steps == 10
    gradient = run.adjoint(lambda k: (np.eye(6)[3], np.zeros(6)) if k == 10 else None)
    assert gradient["steps_not_strict"] == 0 and gradient["not_strict"] == []
    # x = v t - mu g t^2 / 2 in the half-step scheme, too.
    assert gradient["u"][3] == pytest.approx(0.1, abs=1e-9)
    assert gradient["friction"][2] == pytest.approx(-10 * 0.1**2 / 2, abs=1e-9)


def test_what_has_no_derivative_is_refused_in_one_line():
    system, stepper = puck()
    del stepper  # a system has one stepper at a time
    with pytest.raises(ValueError, match="sleep: expected off"):
        locdyn.differentiate_step(locdyn.TimeStepper(system, step=0.01))
    _, stepper = puck()
    with pytest.raises(ValueError, match="margin: expected a number between 0 and 1"):
        locdyn.differentiate_step(stepper, margin=2)
    step = locdyn.differentiate_step(stepper)
    with pytest.raises(ValueError, match="q: expected"):
        step.tangent(q=[1, 2])
    with pytest.raises(ValueError, match="u: expected"):
        step.adjoint(u=[np.nan] * 6)
    with pytest.raises(TypeError, match="found colour"):
        step.tangent(colour=[1])
    run = locdyn.differentiate_run(stepper)
    with pytest.raises(ValueError, match="steps: expected at least 0"):
        run.run(-1)
    run.run(1)
    with pytest.raises(ValueError, match="seed: expected None or"):
        run.adjoint(lambda k: 3)
    with pytest.raises(ZeroDivisionError):
        run.adjoint(lambda k: 1 / 0)
