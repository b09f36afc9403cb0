"""A fit: the map, what places new objects on it, and how it came about."""

from __future__ import annotations

import functools
import html as _html
import json
import logging
import os
from typing import Any, Sequence

import numpy as np

from . import _core, _tables
from ._run import ask, watcher
from ._study import SAID, Study, study_of
from .errors import FormatError, KeywordError, ParameterError, missing, refuse

log = logging.getLogger("nearer")

# What the command does with answers and embed() and evaluate() do not, by the flag that does it.
OF_COMMAND = {"held_out": "--held-out rows", "dimensions": "--dimensions 1-4"}


def methods(name: str | None = None) -> Any:
    """The table of methods: a list of dicts, or one method by any of its names.

    >>> import nearer
    >>> nearer.methods("pcoa")["name"]
    'classical-mds'
    """
    table = json.loads(_core.methods())
    if name is None:
        return table
    found = _core.find(name)
    return next(m for m in table if m["name"] == found)


def settings_of(given: dict) -> list[tuple[str, str]]:
    """Parameters as the table types them: ``max_iter=5`` is ``max-iter 5``."""
    return [(name.replace("_", "-"), _typed(value)) for name, value in given.items()]


@functools.lru_cache(maxsize=None)
def _own(method: str) -> frozenset[str]:
    return frozenset(p["name"].replace("-", "_") for p in methods(method)["parameters"])


@functools.lru_cache(maxsize=None)
def _all_settings() -> tuple[str, ...]:
    return tuple(dict.fromkeys(p["name"].replace("-", "_") for m in methods() for p in m["parameters"]))


def _is_setting(method: str | None, name: str, value: Any, evidence: Any) -> bool:
    """Whether a word that also names evidence, as ``pairs=`` does, is meant for the method: beside a Study, or where it is a number."""
    meant = isinstance(evidence, Study) or isinstance(value, (int, float)) or (isinstance(value, str) and value in ("auto", "none"))
    return meant and method is not None and name in _own(method)


