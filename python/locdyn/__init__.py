"""Frictional contact between many bodies by sparse local dynamics, U = B + W R.

Problems in matrices or files: `Problem`, `solve`, `residual`, `compare`. Simulations: `Scene`, `System`, `TimeStepper`,
`rollout`. Units are SI; contact rows are (t1, t2, n) unless an `order` says otherwise.
"""

from locdyn._compare import Comparison, Run, compare
from locdyn._locdyn import (
    FileError,
    Residual,
    SceneError,
    SolveReport,
    StepFailure,
    __version__,
    solvers,
)
from locdyn._problem import Problem, residual, solve

__all__ = [
    "Comparison",
    "FileError",
    "Problem",
    "Residual",
    "Run",
    "SceneError",
    "SolveReport",
    "StepFailure",
    "__version__",
    "compare",
    "residual",
    "solve",
    "solvers",
]
