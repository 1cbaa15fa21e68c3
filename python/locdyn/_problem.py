"""Contact problems U = b + W R as matrices, as files, and solved."""

from __future__ import annotations

import math
import os
from typing import Any, Iterable

import numpy as np
from numpy.typing import NDArray
import scipy.sparse as sparse  # type: ignore[import]

from locdyn import _locdyn
from locdyn._locdyn import Residual, SolveReport

_LAST_TO_FIRST = np.array([2, 0, 1])  # rows (n, t1, t2) taken from (t1, t2, n)
_FIRST_TO_LAST = np.array([1, 2, 0])


def _check_order(order: str) -> str:
    if order not in ("normal-last", "normal-first"):
        raise ValueError(f"order: expected normal-last or normal-first, found {order}")
    return order


def _permutation(rows: int, triple: NDArray[Any]) -> NDArray[Any]:
    """Places of the rows of all contacts, three each, in another order of the three."""
    places: NDArray[Any] = (3 * np.arange(rows)[:, None] + triple[None, :]).ravel()
    return places


def _as_ints(values: NDArray[Any], what: str) -> NDArray[Any]:
    """As C's int, or a fault: a wider number would become another one."""
    wide = values[(values < 0) | (values > np.iinfo(np.intc).max)]
    if wide.size:
        raise ValueError(f"{what}: expected 0 … {np.iinfo(np.intc).max}, found {wide[0]}")
    return values.astype(np.intc)


def _as_square(W: Any) -> Any:
    if not sparse.issparse(W):
        array = np.asarray(W)
        if array.dtype.kind not in "fiub":
            raise ValueError(f"W: expected real numbers, found an array of {array.dtype}")
        W = sparse.csr_matrix(np.atleast_2d(array))
    if W.dtype.kind not in "fiub":
        raise ValueError(f"W: expected real numbers, found a matrix of {W.dtype}")
    if W.shape[0] != W.shape[1] or W.shape[0] % 3 != 0:
        raise ValueError(f"W: expected a square matrix of three rows a contact, found the shape {W.shape}")
    return W


