"""Small data to try things on; the same as the library's and the command's."""

from __future__ import annotations

from . import _core
from ._study import Study


def cities() -> Study:
    """Road kilometres between 21 European cities."""
    return Study._of(_core.Study.toy("cities"))


def answers(objects: int = 20, dim: int = 2, count: int = 2000, wrong: float = 0.1, seed: int = 1) -> Study:
    """Triplets about random points, some of them wrong."""
    return Study._of(_core.Study.toy("answers", objects, dim, count, wrong, seed))
