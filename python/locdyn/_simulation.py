"""Systems, scenes and steps."""

from __future__ import annotations

import copy as _copy
import json
import os
from typing import Any, Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from locdyn import _locdyn
from locdyn._locdyn import (
    BodyId,
    ConstraintId,
    ContactForce,
    ForceId,
    SceneError,
    StepFailure,
    StepperState,
    StepReport,
    System,
    Uniqueness,
)


def _json_text(what: str, value: Mapping[str, Any]) -> str:
    def plain(item: Any) -> Any:
        if isinstance(item, np.ndarray):
            return item.tolist()
        if isinstance(item, np.generic):
            return item.item()
        if isinstance(item, os.PathLike):
            return os.fspath(item)
        raise TypeError(f"{what}: expected numbers, texts, lists and dicts, found {type(item).__name__}")

    return json.dumps(value, default=plain)


def _reason(fault: Exception) -> str:
    return getattr(fault, "strerror", None) or str(fault)


def add_joint(
    system: System, type: str, bodies: Iterable[BodyId | str], *, name: str = "", **keys: Any
) -> list[ConstraintId]:
    """Adds a joint where the bodies lie now, with the keys that a scene's "joints" have, and returns its constraints.

    bodies: one, held to space, or two, the first held to the second, by id or name; those without a name are refused.
    For example add_joint(system, "hinge", ["door"], point=[0, 0, 0], axis=[0, 0, 1]). Raises SceneError with all faults.
    """
    return system._add_joint(_json_text("joint", _described(system, type, bodies, name, keys)))


def add_force(system: System, type: str, bodies: Iterable[BodyId | str] = (), *, name: str = "", **keys: Any) -> ForceId:
    """Adds an applied force with the keys that a scene's "forces" have. Arguments and errors as of add_joint."""
    return system._add_force(_json_text("force", _described(system, type, bodies, name, keys)))


def _described(system: System, type: str, bodies: Iterable[Any], name: str, keys: dict[str, Any]) -> dict[str, Any]:
    def name_of(body: Any) -> str:
        found = body if isinstance(body, str) else system.name(body)
        if not found:
            raise ValueError(f"bodies: expected one with a name, found {body!r} without")
        return found

    described: dict[str, Any] = {"type": type, **keys}
    names = [name_of(body) for body in bodies]
    if names:
        described["bodies"] = names
    if name:
        described["name"] = name
    return described


class TimeStepper:
    """Moves a System step by step; the system is changed by it alone but for what is added and removed between steps.

    While a step runs nothing is added, removed or stepped again, whether a load, a drive or another thread asks for it:
    RuntimeError in one line.

    Options: step [s], solver, tolerance (scaled residual of each island), max_iterations, threads (no bit depends on
    them), velocity_tolerance [m/s], sweep_budget, least_norm, on_failure ("go_on", "stop", "halve"), correction ("none",
    "projection", "baumgarte"), slop [m], sleep, without. The system lives as long as the stepper. Raises ValueError for
    options out of range, TypeError for one that is none.
    """

    def __init__(self, system: System, **options: Any) -> None:
        self._system = system
        self._stepper = _locdyn._TimeStepper(system, **options)

    @classmethod
    def _of(cls, system: System, stepper: Any) -> "TimeStepper":
        self = cls.__new__(cls)
        self._system, self._stepper = system, stepper
        return self

    @property
    def system(self) -> System:
        """What it moves."""
        return self._system

    @property
    def time(self) -> float:
        """[s]"""
        return self._stepper.time

    @property
    def steps(self) -> int:
        """Done so far."""
        return self._stepper.steps

    def step(self) -> StepReport:
        """One step. Other threads of Python run meanwhile. After Ctrl-C the step comes to its end, then KeyboardInterrupt
        is raised; a second one ends its solve with the best reactions so far. Raises StepFailure under
        on_failure="stop", and what a load or drive raises: then everything is as before the step."""
        return self._stepper.step()

    def run(self, seconds: float, each: Callable[[StepReport], None] | None = None) -> list[StepReport]:
        """Steps until `seconds` more have passed; calls each(report) after every step. Raises ValueError for what is no
        finite time."""
        if not 0 <= seconds < float("inf"):
            raise ValueError(f"seconds: expected a finite number of at least 0, found {seconds}")
        end = self.time + seconds - 0.5 * self._stepper.h
        reports = []
        while self.time < end:
            reports.append(self.step())
            if each is not None:
                each(reports[-1])
        return reports

    @property
    def contacts(self) -> NDArray[Any]:
        """Contacts of the last step, open ones included, as a structured array: a copy.

        Fields: identity (the same as long as the contact lasts), master and slave (colliders), master_body, slave_body,
        point (3) [m], frame (3, 3) with rows t1, t2, n from master to slave, gap [m], reaction (3) [N], moment (3)
        [N m], velocity and velocity_before (3) [m/s] as (t1, t2, n), force (3) [N] in space on the slave, friction,
        state (0 open, 1 sticks, 2 slides).
        """
        return self._stepper.contacts()

    def force_on(self, *bodies: BodyId, of: Sequence[BodyId] | None = None) -> ContactForce:
        """What contacts do to these bodies together: those with the bodies `of`, or with all others."""
        return self._stepper.force_on(list(bodies), None if of is None else list(of))

    def forces_by_body(self) -> list[tuple[BodyId, BodyId, ContactForce]]:
        """(first, second, force on the second) of every pair of bodies with a contact, ascending."""
        return self._stepper.forces_by_body()

    def unique_force_on(self, *bodies: BodyId, of: Sequence[BodyId] | None = None) -> Uniqueness:
        """Which parts of `force_on` every solution of the last step has; the others are the solver's choice. Cost: one
        sparse factorisation."""
        return self._stepper.unique_force_on(list(bodies), None if of is None else list(of))

    def unique_contacts(self) -> list[Uniqueness]:
        """The same of each reaction, in the order of `contacts`."""
        return self._stepper.unique_contacts()

    def sleeps(self, body: BodyId) -> bool:
        """Does the body sleep?"""
        return self._stepper.sleeps(body)

    def state(self) -> StepperState:
        """All that the run needs to go on from here, bit for bit."""
        return self._stepper.state()

    def restore(self, state: StepperState) -> None:
        """Goes on from a state of a stepper on a system that was set up in the same way. Raises ValueError where it does
        not fit; then nothing has changed."""
        self._stepper.restore(state)


