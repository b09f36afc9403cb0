"""What a thing holds, as a file of the same content would be recognised; what could be two things is refused with the choices."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import _core, _tables
from ._tables import frame_kind, module_of, numbers
from .errors import FormatError, InputTypeError, refuse


def kind_of(evidence: Any, said: dict) -> str:
    """What a thing holds, as a file of the same content would be recognised."""
    if hasattr(evidence, "nodes") and hasattr(evidence, "edges"):
        return "matrix"
    if module_of(evidence) == "scipy" and hasattr(evidence, "tocoo"):
        return "matrix"
    if isinstance(evidence, (list, tuple)) and evidence and isinstance(evidence[0], (list, tuple)):
        return _of_tuples(evidence)
    if frame_kind(evidence):
        frame = _tables.as_frame(evidence)
        if _core.is_known_header([str(n) for n, _ in _tables.columns_of(frame)]):
            return "table"
        table = numbers(frame, "the table", said.get("labels"))
        square = table.values.shape[0] == table.values.shape[1]
        labelled = table.labels is not None and [str(n) for n in table.labels] == [str(n) for n in table.columns or []]
        return "matrix" if square and (labelled or _is_square(table.values)) else "features"
    try:
        values = np.asarray(evidence)
    except ValueError:
        values = np.empty(0, dtype=object)
    if values.ndim == 0 or values.dtype.kind not in "fiubOU":
        raise refuse(
            f"a {type(evidence).__name__} holds no evidence that is known",
            "give an array, a DataFrame, a graph, a list of tuples, a file or a Study",
            InputTypeError,
        )
    if values.ndim == 1:
        return "condensed"
    if values.shape[0] == values.shape[1] and (said.get("similarity") or _is_square(values)):
        return "matrix"
    if values.dtype.kind in "iuOU" and values.ndim == 2 and values.shape[1] in (3, 4):
        raise refuse(
            f"an array of {values.shape[0]} x {values.shape[1]} {values.dtype}s could be judgements or features",
            'say kind="triplets", kind="quadruplets", kind="odd-one-out" or kind="features"',
            FormatError,
        )
    return "features"


def _of_tuples(rows: Sequence) -> str:
    last = rows[0][-1]
    if len(rows[0]) == 3 and isinstance(last, (bool, np.bool_)):
        return "pairs"
    if len(rows[0]) in (3, 4) and isinstance(rows[0][0], str) and isinstance(last, (int, float, np.number)):
        return "long"
    if isinstance(rows[0][0], str):
        raise refuse(
            f"tuples of {len(rows[0])} labels could be several kinds of judgements",
            'say kind="triplets" (head, near, far), kind="quadruplets", kind="odd-one-out" or kind="ranks"',
            FormatError,
        )
    return kind_of(np.asarray(rows), {})


def _is_square(values: np.ndarray) -> bool:
    """Whether a square looks like distances: numbers, the same both ways round."""
    if values.shape[0] != values.shape[1] or values.dtype.kind not in "fiub" or values.shape[0] < 2:
        return False
    with np.errstate(invalid="ignore"):
        return bool(np.allclose(values, values.T, equal_nan=True, rtol=1e-6, atol=0))