def _typed(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(value)


def embed(
    evidence: Any = None,
    *,
    method: str | None = None,
    dim: int | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    memory: int | None = None,
    progress: Any = None,
    on_interrupt: str = "raise",
    **settings: Any,
) -> "Fit":
    """A map from distances, judgements or features.

    Parameters
    ----------
    evidence : array, DataFrame, graph, list of tuples, path or Study
        What is known. What could be two things is refused with the choices; ``kind=`` says it.
    method : str, optional
        The method; ``nearer.methods()`` lists them. Without it the evidence decides, and ``fit.notes`` says why.
    dim : int, optional
        Dimensions of the map; 2 for most methods.
    random_state : int, RandomState or Generator, optional
        The seed; 0 where nothing is said. The same seed gives the same bits, on any number of threads, as in the command.
    n_jobs : int, optional
        Threads; all cores where nothing is said. No number changes the result.
    time_limit : float, optional
        End after so many seconds with the best so far.
    progress : bool or callable, optional
        A bar of tqdm (by itself on a terminal and in a notebook), or a function that is told each :class:`nearer.Step`.
    on_interrupt : "raise" or "return"
        Ctrl-C raises KeyboardInterrupt with the best map so far as its ``fit``, or gives that back.
    **settings
        Parameters of the method, and what is to be said of the evidence, as of :class:`nearer.Study`: ``kind=``, ``similarity=``,
        ``objects=``, ``features=`` …

    >>> import nearer
    >>> fit = nearer.embed(nearer.toy.cities(), method="classical-mds")
    >>> fit.map.shape
    (21, 2)
    """
    if on_interrupt not in ("raise", "return"):
        raise refuse(f"on_interrupt={on_interrupt!r}", 'give "raise" or "return"', ParameterError)
    _tables.known("embed()", settings, (*SAID, *_all_settings()))
    said = {k: settings.pop(k) for k in SAID if k in settings and not _is_setting(method, k, settings[k], evidence)}
    if evidence is None:
        study = Study(**said)
    elif isinstance(evidence, Study) and said:
        raise refuse(f"{', '.join(said)} beside a Study", "say it when the study is made", ParameterError)
    else:
        study = study_of(evidence, said.pop("kind", None), **said)
    if not study.parts:
        raise refuse("no evidence is given", "give distances, judgements or features", ParameterError)
    watch = watcher(progress)
    try:
        core, raised = _core.fit(
            study._core, method, settings_of({**({} if dim is None else {"dim": dim}), **settings}), ask(random_state, n_jobs, time_limit, memory), watch
        )
    finally:
        if hasattr(watch, "close"):
            watch.close()
    fit = None if core is None else Fit(core, study)
    if raised is not None and (on_interrupt == "raise" or fit is None):
        raised.fit = fit
        raise raised
    assert fit is not None
    for note in fit.notes:
        log.info(note)
    return fit


class Fit:
    """A map, and all that belongs to it. Made by :func:`nearer.embed` and :func:`nearer.load`."""

    def __init__(self, core: Any, study: Study | None = None, names: dict | None = None, frame: str | None = None) -> None:
        self._core = core
        self.study = study
        self._names = study._names if study is not None else (names or {})
        self._frame = study.frame if study is not None else frame
        self._report: dict | None = None

    @property
    def points(self) -> np.ndarray:
        """The coordinates as an array, a row for each object."""
        return self._core.points

    @property
    def labels(self) -> list:
        """The objects, in the order of the rows."""
        return [self._names.get(label, label) for label in self._core.labels]

    @property
    def map(self) -> Any:
        """The coordinates: a DataFrame where the input was one (labels in its index, or its first column), else an array."""
        return self._shaped(self.labels, self.points)

    def _shaped(self, labels: list, points: np.ndarray) -> Any:
        return _tables.framed(self._frame, labels, points)

    @property
    def report(self) -> dict:
        """How the fit went: the structure behind the command's ``--json``."""
        if self._report is None:
            self._report = json.loads(self._core.report)
        return self._report

    @property
    def certificate(self) -> dict | None:
        """What is proved about the solution, where the method is convex: primal, bound, gap …"""
        return self.report.get("certificate")

    @property
    def method(self) -> str:
        """The method."""
        return self.report["method"]

    @property
    def stress(self) -> float | None:
        """Stress-1, where the map was made of distances."""
        return self.report.get("stress1")

    @property
    def warnings(self) -> list[str]:
        """What a reader should know before believing the map."""
        return self.report.get("warnings", [])

    @property
    def notes(self) -> list[str]:
        """What was assumed and done on the way from the input to the map."""
        return list(self._core.notes)

    @property
    def seconds(self) -> float | None:
        """How long the fit took."""
        return self._core.seconds

    @property
    def places_by(self) -> str:
        """What new objects are placed by: ``distances``, ``judgements`` or ``features``."""
        return self._core.places_by

    @property
    def anchors(self) -> list | None:
        """The old objects that a new one is held against."""
        anchors = self._core.anchors
        return None if anchors is None else [self._names.get(label, label) for label in anchors]

    def __len__(self) -> int:
        return len(self._core.labels)

    def __repr__(self) -> str:
        return f"<nearer.Fit: {self._core.lines[0]}>" if self._core.lines else "<nearer.Fit>"

    def __str__(self) -> str:
        return "\n".join(self._core.lines)

    def place(self, new: Any, *, labels: Sequence | None = None, n_jobs: int | None = None, **said: Any) -> Any:
        """New objects onto the map; old points do not move, and each new one is placed by itself.

        By distances: a DataFrame with a column for each old object, or an array in the order of ``fit.anchors`` (or of all
        objects). By features: the columns that the map was made of. By judgements: comparisons or pairs about new and
        old objects; how sure each place is stands in the ``attrs`` of a pandas DataFrame, and in ``fit.placed``.
        """
        run = ask(None, n_jobs)
        if self.places_by != "judgements":
            _tables.known(f"place() on a map that places by {self.places_by}", said, ())
        else:
            study = study_of(new, said.pop("kind", None), **said)
            found, points, each = self._core.place_judged(study._core, run)
            keys = ("judgements", "broken", "ambiguous", "sureness")
            self.placed = {label: dict(zip(keys, one)) for label, one in zip(found, each)}
            names = {**self._names, **study._names}
            return _tables.framed(self._frame or study.frame, [names.get(label, label) for label in found], points)
        if isinstance(new, (str, os.PathLike)):
            new = _read_rows(new) if self.places_by == "distances" else new
        if self.places_by == "features":
            return self._place_features(new, labels, run)
        table = _tables.numbers(new, "rows of distances", labels)
        to = self._columns(table)
        names = table.labels if table.labels is not None else [f"new {k}" for k in range(len(table.values))]
        known = {str(n): n for n in names}
        found, points = self._core.place_rows(table.values, [str(n) for n in names], to, run)
        return _tables.framed(table.frame or self._frame, [known[label] for label in found], points)

    def _columns(self, table: Any) -> list[str]:
        if table.columns is not None:
            return [str(c) for c in table.columns]
        width, anchors = table.values.shape[1], self._core.anchors or []
        for names in (anchors, self._core.labels):
            if len(names) == width:
                return list(names)
        raise refuse(
            f"rows of {width} distances", f"give one for each of the {len(anchors)} old objects of fit.anchors, or a DataFrame with their labels as columns"
        )

    def _place_features(self, new: Any, labels: Sequence | None, run: Any) -> Any:
        several = new if isinstance(new, dict) else {None: new}
        tables, names, frame = [], None, None
        for name, given in several.items():
            table = _tables.numbers(given, name or "features", labels)
            columns = table.columns or [f"x{k + 1}" for k in range(table.values.shape[1])]
            names = table.labels or names or [f"new {k}" for k in range(len(table.values))]
            frame = frame or table.frame
            tables.append((name, table.values, [str(n) for n in names], [str(c) for c in columns]))
        known = {str(n): n for n in names or []}
        found, points = self._core.place_features(tables, run)
        return _tables.framed(frame or self._frame, [known.get(label, label) for label in found], points)

    def evaluate(self, evidence: Any = None, *, neighbours: int = 10, ordinal: bool = False, reference: int | None = None, n_jobs: int | None = None, random_state: Any = None, **said: Any) -> dict:
        """How good the map is, as ``nearer eval --json`` tells it: held against other evidence, or against what it was made of.

        ``reference`` is how often random and shuffled distances are mapped to hold the stress against; by itself only for small maps, 0 never.
        """
        for name in OF_COMMAND.keys() & said.keys():
            raise refuse(
                f"evaluate() does not know {name}=",
                f"the command does: save the answers as a table, and `nearer eval map.nearer answers.csv {OF_COMMAND[name]}`",
                KeywordError,
            )
        _tables.known("evaluate()", said, SAID)
        study = None
        if evidence is not None:
            study = study_of(evidence, said.pop("kind", None), **said)._core
        elif said:
            study = Study(**said)._core
        return json.loads(self._core.evaluate(study, neighbours, ordinal, reference, ask(random_state, n_jobs)))

    def page(self, path: Any = None, *, title: str | None = None, colour_by: str | None = None, shape_by: str | None = None, reference: bool = True) -> str:
        """The page of the map, one file that opens offline: written to ``path``, or given back as text.

        ``reference`` holds the stress of a small map against that of random and shuffled distances, as ``nearer report`` does.
        """
        text = self._core.page(title, colour_by, shape_by, reference, ask())
        if path is None:
            return text
        if not os.fspath(path).lower().endswith((".html", ".htm")):
            raise refuse(f"{os.fspath(path)} is not a page", "name it .html", FormatError)
        self._core.write(os.fspath(path), text.encode())
        return os.fspath(path)

    def _repr_html_(self) -> str:
        page = _html.escape(self.page(reference=False), quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="900" style="border:0" sandbox="allow-scripts allow-downloads" title="map"></iframe>'

    def save(self, path: Any) -> None:
        """Writes the fit by the extension: model ``.nearer``, map ``.csv`` or ``.npy``, page ``.html``, report ``.json``, certificate ``.cert``."""
        path = os.fspath(path)
        kind = os.path.splitext(path)[1].lower()
        if kind == ".nearer":
            self._core.save(path)
        elif kind == ".cert":
            self._core.save_certificate(path)
        elif kind in (".html", ".htm"):
            self.page(path)
        elif kind == ".json":
            self._core.write(path, (json.dumps(self.report, indent=2) + "\n").encode())
        elif kind == ".csv":
            axes = [(f"x{k + 1}", self.points[:, k]) for k in range(self.points.shape[1])]
            self._core.write(path, _tables.to_csv([("label", self._core.labels), *axes]))
        elif kind == ".npy":
            import io

            out = io.BytesIO()
            np.save(out, self.points)
            self._core.write(path, out.getvalue())
        else:
            raise refuse(f"{path}: the extension does not say what to write", "use .nearer, .csv, .npy, .html, .json or .cert", FormatError)

    def plot(self, ax: Any = None, *, axes: tuple[int, int] = (0, 1), labels: bool | None = None, colour_by: Any = None, **style: Any) -> Any:
        """Draws the map with matplotlib: equal scales, no ticks; gives the axes back. ``colour_by`` is one value for each object."""
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise missing("matplotlib", "fit.plot()", "plot") from None
        ax = plt.gca() if ax is None else ax
        points = self.points
        if points.shape[1] == 1:
            points = np.column_stack([points, np.zeros(len(points))])
        if max(axes) >= points.shape[1]:
            raise refuse(f"axes={axes} of a map of {points.shape[1]} dimensions", "count from 0", ParameterError)
        x, y = points[:, axes[0]], points[:, axes[1]]
        try:
            _scattered(ax, x, y, colour_by, {"s": 14, **style})
        except AttributeError as e:
            # What matplotlib says of a keyword that it does not know.
            raise refuse(f"plot(): {e}", "give what matplotlib's scatter takes", KeywordError) from None
        if labels or (labels is None and len(self) <= 60):
            for label, a, b in zip(self.labels, x, y):
                ax.annotate(str(label), (a, b), xytext=(3, 3), textcoords="offset points", fontsize=8)
        ax.set_aspect("equal", adjustable="datalim")
        ax.set_xticks([])
        ax.set_yticks([])
        return ax

    def __reduce__(self) -> tuple:
        return _unpickled, (bytes(self._core.to_bytes()), self._names, self._frame)


def _scattered(ax: Any, x: np.ndarray, y: np.ndarray, colour_by: Any, style: dict) -> None:
    if colour_by is None:
        ax.scatter(x, y, **style)
        return
    values = np.asarray(colour_by)
    if values.dtype.kind in "fiu":
        ax.figure.colorbar(ax.scatter(x, y, c=values, **style), ax=ax)
        return
    for name in dict.fromkeys(values.tolist()):
        at = values == name
        ax.scatter(x[at], y[at], label=str(name), **style)
    ax.legend(frameon=False)


def _unpickled(model: bytes, names: dict, frame: str | None) -> Fit:
    return Fit(_core.load_bytes(model), names=names, frame=frame)


def _read_rows(path: Any) -> Any:
    raise refuse(f"{os.fspath(path)}: a file", "read it first, with pandas.read_csv(path, index_col=0)", ParameterError)


def load(path: Any) -> Fit:
    """A fit from a model file, as ``fit.save("map.nearer")`` or the command wrote it. No code runs when it is loaded."""
    return Fit(_core.load(os.fspath(path)))


def check(evidence: Any = None, *, kind: str | None = None, random_state: Any = None, n_jobs: int | None = None, **said: Any) -> Any:
    """What is in the evidence, what contradicts what, and what each method would cost; changes nothing.

    Gives a dict, or a list of them where a study has several parts, as ``nearer check --json`` tells it; ``lines`` is the same in words.
    """
    study = Study(kind=kind, **said) if evidence is None else study_of(evidence, kind, **said)
    told = json.loads(_core.check(study._core, ask(random_state, n_jobs)))
    return told[0] if len(told) == 1 else told


def verify(certificate: Any, evidence: Any, *, kind: str | None = None, **said: Any) -> dict:
    """Checks a certificate again, against the evidence and by an independent slow path: ``{"accepted": True, "lines": ["accepted: …"], …}``."""
    study = study_of(evidence, kind, **said)
    told, lines = _core.verify(os.fspath(certificate), study._core, ask())
    return {**json.loads(told), "lines": lines}
