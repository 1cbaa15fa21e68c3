"""Scenes as dicts, run, saved, rolled out; the bits are those of the command line."""

import copy
import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import locdyn

SCENES = os.path.join(os.path.dirname(__file__), "..", "..", "scenes")


def falling(height=1.0, **more):
    return locdyn.Scene(
        {
            "title": "a ball",
            "step": 1e-3,
            "duration": 0.1,
            "surfaces": {"default": {"friction": 0.5}},
            "bodies": [
                {"name": "floor", "kind": "obstacle", "shape": {"type": "plane"}},
                {"name": "ball", "kind": "rigid", "position": np.array([0, 0, height]), "density": 1000,
                 "shape": {"type": "sphere", "radius": 0.1}},
            ],
            **more,
        }
    )


def test_a_run_tells_all():
    run = falling().run(every=20)
    assert run.names == ["floor", "ball"] and run.unsolved == 0 and run.warning == ""
    assert run.times == pytest.approx(np.linspace(0, 0.1, 6))
    assert run.positions.shape == (6, 2, 3) and run.orientations.shape == (6, 2, 4)
    assert run.positions[:, 1, 2] == pytest.approx(1 - 9.81 / 2 * run.times**2, abs=1e-12)
    assert len(run.steps["time"]) == 100 and run.steps["residual"].max() <= 1e-6
    energy = run.steps["kinetic_energy"] + run.steps["potential_energy"]
    assert energy == pytest.approx(energy[0], rel=1e-12)


def test_the_bits_are_those_of_the_command_line(tmp_path):
    program = os.path.join(os.environ["LOCDYN_BIN"], "locdyn")
    if not os.path.exists(program):
        pytest.skip("no command line")
    scene = os.path.join(SCENES, "arch.json")
    subprocess.run([program, "simulate", scene, "--time", "0.05", "-o", tmp_path / "theirs", "--quiet"], check=True)
    run = locdyn.Scene(scene).run(0.05, out=tmp_path / "ours", threads=2)
    theirs, ours = (locdyn.Trajectory(tmp_path / who) for who in ("theirs", "ours"))
    assert (theirs.times == ours.times).all() and theirs.names == ours.names
    assert (theirs.positions == ours.positions).all() and (theirs.velocities == ours.velocities).all()
    assert (ours.positions == run.positions[: len(ours)]).all()
    last = ours.contacts(-1)
    assert len(last["point"]) == len(last["force"]) > 0
    with pytest.raises(IndexError):
        ours.contacts(len(ours))


def test_scenes_are_edited_written_and_read(tmp_path):
    scene = falling()
    scene.data["bodies"][1]["position"] = [0, 0, 2]
    scene.write(tmp_path / "scene.json")
    again = locdyn.Scene(tmp_path / "scene.json")
    assert again.run(0.01).positions[0, 1, 2] == 2
    assert json.loads(locdyn.scene_schema())["type"] == "object"
    text = (tmp_path / "scene.json").read_text()
    assert locdyn.Scene(text).data == again.data


def test_faults_are_told_together():
    scene = falling()
    scene.data["bodies"][1]["shape"]["radius"] = -1
    scene.data["step"] = 0
    with pytest.raises(locdyn.SceneError) as fault:
        scene.run()
    assert len(fault.value.faults) == 2 and isinstance(fault.value, (ValueError, OSError))
    assert any("bodies[1].shape.radius: expected a number > 0, found -1" in line for line in fault.value.faults)
    for wrong in ('{"step": ', '{"step": 1, "step": 2}'):
        with pytest.raises(locdyn.FileError):
            locdyn.Scene(wrong)
    with pytest.raises(locdyn.FileError, match="no/scene.json"):
        locdyn.Scene("no/scene.json")
    with pytest.raises(TypeError, match="scene: expected numbers, texts, lists and dicts, found set"):
        locdyn.Scene({"step": {1}})
    for wrong in ({"time": -1.0}, {"time": float("nan")}, {"every": -1}):
        with pytest.raises(ValueError):
            falling().run(**wrong)
    with pytest.raises(TypeError, match="stepping"):
        falling().run(solvr="auto")


