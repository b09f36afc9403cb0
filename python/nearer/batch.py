"""A model carried to where the rows are: one function of a batch, for Spark, Dask, Ray and polars alike.

Placing is a pure function of the model and a row: the result does not depend on how rows are cut into batches, nor on which engine
does it. A `Placer` is small, is pickled by its model file, and loads it once in each process.
"""

from __future__ import annotations

import os
from typing import Any, Sequence

import numpy as np

from . import _core, _tables
from ._fit import Fit
from ._run import ask
from ._tables import frame_kind
from .errors import InputTypeError, refuse


class Placer:
    """Places batches of rows on a map.

    Parameters
    ----------
    model : nearer.Fit, path of a model file, or a fitted estimator of nearer.sklearn
        The map. A map of distances between features needs the estimator: it knows the features of its landmarks.
    columns : list of str, or one name of a column of vectors
        The columns of numbers: features, or distances to the old objects.
    keep : list of str, optional
        The columns that pass through; all that are no numbers for placing, where nothing is said.
    output : str
        The new columns are ``{output}1``, ``{output}2`` …

    >>> import numpy as np, nearer
    >>> from nearer.batch import Placer
    >>> rows = np.random.default_rng(0).normal(size=(30, 4))
    >>> d = np.linalg.norm(rows[:, None] - rows[None], axis=-1)
    >>> place = Placer(nearer.embed(d, method="landmark-mds"), anchors=rows)
    >>> place.points(rows[:2] + 0.1).shape
    (2, 2)
    """

    def __init__(
        self,
        model: Any,
        *,
        columns: Sequence[str] | str | None = None,
        keep: Sequence[str] | None = None,
        output: str = "x",
        anchors: Any = None,
        n_jobs: int = 1,
        positional: bool = False,
    ) -> None:
        self.columns = columns if columns is None or isinstance(columns, str) else list(columns)
        self.keep, self.output, self.n_jobs = None if keep is None else list(keep), output, n_jobs
        estimator = model if hasattr(model, "fit_") else None
        # An estimator goes by the order of columns, a model file by their names.
        self.positional = positional or estimator is not None
        fit = model.fit_ if estimator is not None else model
        if isinstance(fit, (str, os.PathLike)):
            fit = Fit(_core.load(os.fspath(fit)))
        self._core = fit._core
        if estimator is not None and getattr(estimator, "_anchors", None) is not None:
            if estimator.metric != "euclidean":
                raise refuse(f"metric={estimator.metric!r}", "batches are placed by Euclidean distances; place rows of distances instead")
            anchors = estimator._anchors
        elif anchors is not None:
            table = _tables.numbers(anchors, "anchors")
            at = {label: k for k, label in enumerate(fit._core.labels)}
            anchors = table.values if len(table.values) == len(fit._core.anchors) else table.values[[at[a] for a in fit._core.anchors]]
        self._anchors = anchors
        self.dim = fit.points.shape[1]

    @property
    def names(self) -> list[str]:
        """The names of the new columns."""
        return [f"{self.output}{k + 1}" for k in range(self.dim)]

    def points(self, rows: np.ndarray) -> np.ndarray:
        """The points of rows of numbers; no rows give no points."""
        rows = np.ascontiguousarray(rows, dtype=np.float64)
        if len(rows) == 0:
            return np.empty((0, self.dim))
        run = ask(None, self.n_jobs)
        if self._core.places_by == "features":
            named = isinstance(self.columns, list) and not self.positional
            names = self.columns if named else [f"x{k + 1}" for k in range(rows.shape[1])]
            return self._core.place_features([(None, rows, None, names)], run)[1]
        if self._core.places_by == "judgements":
            raise refuse("this map places by judgements, not by rows of numbers", "use fit.place()")
        if self._anchors is not None:
            if rows.shape[1] != self._anchors.shape[1]:
                raise refuse(f"rows of {rows.shape[1]} features", f"the landmarks have {self._anchors.shape[1]}")
            return self._core.place_near(rows, self._anchors, list(self._core.anchors), run)
        names = self.columns if isinstance(self.columns, list) else list(self._core.anchors)
        return self._core.place_rows(rows, [f"\x01{k}" for k in range(len(rows))], names, run)[1]

    def __call__(self, batch: Any) -> Any:
        """A batch of pandas, polars, pyarrow or a dict of arrays, with the new columns beside those that are kept."""
        kind = frame_kind(batch)
        if isinstance(batch, dict):
            columns = [(name, np.asarray(v)) for name, v in batch.items()]
        elif kind in ("pandas", "polars", "pyarrow"):
            columns = _tables.columns_of(batch)
        else:
            raise refuse(f"a batch of {type(batch).__name__}", "give a DataFrame of pandas or polars, a pyarrow batch, or a dict of arrays", InputTypeError)
        points = self.points(self._numbers(columns))
        keep = self.kept([name for name, _ in columns])
        made = {name: np.ascontiguousarray(points[:, k]) for k, name in enumerate(self.names)}
        if kind == "pandas":
            return batch[keep].assign(**made)
        if kind == "polars":
            import polars

            return batch.select(keep).with_columns([polars.Series(name, v) for name, v in made.items()])
        if kind == "pyarrow":
            import pyarrow

            arrays = [batch.column(name) for name in keep] + [pyarrow.array(v) for v in made.values()]
            return type(batch).from_arrays(arrays, names=keep + self.names)
        return {**{name: batch[name] for name in keep}, **made}

    def kept(self, names: Sequence[str]) -> list[str]:
        """The columns that pass through."""
        if self.keep is not None:
            return self.keep
        used = {self.columns} if isinstance(self.columns, str) else set(self.columns or [])
        return [name for name in names if name not in used]

    def _numbers(self, columns: list[tuple[str, np.ndarray]]) -> np.ndarray:
        found = dict(columns)
        if isinstance(self.columns, str):
            values = found[self.columns]
            return np.stack(list(values)) if len(values) else np.empty((0, 0))
        names = self.columns if self.columns is not None else [n for n in found if n not in (self.keep or []) and found[n].dtype.kind in "fiu"]
        absent = [n for n in names if n not in found]
        if absent:
            raise refuse(f"the batch has no column `{absent[0]}`", f"it has {', '.join(list(found)[:8])}")
        return np.column_stack([found[n].astype(np.float64) for n in names]) if names else np.empty((0, 0))

    def __reduce__(self) -> tuple:
        state = dict(columns=self.columns, keep=self.keep, output=self.output, anchors=self._anchors, n_jobs=self.n_jobs, positional=self.positional)
        return _unpickled, (bytes(self._core.to_bytes()), state)


_LOADED: dict[bytes, Any] = {}


def _unpickled(model: bytes, state: dict) -> Placer:
    import hashlib

    key = hashlib.sha256(model).digest()
    if key not in _LOADED:
        _LOADED.clear()
        _LOADED[key] = Fit(_core.load_bytes(model))
    return Placer(_LOADED[key], **state)


def choice_loss(rows: np.ndarray, points: np.ndarray, *, link: str = "squared", lapse: float = 0.0, weights: Any = None) -> tuple[float, np.ndarray]:
    """`-Σ w ln (lapse/2 + (1 - lapse) P)` of triplets or quadruplets of numbered objects at a map, and its gradient.

    Sums over batches are sums over all: it is what a cluster adds up. The prior `precision Σ |y|²` is not in it.
    """
    weights = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    value, gradient = _core.Choices(np.ascontiguousarray(rows, dtype=np.int64), weights).loss(np.ascontiguousarray(points), link, lapse)
    return value, gradient.reshape(points.shape)
