"""Mechanisms against closed forms."""

import os

import numpy as np
import pytest

import locdyn

SCENES = os.path.join(os.path.dirname(__file__), "..", "..", "scenes")


def pendulum():
    system = locdyn.System(gravity=(0, 0, -10))
    system.add_body(locdyn.Sphere(0.1), position=(1, 0, 0), name="bob")
    locdyn.add_joint(system, "hinge", ["bob"], name="pin", point=[0, 0, 0], axis=[0, 1, 0])
    return system, locdyn.Mechanism(system)


def test_a_pendulum_has_one_freedom_and_falls():
    system, mechanism = pendulum()
    G = mechanism.constraint_matrix().toarray()
    assert G.shape == (5, 6) and np.linalg.matrix_rank(G) == 5 and mechanism.coordinates == 6
    assert all("pin" in name for name in mechanism.row_names) and mechanism.left_out == []
    acceleration, reactions = mechanism.accelerations()
    inertia = 1 + 0.4 * 0.01  # over the mass, about the pin
    assert acceleration[1] == pytest.approx(10 / inertia) and acceleration[5] == pytest.approx(-10 / inertia)
    assert G @ acceleration == pytest.approx(np.zeros(5), abs=1e-12) and len(reactions) == 5
    assert mechanism.static_reactions()[2] is False
    assert mechanism.close() < 1e-12 and mechanism.drive_value is None
    mechanism.velocity = np.arange(6.0)
    assert (mechanism.velocity == np.arange(6)).all()
    assert G @ mechanism.solve_velocities() == pytest.approx(np.zeros(5), abs=1e-12)


def test_a_slider_crank_along_its_drive():
    mechanism = locdyn.Mechanism(locdyn.Scene(os.path.join(SCENES, "slider_crank.json")))
    assert mechanism.drive_value is not None
    start = mechanism.drive_value
    path = mechanism.follow(start, start + 1.0, 0.1, rate=2.0)
    assert path.message == "" and len(path.values) == 11 and path.values[-1] == pytest.approx(start + 1)
    assert path.positions.shape[:2] == (11, len(mechanism.system)) == path.orientations.shape[:2]
    G = mechanism.constraint_matrix()
    asked = np.zeros(G.shape[0])
    asked[-1] = 2.0  # the drive's row comes last
    moved = G @ path.velocities[-1]
    assert moved[:-1] == pytest.approx(asked[:-1], abs=1e-9) and abs(moved[-1]) > 0
    again = mechanism.solve_velocities(2.0)
    assert again == pytest.approx(path.velocities[-1], rel=1e-6, abs=1e-9)


def test_what_is_no_mechanism():
    with pytest.raises(TypeError, match="source: expected a Scene or a System, found dict"):
        locdyn.Mechanism({})
    _, mechanism = pendulum()
    with pytest.raises(ValueError, match="follow: expected a mechanism with"):
        mechanism.follow(0, 1, 0.1)
    with pytest.raises(ValueError, match="rate: expected a mechanism with a drive"):
        mechanism.solve_velocities(1.0)
    with pytest.raises(ValueError, match=r"velocity: expected the shape \(6,\), found \(3,\)"):
        mechanism.velocity = [1, 2, 3]
    with pytest.raises(ValueError, match="step"):
        locdyn.Mechanism(locdyn.Scene(os.path.join(SCENES, "slider_crank.json"))).follow(0, 1, -1)