def test_runs_go_on_and_copies_are_equal():
    whole = falling(0.2).run()
    half = falling(0.2).run(0.05)
    rest = pickle.loads(pickle.dumps(falling(0.2))).run(start=pickle.loads(pickle.dumps(half.state)))
    assert (rest.positions[-1] == whole.positions[-1]).all()
    twin = copy.deepcopy(falling(0.2))
    assert (twin.run().positions == whole.positions).all()


def test_rollouts_have_the_bits_of_each_alone():
    scenes = [falling(0.1 + 0.05 * i) for i in range(5)]
    alone = [scene.run() for scene in scenes]
    for threads in (1, 2, 3):
        for one, other in zip(alone, locdyn.rollout(scenes, threads=threads)):
            assert (one.positions == other.positions).all() and (one.steps["residual"] == other.steps["residual"]).all()
    starts = [run.state for run in (falling(0.3).run(0.02), falling(0.3).run(0.04))]
    both = locdyn.rollout(falling(0.3), starts=starts, threads=2)
    end = falling(0.3).run().positions[-1]
    assert all((run.positions[-1] == end).all() for run in both)
    with pytest.raises(ValueError, match="starts: expected one for each scene, 5, found 2"):
        locdyn.rollout(scenes, starts=starts)
    with pytest.raises(ValueError, match="threads: expected at least 1, found 0"):
        locdyn.rollout(scenes, threads=0)
    with pytest.raises(TypeError, match=r"scenes\[1\]: expected a Scene, found dict"):
        locdyn.rollout([scenes[0], {}])
    assert locdyn.rollout([]) == []


def test_progress_and_its_faults():
    seen = []
    falling().run(0.01, progress=lambda report: seen.append(report.step))
    assert seen == list(range(1, 11))

    def stop(report):
        if report.step == 5:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough") as fault:
        falling().run(0.01, every=1, progress=stop)
    assert len(fault.value.run.times) == 6 and fault.value.run.state.step == 5


def test_a_disk_that_fills_loses_nothing_computed(tmp_path):
    script = tmp_path / "fill.py"
    script.write_text(
        "import sys, resource, signal, locdyn\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000000, 2000000))  # no file grows beyond\n"
        "try:\n"
        "    locdyn.Scene(sys.argv[1]).run(0.3, out=sys.argv[2], every=1)\n"
        "except locdyn.FileError as fault:\n"
        "    print(sys.argv[2] in str(fault), len(str(fault).splitlines()), len(fault.run.times) > 1)\n"
    )
    command = [sys.executable, script, os.path.join(SCENES, "dominoes.json"), tmp_path / "out"]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    assert told.stdout == "True 1 True\n" and len(locdyn.Trajectory(tmp_path / "out")) > 1


def test_a_run_that_cannot_go_on_keeps_what_it_has():
    scene = falling(0.1)
    scene.data["bodies"][1]["velocity"] = [5, 0, -5]
    scene.data["bodies"][1]["angular_velocity"] = [3, 2, 1]
    with pytest.raises(locdyn.StepFailure) as fault:
        scene.run(on_failure="stop", solver="nsgs", max_iterations=1, tolerance=1e-300)
    assert fault.value.report.failed and len(fault.value.run.times) >= 1


def test_a_stepper_of_a_scene_has_its_options():
    stepper = falling(0.1).stepper(tolerance=1e-10)
    assert stepper.run(0.005)[-1].residual <= 1e-10
    assert len(stepper.system) == 2 and stepper.system.find("ball") == stepper.system.bodies[1]


def test_trajectories_that_are_none(tmp_path):
    (tmp_path / "trajectory.h5").write_bytes(b"no")
    for path in (tmp_path, tmp_path / "none", tmp_path / "trajectory.h5"):
        with pytest.raises(locdyn.FileError, match="expected a trajectory"):
            locdyn.Trajectory(path)


