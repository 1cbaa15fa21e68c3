"""Systems stepped from Python: closed forms, ids, callables, saved states, bad input."""

import copy
import gc
import pickle
import threading
import weakref

import numpy as np
import pytest

import locdyn


def two_boxes(**options):
    system = locdyn.System()
    system.add_surface("default", friction=0.5)
    floor = system.add_obstacle(locdyn.Plane(), name="floor")
    lower = system.add_body(locdyn.Box((1, 1, 1)), position=(0, 0, 0.5), name="lower")
    upper = system.add_body(locdyn.Box((1, 1, 1)), position=(0, 0, 1.5), name="upper")
    return system, locdyn.TimeStepper(system, **{"step": 1e-3, "tolerance": 1e-12, **options}), (floor, lower, upper)


def test_a_body_falls_as_galilei_says():
    system = locdyn.System(gravity=(0, 0, -10))
    ball = system.add_body(locdyn.Sphere(0.1), position=(0, 0, 5), velocity=(1, 0, 0), angular_velocity=(0, 0, 3))
    stepper = locdyn.TimeStepper(system, step=0.01)
    reports = stepper.run(0.5)
    assert len(reports) == 50 and stepper.time == pytest.approx(0.5) and stepper.steps == 50
    assert system.positions[0] == pytest.approx([0.5, 0, 5 - 0.5 * 10 * 0.25], abs=1e-12)
    assert system.velocities[0] == pytest.approx([1, 0, -5])
    assert system.angular_velocities[0] == pytest.approx([0, 0, 3])
    assert system.mass(ball) == pytest.approx(1000 * 4 / 3 * np.pi * 1e-3)


def test_contacts_and_forces_between_bodies():
    system, stepper, (floor, lower, upper) = two_boxes()
    for _ in range(5):
        stepper.step()
    contacts = stepper.contacts
    assert len(contacts) == 8 and (contacts["state"] == 1).all() and (contacts["gap"] <= 0).all()
    on_lower = contacts[contacts["master_body"] == int(floor)]
    assert on_lower["force"].sum(axis=0) == pytest.approx([0, 0, 19620], abs=1e-5)
    assert contacts["frame"][0] @ contacts["frame"][0].T == pytest.approx(np.eye(3))
    assert stepper.force_on(lower).force == pytest.approx([0, 0, 9810], abs=1e-5)
    assert stepper.force_on(lower, upper).force == pytest.approx([0, 0, 19620], abs=1e-5)
    assert stepper.force_on(lower, of=[upper]).force == pytest.approx([0, 0, -9810], abs=1e-5)
    assert [(a, b) for a, b, _ in stepper.forces_by_body()] == [(floor, lower), (lower, upper)]


def test_which_forces_are_unique():
    system, stepper, (floor, lower, upper) = two_boxes()
    for _ in range(5):
        stepper.step()
    whole = stepper.unique_force_on(lower, of=[upper])
    assert whole.known and whole.force and whole.normal and whole.friction and whole.moment
    reactions = stepper.unique_contacts()
    assert len(reactions) == 8 and not any(r.normal or r.friction or r.force for r in reactions)


def test_reactions_of_least_norm():
    system, stepper, (floor, lower, upper) = two_boxes(least_norm=True)
    assert stepper.step().not_least_norm == 0
    contacts = stepper.contacts
    on_upper = contacts[contacts["slave_body"] == int(upper)]
    assert on_upper["reaction"][:, 2] == pytest.approx(np.full(4, 9810 / 4), rel=1e-7)
    with pytest.raises(ValueError, match="least_norm: expected no sweep_budget beside it, found 3"):
        two_boxes(least_norm=True, sweep_budget=3)


def test_events_begin_and_end():
    system, stepper, (floor, lower, upper) = two_boxes()
    events = locdyn.contact_events(stepper)
    stepper.step()
    assert [(e.change, e.first, e.second) for e in events.update()] == [("begin", floor, lower), ("begin", lower, upper)]
    system.remove(upper)
    stepper.step()
    assert [(e.change, e.second) for e in events.update()] == [("end", upper)]


