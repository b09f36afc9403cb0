"""A study: the objects and what is known about them, from whatever the caller holds."""

from __future__ import annotations

import math
import os
from types import SimpleNamespace
from typing import Any, Iterable, Mapping, Sequence

import numpy as np

from . import _core, _tables
from ._kinds import kind_of
from ._tables import alike_of, fits, frame_kind, known, module_of, numbered, numbers, one_each, people_of, to_csv
from .errors import FormatError, InputTypeError, MemoryLimitError, NearerError, ParameterError, refuse

TRIALS = tuple(kind for kind, trials in _core.kinds() if trials)
# What is not in a file is laid out in fewer ways.
KINDS = tuple(kind for kind, _ in _core.kinds() if kind not in ("lower", "upper", "phylip", "map", "patristic"))


# What can be said of evidence as it becomes a study.
SAID = (
    "kind", "similarity", "nan_missing", "objects", "directed", "columns", "labels", "kernels", "features", "metadata",
    "comparisons", "pairs", "distances", "rows", "sorts", "classes", "taxonomy", "sample_weight", "participants", "measure",
)


def reading(**given: Any) -> SimpleNamespace:
    """How a table is to be read, with everything that is not said left to the reader."""
    said: dict = dict(kind=None, format=None, similarity=None, nan_missing=False, columns=[], objects=None, directed=False, classes=None, measure=None)
    known("reading a table", given, said)
    said.update({k: v for k, v in given.items() if v is not None})
    return SimpleNamespace(**said)