class Run:
    """What a run of a scene has left. Arrays are the run's own.

    times (F,) [s]; positions (F, N, 3) [m], orientations (F, N, 4), velocities (F, N, 3) [m/s] and angular_velocities
    (F, N, 3) [rad/s] in space, of N bodies called names; steps, a dict of one array (S,) each: time, contacts, islands,
    sleeping, iterations, residual, penetration, kinetic_energy, potential_energy, seconds; unsolved, how many steps did
    not converge, and warning, the line of the first; state, to go on from.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self.times: NDArray[Any] = data["times"]
        self.positions: NDArray[Any] = data["positions"]
        self.orientations: NDArray[Any] = data["orientations"]
        self.velocities: NDArray[Any] = data["velocities"]
        self.angular_velocities: NDArray[Any] = data["angular_velocities"]
        self.names: list[str] = data["names"]
        self.steps: dict[str, NDArray[Any]] = data["steps"]
        self.unsolved: int = data["unsolved"]
        self.warning: str = data["warning"]
        self.state: StepperState = data["state"]

    def __repr__(self) -> str:
        return f"<locdyn.Run {len(self.steps['time'])} steps, {len(self.times)} frames, {self.unsolved} unsolved>"


def _finished(data: dict[str, Any], interrupted: bool) -> Run:
    run = Run(data)
    if data["fault"]:
        try:
            data["fault"]()
        except BaseException as fault:
            fault.run = run  # type: ignore[attr-defined]
            raise
    if data["stopped"]:
        failure = StepFailure(data["stopped"])
        failure.report = data["failure"]
        failure.run = run  # type: ignore[attr-defined]
        raise failure
    if interrupted:
        stop = KeyboardInterrupt("Ctrl-C: what was computed is in the attribute run")
        stop.run = run  # type: ignore[attr-defined]
        raise stop
    return run


class Scene:
    """A scene as a dict with the keys of the manual (`locdyn.scene_schema()`), in `data`: read it, edit it, run it.

    source: a dict (copied), a path to a JSON file, or JSON text that starts with "{". What the scene names, meshes and
    robots, lies relative to `folder`, that of the file, and within it; files="anywhere" is for scenes that you trust to
    name what lies elsewhere. Raises SceneError (a ValueError) with all faults, FileError, ValueError.
    """

    def __init__(
        self,
        source: Mapping[str, Any] | str | os.PathLike[str],
        folder: str | os.PathLike[str] = ".",
        *,
        files: str = "own_folder",
    ) -> None:
        if files not in ("own_folder", "anywhere"):
            raise ValueError(f'files: expected "own_folder" or "anywhere", found {files!r}')
        self.data: dict[str, Any]
        self._files_anywhere = files == "anywhere"
        self._file = os.path.join(os.fspath(folder), "scene")
        if isinstance(source, Mapping):
            self.data = _copy.deepcopy(dict(source))
        elif isinstance(source, str) and source.lstrip().startswith("{"):
            _locdyn._check_scene(self._source(source))
            self.data = json.loads(source)
        else:
            self._file = os.fspath(source)
            try:
                with open(self._file, encoding="utf-8-sig") as file:  # a byte order mark is none of it
                    text = file.read()
            except (OSError, UnicodeDecodeError) as fault:
                raise _locdyn.FileError(f"{self._file}: expected a scene file, found {_reason(fault)}") from None
            _locdyn._check_scene(self._source(text))
            self.data = json.loads(text)
        self.check()

    def _text(self) -> str:
        return _json_text("scene", self.data)

    def _source(self, text: str | None = None) -> Any:
        return _locdyn._SceneSource(self._text() if text is None else text, self._file, self._files_anywhere)

    def check(self) -> None:
        """Raises SceneError with all faults of the data as they are now."""
        _locdyn._check_scene(self._source())

    def left_out(self) -> list[str]:
        """What robots with `leave_out` go without, one line each: "robot.xml: line 12, <tendon>". Reads their files.

        Raises SceneError with all that is refused.
        """
        return _locdyn._left_out(self._source())

    def write(self, path: str | os.PathLike[str]) -> None:
        """As a JSON file, which `locdyn simulate` takes. Raises FileError."""
        self.check()
        text = json.dumps(json.loads(self._text()), indent=2) + "\n"
        beside = f"{os.fspath(path)}.{os.getpid()}.part"
        try:  # whole, or what was there stays
            try:
                with open(beside, "x", encoding="utf-8") as file:
                    file.write(text)
                os.replace(beside, path)
            except BaseException:
                if os.path.exists(beside):
                    os.remove(beside)
                raise
        except OSError as fault:
            raise _locdyn.FileError(f"{os.fspath(path)}: expected a file that can be written, found {_reason(fault)}") from None

    def build(self) -> System:
        """Its bodies, joints, forces, loads and motions as a System."""
        return _locdyn._build_scene(self._source())

    def stepper(self, **options: Any) -> TimeStepper:
        """A stepper on a system of its own, with the scene's options; those given here come first."""
        system = self.build()
        return TimeStepper._of(system, _locdyn._scene_stepper(system, self._source(), **options))

    def run(
        self,
        time: float | None = None,
        *,
        out: str | os.PathLike[str] = "",
        every: int | None = None,
        start: StepperState | None = None,
        progress: Callable[[StepReport], None] | None = None,
        **options: Any,
    ) -> Run:
        """Runs it to the time (its own duration without) and gives back what happened.

        out: a folder for trajectory, energies and checkpoint, as `locdyn simulate -o` leaves them. every: steps from one
        frame to the next. start: a state of a stepper on this scene, or of a run. progress: called with each StepReport.
        options: those of TimeStepper in place of the scene's. The bits are those of the command line. Ctrl-C raises
        KeyboardInterrupt after the step, a second one ends the step's solve with the best reactions so far (it is
        unsolved then); a step that cannot be passed raises StepFailure, a disk that is full FileError, and what progress
        raises comes through; the attribute `run` of each is what was computed.
        """
        data, interrupted = _locdyn._run_scene(
            self._source(), time, every, os.fspath(out), start, progress, **options
        )
        return _finished(data, interrupted)

    def __copy__(self) -> "Scene":
        return _copy.deepcopy(self)

    def __repr__(self) -> str:
        return f"<locdyn.Scene {self.data.get('title', '') or 'untitled'!r}>"


