"""Trajectories read back from the folder that a run has left."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locdyn._locdyn import FileError


class Trajectory:
    """The frames of a run, from its folder or its trajectory.h5 (needs h5py).

    times (F,) [s], steps (F,); names and kinds (N); mass (N) [kg]; positions (F, N, 3) [m], orientations (F, N, 4),
    velocities (F, N, 3) [m/s], angular_velocities (F, N, 3) [rad/s], in space. Raises FileError for what is no
    trajectory; of one that was cut short the whole frames are read.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        if os.path.isdir(self.path):
            self.path = os.path.join(self.path, "trajectory.h5")
        try:
            import h5py  # type: ignore[import]
        except ImportError:
            raise ImportError("Trajectory: expected h5py (Debian: python3-h5py), found none") from None
        try:
            with h5py.File(self.path, "r") as file:
                self._read(file)
        except (OSError, KeyError) as fault:
            raise FileError(f"{self.path}: expected a trajectory, found {_cause(fault)}") from None

    def _read(self, file: Any) -> None:
        bodies = file["bodies"]
        self.positions: NDArray[Any] = bodies["position"][:]
        self.orientations: NDArray[Any] = bodies["orientation"][:]
        self.velocities: NDArray[Any] = bodies["velocity"][:]
        self.angular_velocities: NDArray[Any] = bodies["angular_velocity"][:]
        count = min(len(a) for a in (file["time"], self.positions, self.orientations, self.velocities, self.angular_velocities))
        self.times: NDArray[Any] = file["time"][:count]
        self.steps: NDArray[Any] = file["step"][:count]
        for name in ("positions", "orientations", "velocities", "angular_velocities"):
            setattr(self, name, getattr(self, name)[:count])
        self.names = [_text(name) for name in bodies["name"][:]]
        self.kinds = [_text(kind) for kind in bodies["kind"][:]]
        self.mass: NDArray[Any] = bodies["mass"][:]
        self._contact_frames = [_text(key) for key in file["contacts/point"]] if "contacts/point" in file else []

    def __len__(self) -> int:
        """Frames."""
        return len(self.times)

    def contacts(self, frame: int) -> dict[str, NDArray[Any]]:
        """Contacts of a frame: a dict of arrays with one row a contact: point (c, 3) [m], normal, force (c, 3) [N] in
        space on the slave, gap (c,) [m], and what else the file holds. Raises IndexError for no such frame."""
        import h5py

        if not -len(self) <= frame < len(self):
            raise IndexError(f"frame: expected one below {len(self)}, found {frame}")
        key = f"{frame % len(self):06d}"
        with h5py.File(self.path, "r") as file:
            group = file["contacts"]
            frames = {name: group[name] for name in group if isinstance(group[name], h5py.Group) and len(group[name]) > 0}
            # Where nothing touches the file holds nothing: no rows, of what others have.
            return {name: of[key][:] if key in of else next(iter(of.values()))[:0] for name, of in frames.items()}

    def __repr__(self) -> str:
        return f"<locdyn.Trajectory {len(self)} frames of {len(self.names)} bodies>"


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _cause(fault: BaseException) -> str:
    return str(fault).strip("'\"").splitlines()[0]
