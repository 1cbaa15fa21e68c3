"""Mechanisms: the joints of a system as rows on the velocities of its bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
import scipy.sparse as sparse  # type: ignore[import]

from locdyn import _locdyn
from locdyn._locdyn import System
from locdyn._simulation import Scene


@dataclass(frozen=True)
class Path:
    """A mechanism along its drive: values (p,) of the drive [rad or m], positions (p, n, 3) [m] and orientations
    (p, n, 4) of its bodies, velocities (p, k) of its coordinates; message is one line where the end was not reached."""

    values: NDArray[Any]
    positions: NDArray[Any]
    orientations: NDArray[Any]
    velocities: NDArray[Any]
    message: str


class Mechanism:
    """What joints leave of the motion of bodies: C(q, t) = 0, G u + d = 0, over the velocities u (k) of all bodies.

    source: a Scene (one with "kinematics" brings its drive) or a System, whose bodies it then moves. Rows are lengths;
    springs, limits and contacts are left out, by name in `left_out`. Raises SceneError, ValueError.
    """

    def __init__(self, source: Scene | System) -> None:
        if isinstance(source, System):
            self._held = _locdyn._Mechanism.of_system(source)
        elif isinstance(source, Scene):
            self._held = _locdyn._Mechanism.of_scene(source._source())
        else:
            raise TypeError(f"source: expected a Scene or a System, found {type(source).__name__}")

    @property
    def system(self) -> System:
        """Its bodies."""
        return self._held.system

    @property
    def coordinates(self) -> int:
        """k, velocities of all bodies: of a rigid one angular in the body, then linear in space."""
        return self._held.coordinates

    @property
    def row_names(self) -> list[str]:
        """What each row of G belongs to, the drive's last."""
        return self._held.row_names

    @property
    def left_out(self) -> list[str]:
        """Constraints that have no rows here."""
        return self._held.left_out

    @property
    def drive_value(self) -> float | None:
        """Where the drive is [rad or m]; None without one."""
        return self._held.drive_value

    @property
    def velocity(self) -> NDArray[Any]:
        """u (k): a copy; set it whole."""
        return self._held.velocity

    @velocity.setter
    def velocity(self, value: Any) -> None:
        self._held.velocity = value

    def close(self) -> float:
        """Moves the bodies to where the joints close, and returns what is left of C at most [m]. Raises ValueError naming the
        row where they do not."""
        return self._held.close()

    def constraint_matrix(self) -> sparse.csr_matrix:
        """G (m, k) where the bodies are."""
        value, row, column, rows, columns = self._held.constraint_matrix()
        return sparse.csr_matrix((value, (row, column)), shape=(rows, columns))

    def solve_velocities(self, rate: float | None = None) -> NDArray[Any]:
        """u (k) that meets all rows with the drive at `rate` [rad/s or m/s], given to the bodies; of motions that the rows
        leave free the least. Raises ValueError naming the row where they contradict each other."""
        return self._held.solve_velocities(rate)

    def accelerations(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Forward dynamics: (u̇ (k), reactions of the rows (m) [N]) under weight, forces and loads of the system."""
        acceleration, multipliers = self._held.accelerations()
        return acceleration, multipliers

    def static_reactions(self) -> tuple[NDArray[Any], NDArray[Any], bool]:
        """(reactions of the rows (m) [N], what each drive gives [N m or N], does it balance?) under weight, at rest."""
        reactions, drives, balanced = self._held.static_reactions()
        return reactions, drives, balanced

    def follow(self, start: float, end: float, step: float, rate: float = 1.0) -> Path:
        """Takes the drive from start to end [rad or m] on the branch on which it is, a point every `step`."""
        return Path(*self._held.follow(start, end, step, rate))

    def __repr__(self) -> str:
        return f"<locdyn.Mechanism {self.coordinates} coordinates, {len(self.row_names)} rows>"