def test_ids_are_kinds_of_their_own():
    system, stepper, (floor, lower, upper) = two_boxes()
    assert system.bodies == [floor, lower, upper] and system.find("lower") == lower and system.name(upper) == "upper"
    assert {lower: 1}[locdyn.BodyId(1)] == 1 and lower != locdyn.ColliderId(1) and lower != 1
    assert pickle.loads(pickle.dumps(lower)) == lower
    with pytest.raises(TypeError):
        system.remove(1)
    with pytest.raises(TypeError):
        system.name(locdyn.ColliderId(1))
    system.remove(upper)
    for use in (system.remove, system.mass, system.configuration, system.kind, stepper.sleeps, stepper.force_on):
        with pytest.raises(IndexError):
            use(upper)
    with pytest.raises(IndexError, match="body id: expected less than 3, found 99"):
        system.name(locdyn.BodyId(99))
    assert system.bodies == [floor, lower] and system.name(upper) == "upper"


def test_joints_and_forces_by_their_keys():
    system = locdyn.System()
    bar = system.add_body(locdyn.Box((1, 0.1, 0.1)), position=(0.5, 0, 0), name="bar")
    (hinge,) = locdyn.add_joint(system, "hinge", [bar], point=[0, 0, 0], axis=np.array([0, 1, 0]))
    spring = locdyn.add_force(system, "spring_damper", ["bar"], points=[[1, 0, 0], [1, 0, 2]], stiffness=100.0)
    stepper = locdyn.TimeStepper(system)
    stepper.run(0.2)
    assert np.linalg.norm(system.positions[0]) == pytest.approx(0.5, abs=1e-6)
    system.remove(hinge)
    system.remove(spring)
    height = system.positions[0, 2]
    stepper.run(0.5)
    assert system.positions[0, 2] < height - 0.5
    with pytest.raises(locdyn.SceneError) as fault:
        locdyn.add_joint(system, "hinge", [bar])
    assert fault.value.faults == ['joint: expected key "point", found none', 'joint: expected key "axis", found none']
    with pytest.raises(ValueError, match="joint.type: expected"):
        locdyn.add_joint(system, "hnge", [bar])
    with pytest.raises(ValueError, match="bodies: expected one with a name"):
        locdyn.add_joint(system, "weld", [system.add_body(locdyn.Sphere(1))])


def test_joints_with_friction_servo_and_a_breaking_load():
    system = locdyn.System()
    wheel = system.add_body(locdyn.Box((1, 1, 1)), density=2.0, name="wheel")  # J = 1/3 kg m^2
    turn = {"point": [0, 0, 0], "axis": [0, 0, 1]}
    hinge, lower, upper, motor, friction = locdyn.add_joint(
        system, "hinge", [wheel], **turn, limits=[-2, 2], friction={"torque": 0.5},
        servo={"speed": 3, "damping": 0.5, "torque_range": [-1, 0.9]}, breaks={"force": 25})  # fmt: skip
    stepper = locdyn.TimeStepper(system, step=1e-3)
    reports = [stepper.step() for _ in range(100)]
    assert system.angular_velocities[0, 2] == pytest.approx(0.4 * 3 * 0.1, rel=1e-9)  # 0.9 N m against 0.5
    assert system.joint_load(hinge) == pytest.approx((2 * 9.81, 0), rel=1e-9, abs=1e-9)
    assert system.joint_load(friction)[1] == pytest.approx(0.5)
    assert not any(report.broken for report in reports)
    system.add_load(wheel, lambda t: (0, 0, -10))
    (broken,) = stepper.step().broken
    assert broken.joint == hinge and broken.name == "" and broken.time == pytest.approx(0.101)
    assert broken.force == pytest.approx(2 * 9.81 + 10) and broken.torque == pytest.approx(0, abs=1e-9)
    for gone in (hinge, lower, upper, motor, friction):
        with pytest.raises(IndexError):
            system.joint_load(gone)
    with pytest.raises(locdyn.SceneError, match="joint.servo: expected stiffness or damping > 0, found both zero"):
        locdyn.add_joint(system, "hinge", [wheel], **turn, servo={"angle": 1, "stiffness": 0})
    with pytest.raises(locdyn.SceneError, match="joint.friction: friction radius: expected one above 0"):
        locdyn.add_joint(system, "hinge", [wheel], **turn, friction={"coefficient": 0.1})
    with pytest.raises(locdyn.SceneError, match="joint.friction: expected an array of 2 values"):
        locdyn.add_joint(
            system, "universal", [wheel], point=[0, 0, 0], axes=[[1, 0, 0], [0, 1, 0]], friction={"torque": 1}
        )


