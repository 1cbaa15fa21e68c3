"""Frictional contact between many bodies by sparse local dynamics, U = B + W R.

Problems in matrices or files: `Problem`, `solve`, `residual`, `compare`. Simulations: `Scene`, `System`, `TimeStepper`,
`rollout`; `Trajectory` reads a run back. Units are SI; contact rows are (t1, t2, n) unless an `order` says otherwise.
"""

from locdyn._compare import Comparison, ComparisonRun, compare
from locdyn._locdyn import (
    BodyId,
    Box,
    BrokenJoint,
    Capsule,
    ColliderId,
    ConstraintId,
    ContactEvent,
    ContactEvents as _ContactEvents,
    ContactForce,
    ContactToSolve,
    ConvexHull,
    Cylinder,
    DifferentiableRun,
    DifferentiatedStep,
    DistanceFinder,
    FileError,
    ForceId,
    HeightField,
    Plane,
    RayCaster,
    Residual,
    SceneError,
    SolveReport,
    Sphere,
    StepFailure,
    StepperState,
    StepReport,
    System,
    Uniqueness,
    TriangleMesh,
    __version__,
    read_mesh,
    scene_schema,
    solvers,
)
from locdyn._mechanism import Mechanism, Path
from locdyn._problem import Problem, residual, solve
from locdyn._simulation import Run, Scene, TimeStepper, add_force, add_joint, rollout
from locdyn._trajectory import Trajectory
from locdyn._view import view


def contact_events(stepper: TimeStepper, *, impact_speed: float = 0.01, persisting: bool = False) -> _ContactEvents:
    """What begins and ends between the steps of a stepper: call `update()` after each for a list of ContactEvent.

    Contacts that close faster than impact_speed [m/s] are impacts; persisting tells of what goes on, too.
    """
    return _ContactEvents(stepper._stepper, impact_speed=impact_speed, persisting=persisting)



def differentiate_step(stepper: TimeStepper, margin: float = 1e-6) -> DifferentiatedStep:
    """Takes a step and gives it with its derivatives: `tangent` of changes, `adjoint` of derivatives of a number.

    What moves less than margin times the largest free velocity does not move. Raises ValueError for sleep, pyramids,
    forces that depend on velocities and what else has no derivative, RuntimeError where the step did not converge.
    """
    return DifferentiatedStep(stepper.system, stepper._stepper, margin)


def differentiate_run(stepper: TimeStepper, checkpoint_every: int = 0, margin: float = 1e-6) -> DifferentiableRun:
    """Steps from where the stepper is, which `adjoint` goes back through; every so many states are kept (0: as many as
    the square root of the steps).
    """
    return DifferentiableRun(stepper.system, stepper._stepper, checkpoint_every, margin)


__all__ = [
    "BodyId",
    "Box",
    "BrokenJoint",
    "Capsule",
    "ColliderId",
    "Comparison",
    "ComparisonRun",
    "ConstraintId",
    "ContactEvent",
    "ContactForce",
    "ContactToSolve",
    "ConvexHull",
    "Cylinder",
    "DifferentiableRun",
    "DifferentiatedStep",
    "DistanceFinder",
    "FileError",
    "ForceId",
    "HeightField",
    "Mechanism",
    "Path",
    "Plane",
    "Problem",
    "RayCaster",
    "Residual",
    "Run",
    "Scene",
    "SceneError",
    "SolveReport",
    "Sphere",
    "StepFailure",
    "StepReport",
    "StepperState",
    "System",
    "TimeStepper",
    "Trajectory",
    "TriangleMesh",
    "Uniqueness",
    "__version__",
    "add_force",
    "add_joint",
    "compare",
    "contact_events",
    "differentiate_run",
    "differentiate_step",
    "read_mesh",
    "residual",
    "rollout",
    "scene_schema",
    "solve",
    "solvers",
    "view",
]
