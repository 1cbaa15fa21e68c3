"""Frictional contact between many bodies by sparse local dynamics, U = B + W R."""

from locdyn._locdyn import __version__

__all__ = ["__version__"]