def test_files_lie_in_the_folder_of_the_scene_or_where_one_asks_for_it(tmp_path):
    (tmp_path / "scene").mkdir()
    (tmp_path / "mesh.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    shape = {"type": "convex_hull", "file": "../mesh.obj"}
    data = {"step": 1e-3, "duration": 2e-3, "bodies": [{"density": 6, "shape": shape}]}
    with pytest.raises(locdyn.SceneError, match="expected a file in the folder of the scene .*files=\"anywhere\""):
        locdyn.Scene(data, tmp_path / "scene")
    scene = locdyn.Scene(data, tmp_path / "scene", files="anywhere")
    assert len(scene.build().bodies) == 1 and len(copy.copy(scene).run().times) == 1
    assert len(locdyn.rollout([scene], time=1e-3)) == 1
    with pytest.raises(ValueError, match='files: expected "own_folder" or "anywhere", found \'home\''):
        locdyn.Scene(data, tmp_path, files="home")


def test_written_read_and_written_a_scene_is_the_same(tmp_path):
    for name in sorted(os.listdir(SCENES)):
        if not name.endswith(".json"):
            continue
        first, second = tmp_path / "first.json", tmp_path / "second.json"
        locdyn.Scene(os.path.join(SCENES, name)).write(first)
        read = locdyn.Scene(first)
        read.write(second)
        assert first.read_bytes() == second.read_bytes() and read.data == locdyn.Scene(os.path.join(SCENES, name)).data


def test_a_scene_that_cannot_be_written_leaves_what_was_there(tmp_path):
    script = tmp_path / "fill.py"
    script.write_text(
        "import sys, resource, signal, locdyn\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "scene = locdyn.Scene(sys.argv[1])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "try:\n"
        "    scene.write(sys.argv[2])\n"
        "except locdyn.FileError as fault:\n"
        "    print(sys.argv[2] in str(fault), len(str(fault).splitlines()))\n"
    )
    out = tmp_path / "out.json"
    out.write_text("what was there")
    command = [sys.executable, script, os.path.join(SCENES, "dominoes.json"), out]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    assert told.stdout == "True 1\n" and out.read_text() == "what was there"
    assert sorted(os.listdir(tmp_path)) == ["fill.py", "out.json"]


def test_a_folder_that_cannot_be_made(tmp_path):
    with pytest.raises(locdyn.FileError):
        falling().run(0.01, out=tmp_path / "no" / "where")


LEG = """<mujoco><worldbody><body name="leg" pos="0 0 1"><joint name="hip" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.05" mass="1"/></body></worldbody>
<sensor><jointpos joint="hip"/></sensor></mujoco>"""


def test_a_robot_from_mjcf_goes_without_what_is_left_out(tmp_path):
    (tmp_path / "leg.xml").write_text(LEG)
    robot = {"name": "r", "mjcf": "leg.xml", "positions": {"hip": 0.3}}
    scene = {"step": 1e-3, "duration": 0.05, "robots": [robot]}
    with pytest.raises(locdyn.SceneError, match=r"leg.xml: line 3, <sensor>: expected what is taken of MJCF"):
        locdyn.Scene(scene, folder=tmp_path).run()
    robot["leave_out"] = True
    able = locdyn.Scene(scene, folder=tmp_path)
    assert [line.split(": ", 1)[1] for line in able.left_out()] == ["line 3, <sensor>"]
    run = able.run(every=50)
    assert run.names == ["r/leg"] and run.unsolved == 0
    x, _, z = run.positions[0, 0]
    assert (x, z) == pytest.approx((-0.2 * np.sin(0.3), 1 - 0.2 * np.cos(0.3)), abs=1e-12)


def test_a_byte_order_mark_is_no_fault(tmp_path):
    (tmp_path / "scene.json").write_text('{"step": 0.001, "duration": 0.01, "bodies": []}', encoding="utf-8-sig")
    assert locdyn.Scene(tmp_path / "scene.json").data["step"] == 0.001


def test_contacts_of_a_frame_in_which_nothing_touches(tmp_path):
    falling(0.105).run(time=0.05, out=tmp_path / "out", every=1)
    trajectory = locdyn.Trajectory(tmp_path / "out")
    assert trajectory.contacts(3)["force"].shape == (0, 3)
    assert trajectory.contacts(-1)["force"].shape == (1, 3)


def test_a_driven_point_goes_with_its_body():
    scene = falling(joints=[{"name": "drive", "type": "prescribed_velocity", "bodies": ["ball"], "point": [0, 0, 1],
                             "direction": [0, 0, 1], "velocity": {"times": [0, 1], "values": [0, 1]}}])
    stepper = scene.stepper()
    system = stepper.system
    stepper.step()
    system.remove(system.find("ball"))
    stepper.run(0.003)
    assert stepper.steps == 4