class Problem:
    """A contact problem: U = b + W R with the law of each constraint, K ∋ R ⟂ U + μ‖U_t‖ n in the dual of K.

    W (3n, 3n) of n contacts, any scipy.sparse matrix or dense array, copied; it may be singular, and unsymmetric by
    rounding or more. b (3n) or (n, 3), the free velocities. friction, μ ≥ 0 of each contact (n) or one number for all.
    order says how the three rows of a contact are meant: "normal-last", (t1, t2, n), which is what this package gives
    back everywhere, or "normal-first", (n, t1, t2), as Siconos and FCLIB files have it.

    Raises ValueError where sizes do not fit, a number is not finite or μ < 0.
    """

    def __init__(self, W: Any, b: Any, friction: Any, order: str = "normal-last") -> None:
        _check_order(order)
        W = _as_square(W)
        rows = W.shape[0]
        loads = np.asarray(b)
        if loads.ndim == 2 and loads.shape == (rows // 3, 3):
            loads = loads.ravel()
        if loads.shape != (rows,):
            raise ValueError(f"b: expected the shape ({rows},) or ({rows // 3}, 3), found {loads.shape}")
        if order == "normal-first":
            places = _permutation(rows // 3, _FIRST_TO_LAST)
            W, loads = W.tocsr()[places][:, places], loads[places]
        if sparse.isspmatrix_bsr(W) and W.blocksize == (3, 3):
            make, values = _locdyn._Problem.from_bsr, np.ascontiguousarray(W.data, dtype=float).ravel()
        else:
            W = W.tocsr()
            make, values = _locdyn._Problem.from_csr, np.ascontiguousarray(W.data, dtype=float)
        pointers, columns = _as_ints(W.indptr, "row pointers of W"), _as_ints(W.indices, "columns of W")
        self._graph = make(pointers, columns, values, loads, friction)

    @classmethod
    def _of(cls, graph: Any) -> "Problem":
        problem = cls.__new__(cls)
        problem._graph = graph
        return problem

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> "Problem":
        """An FCLIB file, local or global (which is condensed to its contacts). Raises FileError."""
        return cls._of(_locdyn._Problem.read(os.fspath(path)))

    def write(self, path: str | os.PathLike[str], solution: bool = True) -> None:
        """As an FCLIB file of the kind that was read, with R as its solution. Raises FileError."""
        self._graph.write(os.fspath(path), solution)

    def write_matrix_market(self, path: str | os.PathLike[str]) -> None:
        """W as a MatrixMarket file, normal last. Raises FileError."""
        self._graph.write_matrix_market(os.fspath(path))

    # --- what it holds ------------------------------------------------------------------------------------------------

    @property
    def R(self) -> NDArray[Any]:
        """Reactions (n, 3), (t1, t2, n) [N]: a copy. Set it for a warm start; a solve leaves its best iterate."""
        return self._graph.R

    @R.setter
    def R(self, value: Any) -> None:
        self._graph.R = value

    @property
    def U(self) -> NDArray[Any]:
        """Relative velocities b + W R (n, 3) [m/s], as the last solve or residual left them: a copy."""
        return self._graph.U

    @property
    def b(self) -> NDArray[Any]:
        """Free velocities, with the shift of each law (n, 3) [m/s]: a copy."""
        return self._graph.b

    @property
    def friction(self) -> NDArray[Any]:
        """μ of each constraint (m,): a copy; NaN where it is bilateral."""
        return self._graph.friction

    @property
    def laws(self) -> list[str]:
        """What each constraint follows, in words."""
        return self._graph.laws

    @property
    def title(self) -> str:
        """Of the file that it was read from; else empty."""
        return self._graph.title.decode("utf-8", "replace")

    def __len__(self) -> int:
        """Constraints; each has one row of three, or two where it has moments."""
        return self._graph.constraints

    def to_bsr(self, order: str = "normal-last") -> sparse.bsr_matrix:
        """W (3n, 3n) in blocks of 3 by 3: a copy. Rows that a law does not use hold zeros."""
        _check_order(order)
        pointers, columns, values = self._graph.blocks()
        if order == "normal-first":
            values = values[:, _LAST_TO_FIRST][:, :, _LAST_TO_FIRST]
        size = 3 * self._graph.rows
        return sparse.bsr_matrix((values, columns, pointers), shape=(size, size))

    def to_csr(self, order: str = "normal-last") -> sparse.csr_matrix:
        """W (3n, 3n) by rows: a copy without the zeros of its blocks."""
        W = self.to_bsr(order).tocsr()
        W.eliminate_zeros()
        return W

    # --- work ---------------------------------------------------------------------------------------------------------

    def solve(
        self,
        solver: str = "auto",
        *,
        tolerance: float = 1e-8,
        measure: str = "scaled",
        max_seconds: float = math.inf,
        max_iterations: int = 1_000_000,
        threads: int = 1,
        facets: int = 8,
        without: Iterable[str] = (),
    ) -> SolveReport:
        """Solves from R as it stands and leaves the best iterate in R, whatever the status says.

        solver is a name of `locdyn.solvers()`; measure "scaled", "relative" or "absolute"; facets those of a pyramid;
        without stages that auto leaves out. Ctrl-C raises KeyboardInterrupt at the next residual: R then holds the best
        iterate found. Other threads of Python run meanwhile. The bits of the result do not depend on threads. Raises
        ValueError for options out of range and problems without meaning.
        """
        return self._graph.solve(
            solver, tolerance, measure, max_seconds, max_iterations, threads, facets, list(without)
        )

    def residual(self, threads: int = 1) -> Residual:
        """What the one judge says of R; leaves U = b + W R. Cost: one product W R."""
        return self._graph.residual(threads)

    def copy(self) -> "Problem":
        """Another one with the same numbers."""
        return Problem._of(self._graph.copy())

    def __copy__(self) -> "Problem":
        return self.copy()

    def __deepcopy__(self, memo: Any) -> "Problem":
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        return {"graph": self._graph}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._graph = state["graph"]

    def __repr__(self) -> str:
        return f"<locdyn.Problem {len(self)} constraints, {self._graph.blocks_off_diagonal} blocks>"


def solve(W: Any, b: Any, friction: Any, *, order: str = "normal-last", R: Any = None, **options: Any) -> tuple[NDArray[Any], SolveReport]:
    """(R, report) of one problem: R (n, 3) in the order of rows that was asked for, from R (n, 3) or from 0.

    Options are those of `Problem.solve`.
    """
    problem = Problem(W, b, friction, order)
    first = order == "normal-first"
    if R is not None:
        start = np.asarray(R)
        if start.shape != (len(problem), 3):
            raise ValueError(f"R: expected the shape ({len(problem)}, 3), found {start.shape}")
        problem.R = start[:, _FIRST_TO_LAST] if first else start
    report = problem.solve(**options)
    return (problem.R[:, _LAST_TO_FIRST] if first else problem.R), report


def residual(W: Any, b: Any, friction: Any, R: Any, *, order: str = "normal-last") -> Residual:
    """What the one judge says of R (n, 3) for a problem in matrices, rows in the same order."""
    problem = Problem(W, b, friction, order)
    given = np.asarray(R)
    if given.shape != (len(problem), 3):
        raise ValueError(f"R: expected the shape ({len(problem)}, 3), found {given.shape}")
    problem.R = given[:, _FIRST_TO_LAST] if order == "normal-first" else given
    return problem.residual()
