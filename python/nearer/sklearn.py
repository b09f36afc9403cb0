"""Every method as an estimator of scikit-learn, made from the table of methods.

Methods of features and distances are transformers: ``MetricMDS().fit_transform(X)``, ``MetricMDS(metric="precomputed")``. Methods
of judgements take an array of tuples first, as in cblearn and metric-learn, so that cross-validation splits judgements:
``Choice(objects=names).fit(triplets).score(held_out)``.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np

from . import _core, _names
from ._fit import Fit, embed
from ._study import Study
from ._tables import alike_of
from .errors import InputTypeError, missing, refuse

try:
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise missing("scikit-learn>=1.6", "nearer.sklearn", "sklearn") from None


class _Estimator(BaseEstimator):
    """What all estimators share: parameters to settings, a fit, and its attributes."""

    _method: dict = {}

    def _settings(self) -> dict:
        own = {p["name"] for p in self._method["parameters"]}
        given = {n: v for n, v in self.get_params(deep=False).items() if n not in _names.TAKEN}
        named = {_names.setting(name): value for name, value in given.items()}
        return {name.replace("-", "_"): value for name, value in named.items() if name in own}

    def _embed(self, study: Study) -> Fit:
        fit = embed(
            study,
            method=self._method["name"],
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            time_limit=self.time_limit,
            progress=False,
            **self._settings(),
        )
        self.fit_ = fit
        self.embedding_ = fit.points
        self.n_iter_ = max(1, fit.report["iterations"])
        if fit.stress is not None:
            self.stress_ = fit.stress
        stop = fit.report["stop"]
        if stop in ("iteration-limit", "time-limit"):
            limit = "max_iter" if stop == "iteration-limit" and hasattr(self, "max_iter") else "time_limit"
            warnings.warn(f"{type(self).__name__} stopped at its {stop.replace('-', ' ')}; raise {limit}", ConvergenceWarning, stacklevel=3)
        return fit

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]


def _anchored(x: np.ndarray, y: np.ndarray, metric: Any) -> np.ndarray:
    """Distances between rows, exact to rounding."""
    from scipy.spatial.distance import cdist

    return cdist(x, y, metric=metric)


class _Table(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _Estimator):
    """Rows of features, or of distances."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = getattr(self, "metric", None) == "precomputed"
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _by_distances(self) -> bool:
        """Whether the method sees distances and not the features themselves."""
        metric = getattr(self, "metric", None)
        own = _names.takes(self._method, "features")
        return metric is not None and not (own and isinstance(metric, str) and metric == "euclidean")

    def fit(self, X: Any, y: Any = None) -> "_Table":
        """Fits the map of the rows."""
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        if self._by_distances():
            if self.metric == "precomputed":
                if X.shape[0] != X.shape[1]:
                    raise refuse(f'metric="precomputed" and X of {X.shape[0]} x {X.shape[1]}', "give a square of distances")
                square = X
            else:
                square = _anchored(X, X, self.metric)
                # A distance of an object to itself is 0, and a rounding error is none.
                square = (square + square.T) / 2
                np.fill_diagonal(square, 0.0)
            study = Study(distances=square)
        else:
            study = Study(features=X)
        fit = self._embed(study)
        self._remember(X, fit)
        return self

    def _remember(self, X: np.ndarray, fit: Fit) -> None:
        """What placing needs: the features of the old objects a new one is held against, and the rows that were there."""
        self._anchors = None
        self._rows = {}
        if fit.places_by == "features":
            return
        self._rows = {row.tobytes(): k for k, row in reversed(list(enumerate(X)))}
        if getattr(self, "metric", None) != "precomputed":
            at = {label: k for k, label in enumerate(fit._core.labels)}
            self._anchors = X[[at[label] for label in fit._core.anchors]]

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """The map of the rows."""
        return self.fit(X, y).embedding_

    def transform(self, X: Any) -> np.ndarray:
        """Places rows on the map, each by itself; a row of the training data has its own point."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        core = self.fit_._core
        from ._run import ask

        run = ask(None, self.n_jobs)
        if core.places_by == "features":
            names = [f"x{k + 1}" for k in range(X.shape[1])]
            return core.place_features([(None, X, None, names)], run)[1]
        points = np.empty((len(X), self._n_features_out))
        known = np.array([self._rows.get(row.tobytes(), -1) for row in X], dtype=np.intp)
        points[known >= 0] = self.embedding_[known[known >= 0]]
        new = np.ascontiguousarray(X[known < 0])
        if len(new):
            anchors = list(core.anchors)
            if self._anchors is None:
                points[known < 0] = core.place_rows(new, [f"\x01{k}" for k in range(len(new))], list(core.labels), run)[1]
            elif self.metric == "euclidean":
                points[known < 0] = core.place_near(new, self._anchors, anchors, run)
            else:
                rows = _anchored(new, self._anchors, self.metric)
                points[known < 0] = core.place_rows(rows, [f"\x01{k}" for k in range(len(new))], anchors, run)[1]
        return points


class _Classes(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _Estimator):
    """Rows of features with their classes in y: a metric under which those of one class are near."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def fit(self, X: Any, y: Any) -> "_Classes":
        """Learns from features and classes."""
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        from sklearn.utils.multiclass import check_classification_targets

        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise refuse(f"y has one class, {self.classes_[0]!r}", "give rows of two classes at least")
        study = Study(features=X, classes=[f"c{c}" for c in y])
        self._embed(study)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """The map of the rows."""
        return self.fit(X, y).transform(X)

    def transform(self, X: Any) -> np.ndarray:
        """The features under the metric."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        from ._run import ask

        names = [f"x{k + 1}" for k in range(X.shape[1])]
        return self.fit_._core.place_features([(None, X, None, names)], ask(None, self.n_jobs))[1]


def _of_features(self: Any) -> bool:
    return getattr(self, "fit_", None) is None or self.fit_.places_by == "features"


class _Tuples(_Estimator):
    """Rows of objects: triplets, quadruplets or pairs."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # A row names objects; it is no point in a space.
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.target_tags.required = not _names.takes(self._method, "comparisons")
        return tags

    def _rows_of(self, X: Any) -> tuple[np.ndarray, np.ndarray | None]:
        """Rows of labels, and the features that came with them where X has three dimensions."""
        X = np.asarray(X)
        if X.ndim == 3:
            shape = X.shape
            points, flat = np.unique(X.reshape(-1, shape[2]), axis=0, return_inverse=True)
            return flat.reshape(shape[:2]), points
        if X.ndim != 2 or X.shape[1] not in (2, 3, 4):
            raise refuse(
                f"X of shape {X.shape}", "give an array of pairs (n, 2), triplets (n, 3) or quadruplets (n, 4), or of their features (n, 3, d)", InputTypeError
            )
        return X, None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "_Tuples":
        """Fits the map of the objects to judgements; y says -1 where the far one was nearer, or a pair is not alike."""
        rows, points = self._rows_of(X)
        objects = self.objects
        features = self.features if points is None else points
        if objects is None and features is not None and rows.dtype.kind in "iu":
            objects = len(features)
        said = dict(objects=objects, sample_weight=sample_weight, kernels=self.kernels)
        if features is not None and _names.takes(self._method, "features", "kernels"):
            said["features"] = features
            names = range(objects) if isinstance(objects, (int, np.integer)) else objects
            said["labels"] = None if names is None else list(names)
        if rows.shape[1] == 2:
            if y is None:
                raise refuse("pairs without y", "say in y whether each pair is alike, 1 or -1")
            study = Study(pairs=(rows, y), **said)
        else:
            study = Study(comparisons=_turned(rows, y), **said)
        fit = self._embed(study)
        self.objects_ = np.asarray(fit.labels)
        self._at = {label: k for k, label in enumerate(fit.labels)}
        if rows.shape[1] == 2:
            self.threshold_ = _threshold(self.pair_distance(rows), alike_of(y), sample_weight)
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """The map of the objects, in the order of ``objects_``."""
        return self.fit(X, y, sample_weight).embedding_

    @available_if(_of_features)
    def transform(self, X: Any) -> np.ndarray:
        """Places objects by their features, where the map is a function of them."""
        check_is_fitted(self)
        X = np.ascontiguousarray(X, dtype=np.float64)
        from ._run import ask

        names = [f"x{k + 1}" for k in range(X.shape[1])]
        return self.fit_._core.place_features([(None, X, None, names)], ask(None, self.n_jobs))[1]

    def _points(self, column: np.ndarray) -> np.ndarray:
        found = [self._at.get(c, -1) for c in column.tolist()]
        if -1 in found:
            from .errors import UnknownLabelError

            label = column.tolist()[found.index(-1)]
            raise refuse(
                f"a row names {label!r}, which is not among the {len(self._at)} objects of the map", "give all objects with objects=", UnknownLabelError
            )
        return self.embedding_[found]

    def pair_distance(self, pairs: Any) -> np.ndarray:
        """The distance on the map of each pair."""
        check_is_fitted(self)
        pairs = np.asarray(pairs)
        return np.linalg.norm(self._points(pairs[:, 0]) - self._points(pairs[:, 1]), axis=1)

    def pair_score(self, pairs: Any) -> np.ndarray:
        """Minus the distance: the more alike, the larger."""
        return -self.pair_distance(pairs)

    def get_metric(self) -> Any:
        """A function that gives the distance of two objects."""
        return lambda a, b: float(self.pair_distance(np.array([[a, b]], dtype=object))[0])

    def decision_function(self, X: Any) -> np.ndarray:
        """How much farther the far pair is than the near one, or by how much a pair is within the threshold."""
        check_is_fitted(self)
        X, _ = self._rows_of(X)
        if X.shape[1] == 2:
            return self.threshold_ - self.pair_distance(X)
        near, far = (X[:, [0, 1]], X[:, [0, 2]]) if X.shape[1] == 3 else (X[:, [0, 1]], X[:, [2, 3]])
        return self.pair_distance(far) - self.pair_distance(near)

    def predict(self, X: Any) -> np.ndarray:
        """1 where the first is the nearer, or a pair is alike; else -1."""
        return np.where(self.decision_function(X) > 0, 1, -1)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The share of the judgements that hold on the map."""
        said = np.ones(len(X)) if y is None else np.where(alike_of(y), 1, -1)
        return float(np.average(self.predict(X) == said, weights=sample_weight))


def _turned(rows: np.ndarray, y: Any) -> np.ndarray:
    """Comparisons with the near one first, as y says."""
    if y is None:
        return rows
    rows, other = rows.copy(), ~alike_of(y)
    rows[other] = rows[other][:, [0, 2, 1] if rows.shape[1] == 3 else [2, 3, 0, 1]]
    return rows


def _threshold(distances: np.ndarray, alike: np.ndarray, weights: Any) -> float:
    """The distance that tells alike from not alike best on what it is given; the middle of the best gap."""
    order = np.argsort(distances, kind="stable")
    d, w = distances[order], np.ones(len(order)) if weights is None else np.asarray(weights, dtype=float)[order]
    right = np.concatenate([[0.0], np.cumsum(np.where(alike[order], w, -w))])
    k = int(np.argmax(right))
    if k == 0:
        return float(d[0]) / 2
    return float(d[k - 1]) * 1.5 if k == len(d) else float(d[k - 1] + d[k]) / 2


_FAMILIES = {"table": _Table, "classes": _Classes, "tuples": _Tuples}


def _made(method: dict) -> type:
    """The class of a method."""
    room: dict = {}
    exec(_names.init_source(method), room)  # noqa: S102 - the source is our own table's
    name = _names.class_name(method["name"])
    room["__init__"].__qualname__ = f"{name}.__init__"
    body = {"__init__": room["__init__"], "__doc__": _names.docstring(method), "__module__": __name__, "_method": method}
    return type(name, (_FAMILIES[_names.family(method)],), body)


__all__ = []
for _method in json.loads(_core.methods()):
    if _names.family(_method) is not None:
        _class = _made(_method)
        globals()[_class.__name__] = _class
        __all__.append(_class.__name__)
del _method, _class
__all__.append("all_estimators")


def all_estimators() -> list[type]:
    """Every estimator, in the order of the table."""
    return [globals()[name] for name in __all__ if name != "all_estimators"]
