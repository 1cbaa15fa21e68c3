"""Rays, distances and sweeps from Python: closed forms, threads, filters, bad input."""

import numpy as np
import pytest

import locdyn


@pytest.fixture
def world():
    system = locdyn.System()
    floor = system.add_obstacle(locdyn.Plane(), name="floor")
    ball = system.add_body(locdyn.Sphere(0.5), position=(0, 0, 2), name="ball")
    box = system.add_body(locdyn.Box((1, 1, 1)), position=(3, 0, 2), name="box")
    return system, floor, ball, box


def test_rays_meet_what_closed_forms_say(world):
    system, floor, ball, box = world
    rays = locdyn.RayCaster(system)
    x = np.linspace(-1, 1, 201)
    origins = np.stack([x, 0 * x, 9 + 0 * x], axis=1)
    hits = rays.first(origins, np.tile([0.0, 0.0, -2.0], (201, 1)))
    on_ball = np.abs(x) <= 0.5
    height = np.where(on_ball, 2 + np.sqrt(np.maximum(0.25 - x * x, 0)), 0)
    assert hits["distance"] == pytest.approx(9 - height, abs=1e-12)
    assert (hits["body"] == np.where(on_ball, int(ball), int(floor))).all()
    assert hits["normal"][100] == pytest.approx([0, 0, 1])
    again = rays.first(origins, np.tile([0.0, 0.0, -2.0], (201, 1)), threads=3)
    assert (again == hits).all()
    assert [int(b) for b in rays.all((-5, 0, 2), (1, 0, 0))["body"]] == [int(ball), int(box)]
    assert int(rays.first([[-5, 0, 2]], [[1, 0, 0]], without=ball)["body"][0]) == int(box)
    assert np.isinf(rays.first([[-5, 0, 2]], [[-1, 0, 0]])["distance"][0])


def test_what_moves_is_seen_after_an_update(world):
    system, floor, ball, box = world
    rays = locdyn.RayCaster(system)
    stepper = locdyn.TimeStepper(system, step=0.01)
    stepper.step()
    before = rays.first([[0, 0, 9]], [[0, 0, -1]])["distance"][0]
    rays.update()
    after = rays.first([[0, 0, 9]], [[0, 0, -1]])["distance"][0]
    assert before == 6.5 and after == pytest.approx(9 - system.positions[int(ball)][2] - 0.5) and after > before


def test_distances_overlaps_and_sweeps(world):
    system, floor, ball, box = world
    finder = locdyn.DistanceFinder(system)
    near = finder.nearest([[1, 0, 2], [0, 0, 2.1]])
    assert near["distance"] == pytest.approx([0.5, -0.4]) and near["on_second"][0] == pytest.approx([0.5, 0, 2])
    gap = near["on_second"] - near["on_first"] - near["distance"][:, None] * near["normal"]
    assert np.abs(gap).max() < 1e-14
    pairs = [(c, d) for c in range(3) for d in range(c)]
    ids = [locdyn.ColliderId(c) for c in range(3)]
    between = finder.between([(ids[c], ids[d]) for c, d in pairs], threads=2)
    assert between["distance"] == pytest.approx([1.5, 1.5, 2])
    turn = [[np.cos(np.pi / 8), 0, np.sin(np.pi / 8), 0]]
    edge = finder.nearest_to(locdyn.Box((1, 1, 1)), [[3, 0, 4]], turn)
    assert edge["distance"][0] == pytest.approx(1.5 - np.sqrt(0.5))
    assert [int(b) for b in finder.within(locdyn.Sphere(0.2), (1, 0, 2), 1.4)["body"]] == [int(ball), int(box)]
    stop = finder.sweep(locdyn.Sphere(0.25), [[-3, 0.3, 2]], [[5, 0, 0]])
    assert stop["distance"][0] == pytest.approx(3 - np.sqrt(0.75**2 - 0.3**2)) and stop["body"][0] == int(ball)
    assert np.isinf(finder.sweep(locdyn.Sphere(0.25), [[-3, 0, 2]], [[-1, 0, 0]])["distance"][0])


def test_what_has_no_meaning_is_refused(world):
    system, floor, ball, box = world
    rays, finder = locdyn.RayCaster(system), locdyn.DistanceFinder(system)
    with pytest.raises(ValueError, match="ray 0: expected a direction of finite length > 0"):
        rays.first([[0, 0, 0]], [[0, 0, 0]])
    with pytest.raises(ValueError, match="directions: expected 1 rows"):
        rays.first([[0, 0, 0]], [[0, 0, 1], [0, 0, 1]])
    with pytest.raises(ValueError, match="at least 1 thread"):
        rays.first([[0, 0, 0]], [[0, 0, 1]], threads=0)
    with pytest.raises(ValueError, match="probe 0: expected a solid shape, found plane"):
        finder.nearest_to(locdyn.Plane(), [[0, 0, 0]])
    with pytest.raises(ValueError, match="shape: expected a shape, found str"):
        finder.within("ball", (0, 0, 0), 1)
    with pytest.raises(ValueError, match="pair 0: .* twice"):
        finder.between([(locdyn.ColliderId(1), locdyn.ColliderId(1))])