def roles(columns: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """`{"head": "stim"}` as the core takes it."""
    return [(str(role), str(column)) for role, column in (columns or {}).items()]


class Study:
    """The objects and whatever is known about them.

    Parts are joined by label, and none is converted before a method asks.

    Parameters
    ----------
    distances : array, DataFrame, condensed vector, scipy sparse matrix, networkx graph or list of ``(a, b, distance)``
        Distances between the objects. In a sparse matrix and in a graph only what is there is known.
    features : array or DataFrame, or a dict of them
        A row of numbers for each object.
    comparisons : array, DataFrame or list of tuples
        Triplets ``(head, near, far)`` or quadruplets ``(a, b, c, d)``; other trials by ``kind=``.
    pairs : DataFrame, list of ``(a, b, alike)``, or a tuple ``(pairs, alike)``
        Pairs that are alike or not.
    rows : DataFrame or ``(array, labels of the columns)``
        Distances from each object to some landmarks.
    sorts, classes, taxonomy : DataFrame, or text of a tree
        Free sorts, classes of objects, or a tree.
    metadata : DataFrame or dict of columns
        What else is known about the objects, to colour and group them by.
    labels : sequence, optional
        The labels of the rows, where the input has none; without them rows count from 0.
    objects : sequence or int, optional
        All objects of judgements, also those that nobody was asked about.
    kernels : str or list of str, optional
        Kernels over the tables of features, as ``"rbf:features"``.
    similarity : str, optional
        The numbers are similarities, and this turns them into distances: ``"1-s"``, ``"max-s"``, ``"sqrt(1-s)"``, ``"sqrt"``,
        ``"-log(s)"``, or any formula of ``s``; one of ``d``, as ``"log(1 + d)"``, turns distances into others.
    nan_missing : bool
        NaN marks a missing distance; else it is refused.
    sample_weight : array, optional
        How much each distance or answer counts, in the shape of what it is about: a square or a condensed vector for these, one
        for each stored distance of a sparse matrix, for each edge of a graph, for each row of a table. Of distances 0 is not known.
    participants : sequence, optional
        Who gave each answer.

    >>> import nearer
    >>> study = nearer.Study(comparisons=[("lemon", "lime", "apple"), ("apple", "pear", "lime")])
    >>> study.parts
    ['comparisons']
    >>> study.objects
    ['apple', 'lemon', 'lime', 'pear']
    """

    def __init__(
        self,
        *,
        distances: Any = None,
        features: Any = None,
        comparisons: Any = None,
        pairs: Any = None,
        rows: Any = None,
        sorts: Any = None,
        classes: Any = None,
        taxonomy: Any = None,
        metadata: Any = None,
        labels: Sequence | None = None,
        objects: Sequence | int | None = None,
        kind: str | None = None,
        kernels: str | Iterable[str] | None = None,
        similarity: str | None = None,
        nan_missing: bool = False,
        directed: bool = False,
        columns: Mapping[str, Any] | None = None,
        sample_weight: Any = None,
        participants: Any = None,
    ) -> None:
        self._core = _core.Study()
        self._names: dict[str, Any] = {}
        self.frame: str | None = None
        said = dict(similarity=similarity, nan_missing=nan_missing, directed=directed, columns=roles(columns))
        answered = dict(distances=distances, comparisons=comparisons, pairs=pairs)
        _of_one(answered, sample_weight=sample_weight, participants=participants)
        if distances is not None:
            self._distances(distances, labels, kind if comparisons is None else None, said, sample_weight, participants)
        if rows is not None:
            self._rows(rows, labels)
        if comparisons is not None:
            self._comparisons(comparisons, objects, kind, said, sample_weight, participants)
        if pairs is not None:
            self._pairs(pairs, objects, said, sample_weight, participants)
        for what, name in ((sorts, "sorts"), (classes, "classes")):
            if what is not None:
                self._table(what, name, objects, said, labels=labels)
        if taxonomy is not None:
            self._taxonomy(taxonomy, kind, said)
        if features is not None:
            several = features if isinstance(features, Mapping) and not frame_kind(features) else {"features": features}
            for name, table in several.items():
                self._features(name, table, labels if labels is not None else self._feature_labels(table, objects))
        if kernels is not None:
            self._core.kernels([kernels] if isinstance(kernels, str) else list(kernels))
        if metadata is not None:
            self._metadata(metadata)

    @classmethod
    def _of(cls, core: Any) -> "Study":
        study = cls()
        study._core = core
        return study

    @property
    def parts(self) -> list[str]:
        """The kinds of its parts."""
        return list(self._core.parts)

    @property
    def objects(self) -> list:
        """The objects, in the order of the map."""
        return [self._names.get(label, label) for label in self._core.objects]

    @property
    def notes(self) -> list[str]:
        """What was assumed about the input."""
        return list(self._core.notes)

    def __repr__(self) -> str:
        return f"<nearer.Study of {len(self._core.objects)} objects: {', '.join(self.parts) or 'nothing yet'}>"

    def _seen(self, names: Iterable | None, frame: str | None) -> list[str] | None:
        """Labels as text, each remembered as it was given."""
        self.frame = self.frame or frame
        if names is None:
            return None
        text = []
        for name in names:
            name = name.item() if isinstance(name, np.generic) else name
            label = name if isinstance(name, str) else str(name)
            if not isinstance(name, str):
                self._names[label] = name
            text.append(label)
        return text

    def _distances(self, given: Any, labels: Sequence | None, kind: str | None, said: dict, weights: Any, people: Any) -> None:
        graph = module_of(given) == "networkx" or (hasattr(given, "edges") and hasattr(given, "nodes"))
        sparse = module_of(given) == "scipy" and hasattr(given, "tocoo")
        if isinstance(given, (Study, str, os.PathLike)):
            return self._join(given, said, weights=weights, people=people)
        if not graph and not sparse:
            if frame_kind(given):
                frame = _tables.as_frame(given)
                names = [name for name, _ in _tables.columns_of(frame)]
                if kind == "long" or {"from", "to"} <= {n.lower() for n in names}:
                    return self._table(frame, "long", None, said, weights, people)
            elif isinstance(given, (list, tuple)) and given and np.ndim(given[0]) == 1 and len(given[0]) in (3, 4) and (kind == "long" or isinstance(given[0][0], str)):
                return self._long(given, weights, people)
            elif kind == "long":
                raise refuse("kind='long' of no table", "give a DataFrame with the columns from, to and value, or a list of (a, b, distance)", FormatError)
        if people is not None:
            raise refuse("participants= of a square of distances", "give a row for each measurement, as (a, b, distance)", ParameterError)
        if graph:
            return self._graph(given, weights)
        if sparse:
            return self._sparse(given, labels, weights)
        if kind == "condensed" or (not frame_kind(given) and np.ndim(given) == 1):
            values = one_each(given, None, "condensed distances", any_number=True)
            # As many as there are pairs, or the core says that there are not.
            names = labels if labels is not None else range(round((1 + math.sqrt(1 + 8 * len(values))) / 2))
            self._core.condensed(values, self._seen(names, None), one_each(weights, len(values), "sample_weight"))
            return None
        table = numbers(given, "distances", labels)
        if table.values.shape[0] != table.values.shape[1]:
            rows, columns = table.values.shape
            raise refuse(
                f"distances of {rows} x {columns}", "give a square of distances between all objects, features=, or rows= for distances to landmarks"
            )
        names = next((n for n in (table.labels, table.columns) if n is not None), range(len(table.values)))
        weighed = _triangle(weights, list(names))
        self._core.matrix(table.values, self._seen(names, table.frame), said["similarity"], said["nan_missing"], weighed)
        return None

    def _graph(self, graph: Any, weights: Any) -> None:
        names = list(graph.nodes)
        at = {n: k for k, n in enumerate(names)}
        edges = [(at[a], at[b], d.get("weight", d.get("distance", 1.0))) for a, b, d in graph.edges(data=True)]
        self._measured(names, edges, weights)

    def _sparse(self, matrix: Any, labels: Sequence | None, weights: Any) -> None:
        coo = matrix.tocoo()
        if coo.shape[0] != coo.shape[1]:
            raise refuse(f"a sparse matrix of {coo.shape[0]} x {coo.shape[1]}", "give a square one: distances between all objects")
        names = list(labels) if labels is not None else list(range(coo.shape[0]))
        ends = np.stack([coo.row, coo.col], axis=1).astype(np.int64)
        counts = np.ones(len(coo.data)) if weights is None else _of_stored(weights, coo)
        # Both triangles say the same thing once.
        once: dict = {}
        for a, b, v, w in zip(ends.min(axis=1).tolist(), ends.max(axis=1).tolist(), coo.data.tolist(), counts.tolist()):
            for what, here, there in zip(("distance", "weight"), once.setdefault((a, b), (v, w)), (v, w)):
                if not math.isclose(here, there, rel_tol=1e-6):
                    raise refuse(
                        f"the {what} between `{names[a]}` and `{names[b]}` is {here} in one triangle of the matrix and {there} in the other",
                        "give one of them, or their mean",
                    )
        kept = [(a, b, v, w) for (a, b), (v, w) in once.items() if a != b]
        self._measured(names, [row[:3] for row in kept], None if weights is None else [row[3] for row in kept])

    def _long(self, rows: Sequence, weights: Any, people: Any) -> None:
        names = list(dict.fromkeys(n for row in rows for n in row[:2]))
        at = {n: k for k, n in enumerate(names)}
        if len(rows[0]) == 4:
            if weights is not None:
                raise refuse("sample_weight= of rows that have a weight each", "say it once", ParameterError)
            weights = [row[3] for row in rows]
        self._measured(names, [(at[r[0]], at[r[1]], r[2]) for r in rows], weights, people)

    def _measured(self, names: list, edges: list, weights: Any = None, people: Any = None) -> None:
        ends = np.array([e[:2] for e in edges], dtype=np.int64).reshape(-1, 2)
        values = np.array([e[2] for e in edges], dtype=np.float64)
        who, of = people_of(people, len(edges))
        self._core.measured(self._seen(names, None), ends, values, one_each(weights, len(edges), "sample_weight"), who, of)

    def _rows(self, given: Any, labels: Sequence | None) -> None:
        to = None
        if isinstance(given, tuple) and len(given) == 2:
            given, to = given
        table = numbers(given, "rows", labels)
        to = to if to is not None else table.columns
        if to is None:
            raise refuse("rows of distances do not say to which objects", "give rows=(array, labels of the columns), or a DataFrame")
        names = table.labels if table.labels is not None else range(len(table.values))
        self._core.rows(table.values, self._seen(names, table.frame), self._seen(to, None))

    def _feature_labels(self, table: Any, objects: Any) -> Sequence | None:
        """Labels of features that have none, from the objects beside them."""
        if frame_kind(table):
            return None
        if objects is not None and not isinstance(objects, (int, np.integer)):
            return list(objects)
        known = self._core.objects
        if known and len(known) == len(table):
            return [self._names.get(label, label) for label in known]
        return None

    def _features(self, name: str, given: Any, labels: Sequence | None) -> None:
        table = numbers(given, name, labels)
        columns = table.columns or [f"x{k + 1}" for k in range(table.values.shape[1])]
        names = table.labels if table.labels is not None else range(len(table.values))
        self._core.features(name, table.values, self._seen(names, table.frame), [str(c) for c in columns])

    def _comparisons(self, given: Any, objects: Any, kind: str | None, said: dict, weights: Any, people: Any) -> None:
        if isinstance(given, (Study, str, os.PathLike)):
            return self._join(given, {**said, "kind": kind}, objects, weights, people)
        if frame_kind(given):
            return self._table(given, kind, objects, said, weights, people)
        items, names = numbered(given, objects)
        kind = kind or {3: "triplets", 4: "quadruplets"}.get(items.shape[1])
        if kind not in TRIALS:
            raise refuse(f"comparisons with {items.shape[1]} columns", f"say what was asked with kind=, one of {', '.join(TRIALS)}", FormatError)
        weights = one_each(weights, len(items), "sample_weight")
        who, of = people_of(people, len(items))
        # Of a choice one was taken; a ranking orders all that were shown.
        split = {"choices": 1, "ranks": items.shape[1] - 1}.get(kind, 0)
        self._core.trials(kind, self._seen(names, None), np.ascontiguousarray(items), split, weights, who, of)
        return None

    def _pairs(self, given: Any, objects: Any, said: dict, weights: Any, people: Any) -> None:
        if isinstance(given, (Study, str, os.PathLike)):
            return self._join(given, {**said, "kind": "pairs"}, objects, weights, people)
        if frame_kind(given):
            return self._table(given, "pairs", objects, said, weights, people)
        if isinstance(given, tuple) and len(given) == 2 and np.ndim(given[0]) == 2:
            rows, alike = given
            if len(rows) != len(alike):
                raise refuse(f"{len(rows)} pairs and {len(alike)} answers", "say of each pair whether it is alike")
        elif any(np.ndim(row) != 1 or len(row) != 3 for row in given) or not len(given):
            raise refuse("pairs that are no rows of three", "give rows of (a, b, alike), or a tuple (pairs, alike)", InputTypeError)
        else:
            rows, alike = [row[:2] for row in given], [row[2] for row in given]
        ends, names = numbered(rows, objects)
        if ends.shape[1] != 2:
            raise refuse(f"pairs with {ends.shape[1]} columns", "give two objects a row")
        weights = one_each(weights, len(ends), "sample_weight")
        who, of = people_of(people, len(ends))
        self._core.pairs(self._seen(names, None), np.ascontiguousarray(ends), alike_of(alike), not said["directed"], weights, who, of)
        return None

    def _table(
        self, given: Any, kind: str | None, objects: Any, said: dict, weights: Any = None, people: Any = None, labels: Sequence | None = None
    ) -> None:
        if isinstance(given, (Study, str, os.PathLike)):
            return self._join(given, {**said, "kind": kind}, objects)
        if isinstance(given, Mapping) and not frame_kind(given):
            columns = [("object", list(given)), ("class", list(given.values()))] if kind == "classes" else list(given.items())
        elif not frame_kind(given):
            columns = _tables.named(given, kind, labels)
        if not frame_kind(given) and kind in ("classes", "sorts") and columns:
            # A number that names an object comes back as one.
            self._seen(columns[0][1], None)
        if frame_kind(given):
            frame = _tables.as_frame(given)
            columns = _tables.columns_of(frame)
            self.frame = self.frame or frame_kind(frame)
            if kind == "sorts" and frame_kind(frame) == "pandas" and type(frame.index).__name__ != "RangeIndex":
                columns.insert(0, ("object", frame.index.to_numpy()))
        rows = len(columns[0][1]) if columns else 0
        for role, values in (("weight", one_each(weights, rows, "sample_weight")), ("participant", people)):
            if values is None:
                continue
            if any(str(name).lower() == role for name, _ in columns):
                raise refuse(f"a column `{role}` beside the same as an argument", "say it once", ParameterError)
            if len(values) != rows:
                raise refuse(f"{len(values)} {role}s for {rows} rows", "give one for each row")
            columns.append((role, values))
            said = {**said, "columns": [*said["columns"], (role, role)] if said["columns"] else []}
        names = None if objects is None or isinstance(objects, int) else self._seen(objects, None)
        self._core.table(f"{kind or 'table'}.csv", to_csv(columns), reading(kind=kind, objects=names, **said))
        return None

    def _taxonomy(self, given: Any, kind: str | None, said: dict) -> None:
        if isinstance(given, str):
            text, kind = given.encode(), kind or ("newick" if given.strip().endswith(";") else "paths")
            self._core.table("tree.nwk" if kind == "newick" else "tree.csv", text, reading(kind=kind, **said))
        else:
            self._table(given, kind or "taxonomy", None, said)

    def _metadata(self, given: Any) -> None:
        labels = None
        if isinstance(given, Mapping) and not frame_kind(given):
            columns = [(str(k), list(v)) for k, v in given.items()]
        else:
            frame = _tables.as_frame(given)
            columns = [(n, v.tolist()) for n, v in _tables.columns_of(frame)]
            if frame_kind(frame) == "pandas" and type(frame.index).__name__ != "RangeIndex":
                labels = [str(v) for v in frame.index]
            elif columns and columns[0][0].lower() in _tables.LABEL_NAMES | {"city"}:
                labels = [str(v) for v in columns.pop(0)[1]]
        labels = labels if labels is not None else list(self._core.objects)
        self._core.metadata(labels, [(n, [None if _tables._gap(v) else _tables._cell(v) for v in vs]) for n, vs in columns])

    def _join(self, other: Any, said: dict, objects: Any = None, weights: Any = None, people: Any = None) -> None:
        """What another study or a file knows, which has its own say on weights and people."""
        more = dict(sample_weight=weights, participants=people, objects=objects if isinstance(other, Study) else None)
        if isinstance(other, Study):
            more.update(said)
        beside = [name for name, value in more.items() if value is not None and value is not False and not (isinstance(value, list) and not value)]
        # Which part of it is meant is known without saying.
        beside = [name for name in beside if name != "kind" or said["kind"] not in other.parts] if isinstance(other, Study) else beside
        if beside:
            where = "a Study" if isinstance(other, Study) else "a file"
            raise refuse(f"{', '.join(beside)} beside {where}", "say it where the study is made, or in a column of the file", ParameterError)
        if not isinstance(other, Study):
            names = range(objects) if isinstance(objects, (int, np.integer)) else objects
            other = read(other, **{**said, "columns": dict(said["columns"]), "objects": names})
        self._core.join(other._core)
        self._names.update(other._names)


def _of_one(parts: dict, **said: Any) -> None:
    """Refuses what is said of answers where there are none, or where several parts could be meant."""
    given = [name for name, part in parts.items() if part is not None]
    for what, value in said.items():
        if value is not None and not given:
            raise refuse(f"{what}= without answers", f"it is said of {', '.join(parts)}; leave it out", ParameterError)
        if value is not None and len(given) > 1:
            raise refuse(
                f"{what}= beside {' and '.join(given)}", f"make a Study of each with its own, as {given[0]}=nearer.Study({given[0]}=…, {what}=…)", ParameterError
            )


def _triangle(weights: Any, names: list) -> np.ndarray | None:
    """The weights of a square of distances, row by row above its diagonal."""
    if weights is None:
        return None
    n = len(names)
    if not frame_kind(weights) and np.ndim(weights) < 2:
        return one_each(weights, n * (n - 1) // 2, "sample_weight")
    table = numbers(weights, "sample_weight")
    if table.values.shape != (n, n):
        rows, columns = table.values.shape
        raise refuse(f"a sample_weight of {rows} x {columns} for a square of {n} x {n}", "give a weight for each distance, as a square or condensed")
    for theirs in (table.labels, table.columns):
        if theirs is not None and list(map(str, theirs)) != list(map(str, names)) and theirs != list(range(n)):
            raise refuse("sample_weight has other labels than the distances", "give both in the same order", ParameterError)
    a, b = np.triu_indices(n, 1)
    there, back = table.values[a, b], table.values[b, a]
    apart = np.flatnonzero(~np.isclose(there, back, rtol=1e-6, atol=0, equal_nan=True))
    if len(apart):
        k = apart[0]
        raise refuse(
            f"the weight of `{names[a[k]]}` and `{names[b[k]]}` is {there[k]} in one triangle and {back[k]} in the other", "give one of them, or their mean"
        )
    return one_each(there, len(a), "sample_weight")


def _of_stored(weights: Any, coo: Any) -> np.ndarray:
    """The weights of what is stored in a sparse matrix: one for each, or a matrix of them."""
    if module_of(weights) == "scipy" and hasattr(weights, "tocsr"):
        square: Any = weights.tocsr()
    elif np.ndim(weights) == 2:
        square = numbers(weights, "sample_weight").values
    else:
        return one_each(weights, len(coo.data), "sample_weight")
    if square.shape != coo.shape:
        raise refuse(f"a sample_weight of {square.shape[0]} x {square.shape[1]} for a matrix of {coo.shape[0]} x {coo.shape[1]}", "give one of its shape")
    return one_each(np.asarray(square[coo.row, coo.col]).ravel(), len(coo.data), "sample_weight")


def study_of(evidence: Any, kind: str | None = None, **said: Any) -> Study:
    """A study from one thing that holds evidence; what cannot be told apart is refused with the choices."""
    known("a study", said, SAID)
    if isinstance(evidence, (str, os.PathLike)):
        return read(evidence, kind=kind, **said)
    if kind is not None and kind not in KINDS:
        raise refuse(f"kind={kind!r}", f"one of {', '.join(KINDS)}", FormatError)
    if isinstance(evidence, Study):
        beside = [*(["kind"] if kind is not None else []), *said]
        if beside:
            raise refuse(f"{', '.join(beside)} beside a Study", "say it when the study is made", ParameterError)
        return evidence
    fits(evidence)
    try:
        return _study_of(evidence, kind, **said)
    except MemoryError as e:
        if isinstance(e, NearerError):
            raise
        raise refuse(f"the evidence is {_tables.sizes(evidence)}, and there is no memory for a copy of it", "give a part of it", MemoryLimitError) from None


def _study_of(evidence: Any, kind: str | None, **said: Any) -> Study:
    if "measure" in said:
        return _measured(evidence, **said)
    kind = kind or kind_of(evidence, said)
    if kind in TRIALS or kind == "clicks":
        return Study(comparisons=evidence, kind=kind, **said)
    if kind in ("matrix", "condensed", "long"):
        return Study(distances=evidence, kind=kind, **said)
    if kind in ("taxonomy", "paths", "newick"):
        return Study(taxonomy=evidence, kind=kind, **said)
    part = {"table": "comparisons"}.get(kind, kind)
    return Study(**{part: evidence}, **said)


def _measured(evidence: Any, *, measure: str, labels: Sequence | None = None, **said: Any) -> Study:
    """Distances between the rows of a table by a named measure; words and gaps are for the measures that take them."""
    study = Study()
    if frame_kind(evidence):
        frame = _tables.as_frame(evidence)
        columns: list = _tables.columns_of(frame)
        study.frame = frame_kind(frame)
        if labels is None and study.frame == "pandas" and type(frame.index).__name__ != "RangeIndex":
            labels = list(frame.index)
    else:
        table = numbers(evidence, "the table", labels)
        columns = [(f"x{k + 1}", table.values[:, k]) for k in range(table.values.shape[1])]
        labels = labels if labels is not None else range(len(table.values))
    if labels is not None:
        columns.insert(0, ("label", study._seen(labels, None)))
    study._core.table("table.csv", to_csv(columns), reading(measure=measure, **said))
    return study


def read(
    *paths: Any,
    kind: str | None = None,
    format: str | None = None,
    similarity: str | None = None,
    nan_missing: bool = False,
    columns: Mapping[str, Any] | None = None,
    objects: Sequence | None = None,
    directed: bool = False,
    classes: str | None = None,
    kernels: str | Iterable[str] | None = None,
    labels: Sequence | None = None,
    measure: str | None = None,
) -> Study:
    """A study from files, as the command reads them: ``nearer.read("cities.csv")``.

    Files of one kind are taken together, files of several kinds are the parts of the study. What was assumed is in
    ``study.notes``.
    """
    if labels is not None:
        raise refuse("labels= of a file", "a file has its own: they are in its first column, or its rows count from 1", ParameterError)
    names = None if objects is None else [str(o) for o in objects]
    how = reading(kind=kind, format=format, similarity=similarity, nan_missing=nan_missing, columns=roles(columns), objects=names, directed=directed, classes=classes, measure=measure)
    specs = [] if kernels is None else [kernels] if isinstance(kernels, str) else list(kernels)
    return Study._of(_core.Study.read([os.fspath(p) for p in paths], how, specs))