def rollout(
    scenes: Scene | Sequence[Scene],
    *,
    starts: Sequence[StepperState | None] | None = None,
    threads: int = 1,
    time: float | None = None,
    every: int | None = None,
    **options: Any,
) -> list[Run]:
    """Runs many scenes, or one scene from many states, over threads; each run has the bits that it has alone.

    Arguments as of Scene.run. Raises TypeError for what is no Scene. Ctrl-C raises KeyboardInterrupt after the steps that
    are under way, with a list of what was computed in its attribute `runs`, a second one ends their solves; a step that
    cannot be passed raises StepFailure, likewise. Drives and loads of scenes are data, so that no thread waits.
    """
    if isinstance(scenes, Scene):
        scenes = [scenes] * (1 if starts is None else len(starts))
    scenes = list(scenes)
    for place, scene in enumerate(scenes):
        if not isinstance(scene, Scene):
            raise TypeError(f"scenes[{place}]: expected a Scene, found {type(scene).__name__}")
    begin: list[StepperState | None] = [None] * len(scenes) if starts is None else list(starts)
    if len(begin) != len(scenes):
        raise ValueError(f"starts: expected one for each scene, {len(scenes)}, found {len(begin)}")
    sources = [scene._source() for scene in scenes]
    all_data, interrupted = _locdyn._rollout(sources, begin, threads, time, every, **options)
    runs = [Run(data) for data in all_data]
    for place, data in enumerate(all_data):
        if data["stopped"]:
            failure = StepFailure(f"scene {place}: {data['stopped']}")
            failure.report, failure.runs = data["failure"], runs  # type: ignore[attr-defined]
            raise failure
    if interrupted:
        stop = KeyboardInterrupt("Ctrl-C: what was computed is in the attribute runs")
        stop.runs = runs  # type: ignore[attr-defined]
        raise stop
    return runs