def test_a_bushing_and_friction_of_a_cylindrical_joint():
    system = locdyn.System(gravity=(0, 0, 0))
    top = system.add_body(locdyn.Box((1, 1, 1)), density=1.0, name="top")
    locdyn.add_joint(
        system, "bushing", [top], points=[[0, 0, 0], [0.1, 0, 0]], stiffness=40, angular_damping=2, name="mount"
    )
    h = 1e-3
    locdyn.TimeStepper(system, step=h).run(h)
    # x = −0.1 from where it is without force: v = −h k x/(m + h² k/2).
    assert system.velocities[0, 0] == pytest.approx(h * 40 * 0.1 / (1 + h * h * 20), rel=1e-9)
    with pytest.raises(locdyn.SceneError, match="stiffness or damping > 0, found all zero"):
        locdyn.add_joint(system, "bushing", [top], points=[[0, 0, 0], [0, 0, 0]], damping=0)

    system = locdyn.System(gravity=(0, 0, -2.5))
    tube = system.add_body(locdyn.Box((1, 1, 1)), density=1.0, name="tube")
    along = {"point": [0, 0, 0], "axis": [0, 0, 1]}
    _, sliding = locdyn.add_joint(system, "cylindrical", [tube], **along, friction={"force": 3}, name="rail")
    locdyn.TimeStepper(system, step=h).run(0.1)
    assert abs(system.velocities[0, 2]) < 1e-12  # 2.5 N are less than friction bears
    assert system.joint_load(sliding)[0] == pytest.approx(2.5)


def test_loads_and_drives_are_functions():
    system = locdyn.System(gravity=(0, 0, 0))
    ball = system.add_body(locdyn.Sphere(0.1), density=1000 / (4 / 3 * np.pi))  # 1 kg
    system.add_load(ball, lambda t: (2 * t, 0, 0))
    system.add_torque(ball, lambda t: np.array([0, 0, 0.1]))
    table = system.add_obstacle(locdyn.Box((1, 1, 1)), position=(0, 0, -5))
    system.add_drive(table, lambda t, h: ((0, 0, 1), (0, 0, 0)))
    stepper = locdyn.TimeStepper(system, step=1e-3)
    stepper.run(1.0)
    assert system.velocities[0, 0] == pytest.approx(1.0, abs=1e-9)
    assert system.angular_velocities[0, 2] == pytest.approx(0.1 / (0.4 * 0.01), rel=1e-9)
    z = system.configuration(table)[2]
    stepper.run(1.0)
    assert system.configuration(table)[2] - z == pytest.approx(1.0)


class Mine(Exception):
    pass


@pytest.mark.parametrize("wrong", [lambda t: 1 / 0, lambda t: (0, 0), lambda t: (0, 0, np.nan), lambda t: "force"])
def test_a_callable_that_fails_leaves_all_as_it_was(wrong):
    system, stepper, (_, lower, _) = two_boxes(sleep=False)
    stepper.run(0.005)
    active = False

    def load(t):
        return wrong(t) if active else (0, 0, 0)

    system.add_load(lower, load)
    stepper.step()
    before, time = system.positions, stepper.time
    active = True
    with pytest.raises((ZeroDivisionError, ValueError)):
        stepper.step()
    assert (system.positions == before).all() and stepper.time == time
    active = False
    assert not stepper.step().failed


def test_the_exception_of_a_callable_comes_through():
    system = locdyn.System()
    ball = system.add_body(locdyn.Sphere(1))

    def load(t):
        raise Mine("at", t)

    system.add_load(ball, load)
    with pytest.raises(Mine) as fault:
        locdyn.TimeStepper(system).step()
    assert fault.value.args[0] == "at"


def test_states_go_on_bit_for_bit():
    _, first, _ = two_boxes()
    first.run(0.01)
    saved = pickle.loads(pickle.dumps(first.state()))
    first.run(0.01)
    system, second, _ = two_boxes()
    second.restore(copy.deepcopy(saved))
    assert second.time == pytest.approx(0.01) and saved.step == 10
    second.run(0.01)
    assert (system.positions == first.system.positions).all() and (system.velocities == first.system.velocities).all()
    other = locdyn.TimeStepper(locdyn.System())
    with pytest.raises(ValueError):
        other.restore(saved)


