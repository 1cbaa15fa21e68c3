"""Arrays of any layout, type and lifetime."""

import gc

import numpy as np
import pytest

import locdyn


def test_layouts_and_types_give_the_same_numbers():
    W = np.diag([1.0, 2.0, 3.0] * 4)
    b = np.linspace(-2, 1, 12)
    R, _ = locdyn.solve(W, b, 0.5)
    wide = np.zeros((12, 4))
    wide[:, 1] = b
    read_only = b.copy()
    read_only.flags.writeable = False
    for other in (wide[:, 1], read_only, list(b), b[::-1][::-1], np.asfortranarray(b.reshape(4, 3))):
        assert (locdyn.solve(W, other, 0.5)[0] == R).all()
    assert (locdyn.solve(np.asfortranarray(W), b, 0.5)[0] == R).all()
    small, _ = locdyn.solve(W.astype(np.float32), b, 0.5)
    assert (small == R).all()


def test_integers_are_numbers():
    R, _ = locdyn.solve(np.eye(3, dtype=int), [0, 0, -1], 1)
    assert R[0, 2] == pytest.approx(1)


def test_arrays_outlive_what_they_came_from():
    system = locdyn.System()
    system.add_surface("default", friction=0.5)
    system.add_obstacle(locdyn.Plane())
    system.add_body(locdyn.Box((1, 1, 1)), position=(0, 0, 0.5))
    stepper = locdyn.TimeStepper(system)
    stepper.step()
    contacts, positions = stepper.contacts, system.positions
    before = contacts["force"].copy()
    del stepper, system
    gc.collect()
    assert (contacts["force"] == before).all() and positions.shape == (2, 3)


def test_a_stepper_keeps_its_system():
    stepper = locdyn.TimeStepper(locdyn.System())
    gc.collect()
    assert stepper.step().step == 1 and len(stepper.system) == 0


def test_events_keep_their_stepper():
    events = locdyn.contact_events(locdyn.TimeStepper(locdyn.System()))
    gc.collect()
    assert events.update() == []