def test_a_system_has_one_stepper_at_a_time():
    system = locdyn.System()
    system.add_body(locdyn.Sphere(1))
    first = locdyn.TimeStepper(system)
    with pytest.raises(RuntimeError, match="expected a system that no other moves"):
        locdyn.TimeStepper(system)
    first.step()
    del first
    assert locdyn.TimeStepper(system).step().step == 1


def test_a_step_that_fails_says_so():
    system, stepper, _ = two_boxes(on_failure="stop", solver="nsgs", tolerance=1e-300, max_iterations=1)
    system.set_velocity(system.find("upper"), (3, 0.2, -1), (1, 2, 3))
    before = system.positions
    with pytest.raises(locdyn.StepFailure) as fault:
        stepper.step()
    assert fault.value.report.failed and fault.value.report.warning == str(fault.value)
    assert (system.positions == before).all()


def test_every_shape_comes_in_and_out(tmp_path):
    hull = locdyn.ConvexHull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    mesh = locdyn.TriangleMesh([[0, 0, 0], [9, 0, 0], [0, 9, 0]], [[0, 1, 2]])
    field = locdyn.HeightField(np.zeros((3, 4)), (1.0, 2.0))
    assert hull.points.shape == (4, 3) and mesh.triangles.tolist() == [[0, 1, 2]]
    assert locdyn.Capsule(0.1, 0.3).length == 0.3 and locdyn.Cylinder(0.1, 0.3).height == 0.3
    assert locdyn.Box((1, 2, 3)).size.tolist() == [1, 2, 3] and locdyn.Sphere(2).radius == 2
    system = locdyn.System()
    for shape in (mesh, field, locdyn.Plane()):
        system.add_obstacle(shape)
        with pytest.raises(ValueError):
            system.add_body(shape)
    body = system.add_body([(hull, (0, 0, 5)), (locdyn.Sphere(0.2), (0, 0, 6), (1, 0, 0, 0)), locdyn.Box((1, 1, 1))])
    system.add_particle(2.0, position=(0, 0, 9))
    assert system.kind(body) == "rigid body" and len(system) == 5
    (tmp_path / "t.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    assert locdyn.read_mesh(tmp_path / "t.obj", 2.0).vertices.max() == 2
    with pytest.raises(ValueError, match="none.stl"):
        locdyn.read_mesh(tmp_path / "none.stl")


CHANGES = [
    lambda system, stepper, start: system.add_body(locdyn.Sphere(1)),
    lambda system, stepper, start: system.add_particle(1.0),
    lambda system, stepper, start: system.add_obstacle(locdyn.Plane()),
    lambda system, stepper, start: system.add_load(system.bodies[1], lambda t: (0, 0, 0)),
    lambda system, stepper, start: system.add_drive(system.bodies[0], lambda t, h: ((0, 0, 0), (0, 0, 0))),
    lambda system, stepper, start: locdyn.add_joint(system, "weld", ["upper"], point=[0, 0, 2]),
    lambda system, stepper, start: system.exclude_pair(system.bodies[0], system.bodies[1]),
    lambda system, stepper, start: system.remove(system.bodies[1]),
    lambda system, stepper, start: stepper.step(),
    lambda system, stepper, start: stepper.restore(start),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_callable_changes_nothing(change):
    system, stepper, (_, lower, _) = two_boxes()
    start, asked = stepper.state(), []

    def load(t):
        with pytest.raises(RuntimeError, match="expected no step to run, found one of the system"):
            change(system, stepper, start)
        asked.append(len(stepper.contacts))  # what may be read: the step before
        return (0, 0, 0)

    system.add_load(lower, load)
    stepper.step()
    stepper.step()
    assert asked == [0, 8] and len(system) == 3 and stepper.steps == 2


def test_a_second_thread_is_told_that_a_step_runs():
    system, stepper, (_, lower, upper) = two_boxes(sleep=False)
    told = []

    def other():
        for call in (stepper.step, stepper.state, lambda: stepper.contacts, lambda: system.remove(upper)):
            try:
                call()
            except RuntimeError as fault:
                told.append(str(fault))

    def load(t):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        return (0, 0, 0)

    system.add_load(lower, load)
    stepper.step()
    here, there = "expected no step to run, found one of the system", "expected no step to run, found one in another thread"
    assert told == [f"step: {here}", f"state: {there}", f"contacts: {there}", f"remove: {here}"]


def test_a_step_begun_again_in_a_callable_goes_on_bit_for_bit():
    plain, interrupted = two_boxes(sleep=False), two_boxes(sleep=False)
    fail = []
    for system, _, (_, lower, _) in (plain, interrupted):
        system.add_load(lower, lambda t: (1 / 0 if fail else 300, 0, 0))
    plain[1].run(0.05)
    interrupted[1].run(0.02)
    fail.append(True)
    with pytest.raises(ZeroDivisionError):
        interrupted[1].step()
    fail.clear()
    interrupted[1].run(0.03)
    assert interrupted[1].steps == 50 and (plain[0].positions == interrupted[0].positions).all()
    assert (plain[0].velocities == interrupted[0].velocities).all()


def test_callables_and_what_they_hold_are_freed_with_the_system():
    class Held:
        pass

    held = Held()
    gone = weakref.ref(held)
    system, stepper, (_, lower, _) = two_boxes()
    system.add_load(lower, lambda t, held=held: (0, 0, 0))
    stepper.step()
    events = locdyn.contact_events(stepper)
    del held, system, stepper
    gc.collect()
    assert gone() is not None and events.update() == []  # events hold the stepper, the stepper its system
    del events
    gc.collect()
    assert gone() is None


BAD = [
    (lambda s: s.add_body(3), "shapes: expected a shape, found int"),
    (lambda s: s.add_body([(locdyn.Sphere(1),)]), "shapes: expected (shape, position)"),
    (lambda s: s.add_body([]), "part"),
    (lambda s: s.add_obstacle([]), "shapes: expected at least one, found none"),
    (lambda s: s.add_body(locdyn.Sphere(1), density=-1), "density"),
    (lambda s: s.add_body(locdyn.Sphere(1), position=(0, 0)), "position: expected the shape (3,), found (2,)"),
    (lambda s: s.add_body(locdyn.Sphere(1), position=(0, 0, "x")), "position: expected real numbers"),
    (lambda s: s.add_body(locdyn.Sphere(1), velocity=(0, 0, np.nan)), "velocity: expected finite numbers"),
    (lambda s: s.add_body(locdyn.Sphere(1), orientation=(1, 1, 0, 0)), "orientation"),
    (lambda s: s.add_body(locdyn.Sphere(1), surface="ice"), "surface"),
    (lambda s: s.add_body(locdyn.Sphere(1), name="floor"), "floor"),
    (lambda s: locdyn.Sphere(-1), "sphere: radius: expected a finite number > 0, found -1"),
    (lambda s: locdyn.Sphere(float("nan")), "sphere: radius"),
    (lambda s: locdyn.ConvexHull([[0, 0, 0]] * 4), "hull"),
    (lambda s: locdyn.TriangleMesh([[0, 0, 0]], [[0, 1, 2]]), "triangle"),
    (lambda s: locdyn.TriangleMesh(np.eye(3), [[0, 1, 1.5]]), "triangles: expected whole numbers"),
    (lambda s: locdyn.TriangleMesh(np.eye(3), [[0, 1, 1e30]]), "triangles: expected whole numbers"),
    (lambda s: locdyn.TimeStepper(s).run(float("nan")), "seconds: expected a finite number of at least 0, found nan"),
    (lambda s: locdyn.TimeStepper(s).run(-1), "seconds: expected a finite number"),
    (lambda s: locdyn.HeightField([[1, 2]], (1, 1)), "height"),
    (lambda s: s.add_surface("default", friction=-1), "friction"),
    (lambda s: s.add_surface("x", friction=1, static_friction=2), "friction: expected it alone"),
    (lambda s: s.set_pair("default", "none"), "none"),
    (lambda s: locdyn.System(gravity=(0, 0)), "gravity: expected the shape (3,), found (2,)"),
    (lambda s: locdyn.TimeStepper(s, step=0), "step: expected a finite number > 0, found 0"),
    (lambda s: locdyn.TimeStepper(s, step="a"), "step: expected a number, found str"),
    (lambda s: locdyn.TimeStepper(s, on_failure="pray"), "on_failure: expected go_on, stop or halve, found pray"),
    (lambda s: locdyn.TimeStepper(s, correction="x"), "correction: expected none, projection or baumgarte"),
    (lambda s: locdyn.contact_events(locdyn.TimeStepper(s), impact_speed=-1), "impact_speed: expected"),
]


@pytest.mark.parametrize("call, line", BAD)
def test_bad_input_is_one_line(call, line):
    system = locdyn.System()
    system.add_obstacle(locdyn.Plane(), name="floor")
    with pytest.raises(ValueError) as fault:
        call(system)
    assert line in str(fault.value) and "\n" not in str(fault.value)
    assert len(system) == 1


def test_options_that_are_none_are_refused():
    with pytest.raises(TypeError, match="stepping: expected an option of TimeStepper, found stepp"):
        locdyn.TimeStepper(locdyn.System(), stepp=1)


def on_a_table(friction=0.5):
    system = locdyn.System()
    system.add_surface("default", friction=friction)
    table = system.add_obstacle(locdyn.Plane())
    box = system.add_body(locdyn.Box((1, 1, 0.2)), position=(0, 0, 0.1))
    return system, locdyn.TimeStepper(system, step=1e-3, tolerance=1e-10), table, box


def test_a_belt_takes_a_box_along():
    system, stepper, table, _ = on_a_table()
    stepper.run(0.05)
    system.set_surface_velocity(table, (0, 2, 0))
    stepper.run(0.1)
    assert system.velocities[1] == pytest.approx([0, 0.5 * 9.81 * 0.1, 0], abs=1e-8)
    system.set_surface_velocity(locdyn.ColliderId(0), (0, 0, 0))
    stepper.run(0.3)
    assert system.velocities[1] == pytest.approx([0, 0, 0], abs=1e-9)
    with pytest.raises(ValueError, match="velocity: expected"):
        system.set_surface_velocity(table, (0, np.nan, 0))
    with pytest.raises(IndexError):
        system.set_surface_velocity(locdyn.ColliderId(7), (0, 0, 0))
    with pytest.raises(IndexError):
        system.set_surface_velocity(locdyn.BodyId(7), (0, 0, 0))


def test_a_modifier_changes_contacts_before_they_are_solved():
    system, stepper, table, box = on_a_table()
    system.set_velocity(box, (3, 0, 0))
    seen = []

    def ice_beyond_half_a_second(contact):
        assert (contact.master, contact.slave) == (table, box) and contact.normal == pytest.approx([0, 0, 1])
        assert contact.friction == contact.kinetic_friction == 0.5 and contact.stiffness == np.inf and not contact.off
        assert contact.surface_velocity == pytest.approx([0, 0, 0]) and abs(contact.gap) < 1e-6
        seen.append(contact)
        contact.friction = 0 if contact.time > 0.2 else 0.5

    system.set_contact_modifier(ice_beyond_half_a_second)
    stepper.run(0.5)
    assert len(seen) == 4 * 500
    assert system.velocities[1, 0] == pytest.approx(3 - 0.5 * 9.81 * 0.2, abs=1e-7)
    with pytest.raises(RuntimeError, match="found one of a call that is over"):
        seen[0].friction = 1
    system.set_contact_modifier(None)
    stepper.run(0.1)
    assert len(seen) == 4 * 500
    assert system.velocities[1, 0] == pytest.approx(3 - 0.5 * 9.81 * 0.3, abs=1e-7)


def set_field(name, value):
    return lambda contact: setattr(contact, name, value)


@pytest.mark.parametrize(
    "modifier, fault",
    [
        (lambda contact: 1 / 0, ZeroDivisionError),
        (set_field("friction", -1), ValueError),
        (set_field("restitution", np.nan), ValueError),
        (set_field("surface_velocity", (0, 0)), ValueError),
        (set_field("off", "yes"), TypeError),
        (set_field("gap", 1), AttributeError),
        (lambda: None, TypeError),
    ],
)
def test_a_modifier_that_fails_leaves_all_as_it_was(modifier, fault):
    system, stepper, _, box = on_a_table()
    stepper.run(0.01)
    before = stepper.state()
    system.set_contact_modifier(modifier)
    with pytest.raises(fault):
        stepper.step()
    assert stepper.time == before.time and len(stepper.contacts) == 4
    system.set_contact_modifier(None)
    stepper.run(0.01)
    assert np.abs(system.velocities[1]).max() < 1e-9


def test_friction_counts_along_a_direction():
    def slid(angle):
        system = locdyn.System(gravity=(0.35 * 9.81 * np.cos(angle), 0.35 * 9.81 * np.sin(angle), -9.81))
        system.add_surface("wood", friction=0.2, cross_friction=0.5)
        board = system.add_obstacle(locdyn.Plane(), surface="wood")
        system.add_body(locdyn.Box((1, 1, 0.02)), position=(0, 0, 0.01), surface="wood")
        system.set_friction_direction(board, (2, 0, 0))
        locdyn.TimeStepper(system, step=1e-3, tolerance=1e-10).run(0.2)
        return system.velocities[1]

    assert slid(0) == pytest.approx([0.15 * 9.81 * 0.2, 0, 0], abs=1e-7)  # beyond 0.2 along
    assert slid(np.pi / 2) == pytest.approx([0, 0, 0], abs=1e-9)  # within 0.5 across

    system, stepper, table, box = on_a_table()
    system.add_surface("wood", friction=0.2, cross_friction=0.5)
    system.add_body(locdyn.Box((1, 1, 0.2)), position=(3, 0, 0.1), surface="wood")
    with pytest.raises(ValueError, match="expected a friction_direction of one of the two shapes"):
        stepper.step()
    system.set_friction_direction(locdyn.ColliderId(2), (0, 1, 0))
    stepper.step()
    with pytest.raises(ValueError, match="direction: expected"):
        system.set_friction_direction(table, (0, np.nan, 0))
    with pytest.raises(IndexError):
        system.set_friction_direction(locdyn.ColliderId(7), (0, 0, 1))

    def modify(contact):
        if contact.cross_friction is None:
            contact.cross_friction = 0.1
            contact.friction_direction = (1, 0, 0)

    system.set_contact_modifier(modify)
    system.set_velocity(box, (0, 1, 0))
    before = system.velocities[1][1]
    stepper.run(0.05)
    assert before - system.velocities[1][1] == pytest.approx(0.1 * 9.81 * 0.05, rel=1e-3)


def test_contacts_that_give_way():
    def sunk(**material):
        system = locdyn.System(gravity=(1, 0, -9.81))
        system.add_surface("foam", friction=0.5, **material)
        system.add_obstacle(locdyn.Plane(), surface="foam")
        ball = system.add_body(locdyn.Box((0.1, 0.1, 0.001)), position=(0, 0, 0.0005), surface="foam")
        locdyn.TimeStepper(system, step=1e-3, tolerance=1e-11).run(2)
        return system.mass(ball) / 4, 0.0005 - system.positions[1][2], system.positions[1][0]

    m, depth, way = sunk(stiffness=1e3, damping=3, tangential_stiffness=200, tangential_damping=1)
    assert depth == pytest.approx(m * 9.81 / 1e3, rel=1e-3)
    assert way == pytest.approx(m / 200, rel=1e-2)
    m, depth, _ = sunk(hertz_stiffness=1e5, damping=3)
    assert depth == pytest.approx((m * 9.81 / 1e5) ** (2 / 3), rel=1e-2)
    system = locdyn.System()
    for bad in ({"stiffness": 0}, {"hertz_stiffness": -1}, {"stiffness": 1e300}, {"tangential_stiffness": 1}):
        with pytest.raises(ValueError, match="stiffness: expected"):
            system.add_surface("bad", friction=0.5, **bad)


def test_loads_end_with_their_body():
    system = locdyn.System()
    ball = system.add_body(locdyn.Sphere(0.1))
    system.add_body(locdyn.Sphere(0.1), position=(3, 0, 1))
    system.add_load(ball, lambda t: (0, 0, 1))
    system.add_torque(ball, lambda t: (0, 0, 1))
    stepper = locdyn.TimeStepper(system, step=1e-3)
    stepper.step()
    system.remove(ball)
    stepper.step()
    assert system.velocities[-1][2] == pytest.approx(-2 * 9.81e-3, rel=1e-2)
