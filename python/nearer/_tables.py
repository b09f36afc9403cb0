"""Arrays, frames and graphs of every kind, as plain arrays with labels. Nothing is imported that the caller has not imported."""

from __future__ import annotations

import csv
import difflib
import io
import os
import sys
from dataclasses import dataclass
from typing import Any, Iterable, Sequence

import numpy as np

from .errors import FormatError, InputTypeError, KeywordError, MemoryLimitError, missing, refuse

# Columns that hold labels rather than numbers, as the readers of files know them.
LABEL_NAMES = {"label", "id", "name", "object", "sample", "sample-id", "sampleid", "item"}


@dataclass
class Table:
    """Numbers by row, with the labels of the rows and the names of the columns as far as they are known."""

    values: np.ndarray
    labels: list | None
    columns: list | None
    frame: str | None


def module_of(thing: Any) -> str:
    """The package that the type of a thing comes from."""
    return type(thing).__module__.split(".")[0]


def frame_kind(thing: Any) -> str | None:
    """`pandas`, `polars` or `pyarrow` for a table of one of them, or of anything that speaks Arrow."""
    package = module_of(thing)
    if package == "pandas" and type(thing).__name__ == "DataFrame":
        return "pandas"
    if package == "polars" and type(thing).__name__ in ("DataFrame", "LazyFrame"):
        return "polars"
    if package == "pyarrow" and type(thing).__name__ in ("Table", "RecordBatch"):
        return "pyarrow"
    if hasattr(thing, "__arrow_c_stream__") or hasattr(thing, "__arrow_c_array__"):
        return "arrow"
    return None


def as_frame(thing: Any) -> Any:
    """A table that only speaks Arrow, as one of pyarrow or polars, whichever is there."""
    if frame_kind(thing) != "arrow":
        return thing.collect() if type(thing).__name__ == "LazyFrame" else thing
    try:
        import pyarrow

        return pyarrow.table(thing)
    except ImportError:
        pass
    try:
        import polars

        return polars.DataFrame(thing)
    except ImportError:
        raise missing("pyarrow", f"a {type(thing).__name__} that speaks Arrow") from None


def columns_of(frame: Any) -> list[tuple[str, np.ndarray]]:
    """The columns of a frame by name."""
    kind = frame_kind(frame)
    if kind == "pandas":
        return [(str(name), frame.iloc[:, k].to_numpy()) for k, name in enumerate(frame.columns)]
    if kind == "polars":
        return [(name, frame.get_column(name).to_numpy()) for name in frame.columns]
    return [(name, _arrow_column(frame.column(k))) for k, name in enumerate(frame.schema.names)]


def _arrow_column(column: Any) -> np.ndarray:
    chunks = getattr(column, "chunks", [column])
    if len(chunks) == 1:
        return chunks[0].to_numpy(zero_copy_only=False)
    return column.to_numpy()


def numbers(thing: Any, what: str, labels: Sequence | None = None) -> Table:
    """Anything with rows of numbers, as a table."""
    if frame_kind(thing):
        return _of_frame(as_frame(thing), what, labels)
    if hasattr(thing, "toarray") and module_of(thing) == "scipy":
        thing = thing.toarray()
    try:
        values = np.asarray(thing)
    except ValueError as e:
        raise refuse(f"{what}: {e}", "give rows of equal length", InputTypeError) from None
    fits(values)
    if values.dtype == object:
        values = _of_objects(values, what)
    if values.dtype.kind not in "fiub":
        raise refuse(
            f"{what} holds {values.dtype} and not numbers", "give an array of numbers, labels by labels=", InputTypeError
        )
    if values.ndim != 2:
        raise refuse(f"{what} has {values.ndim} dimensions", "give a row for each object and a column for each number")
    return Table(np.ascontiguousarray(values, dtype=np.float64), list(labels) if labels is not None else None, None, None)


def _of_objects(values: np.ndarray, what: str) -> np.ndarray:
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError):
        flat = values.ravel()
        bad = next((v for v in flat if not isinstance(v, (int, float, np.number))), flat[0] if flat.size else None)
        raise refuse(
            f"{what} has dtype object, with {bad!r} among its values",
            "give an array of numbers; labels go into the index of a DataFrame or into labels=",
            InputTypeError,
        ) from None


def _of_frame(frame: Any, what: str, labels: Sequence | None) -> Table:
    kind = frame_kind(frame)
    columns = columns_of(frame)
    if labels is None and kind == "pandas" and type(frame.index).__name__ != "RangeIndex":
        labels = list(frame.index)
    if labels is None and columns:
        at = next((k for k, (name, v) in enumerate(columns) if name.lower() in LABEL_NAMES and v.dtype.kind not in "f"), None)
        if at is None and columns[0][1].dtype.kind in "OUT":
            at = 0
        if at is not None:
            labels = [v.item() if isinstance(v, np.generic) else v for v in columns.pop(at)[1]]
    one = len(columns) == 1 and columns[0][1].dtype == object and len(columns[0][1]) and np.ndim(columns[0][1][0]) == 1
    if one:
        # A column of vectors.
        values = np.stack([np.asarray(v, dtype=np.float64) for v in columns[0][1]])
        names: list | None = [f"{columns[0][0]}{k + 1}" for k in range(values.shape[1])]
    else:
        bad = next(((name, v) for name, v in columns if not _numeric(v)), None)
        if bad is not None:
            example = next((v for v in bad[1] if not isinstance(v, (int, float, np.number))), None)
            raise refuse(
                f"the column `{bad[0]}` of {what} holds {example!r} and not numbers",
                "leave it out, or give it as metadata=",
                InputTypeError,
            )
        rows = len(columns[0][1]) if columns else 0
        values = np.empty((rows, len(columns)), dtype=np.float64)
        for k, (_, v) in enumerate(columns):
            values[:, k] = v.astype(np.float64)
        names = [name for name, _ in columns]
    return Table(np.ascontiguousarray(values), list(labels) if labels is not None else None, names, "pyarrow" if kind == "arrow" else kind)


def _numeric(values: np.ndarray) -> bool:
    if values.dtype.kind in "fiub":
        return True
    if values.dtype != object:
        return False
    return all(v is None or isinstance(v, (int, float, np.number)) for v in values)


def to_csv(columns: list[tuple[str, Sequence]]) -> bytes:
    """Columns as the text of a file, so that one reader says what they mean; nothing is what a missing value is."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([name for name, _ in columns])
    for row in zip(*(values for _, values in columns)):
        writer.writerow(["" if _gap(v) else _cell(v) for v in row])
    return out.getvalue().encode()


def _gap(v: Any) -> bool:
    return v is None or (isinstance(v, float) and v != v) or type(v).__name__ in ("NAType", "NaTType")


def _cell(v: Any) -> str:
    if isinstance(v, (bool, np.bool_)):
        return "true" if v else "false"
    return repr(float(v)) if isinstance(v, (float, np.floating)) else str(v)


def numbered(rows: Any, objects: Any) -> tuple[np.ndarray, list]:
    """Rows of labels as rows of numbers, with the labels they stand for.

    With a list of objects, labels are looked up in it; with a number of objects, rows are numbers from 0. Without either the
    objects are those that occur, numbers as they count and labels as they are spelled: an object that nobody was asked about is not known of then.
    """
    try:
        cells = np.asarray(rows)
    except ValueError:
        cells = np.empty(0)
    if cells.ndim != 2 or cells.dtype.kind not in "iufUOb":
        raise refuse(f"rows of judgements are {_shown(rows)}", "give rows of equal length, with an object in each column", InputTypeError)
    whole = cells.dtype.kind in "iu" or (cells.dtype.kind == "f" and bool(np.all(cells == np.floor(cells))))
    if cells.dtype.kind == "f" and not whole:
        raise refuse("rows of judgements hold numbers that are not whole", "give the numbers or the labels of objects", InputTypeError)
    if isinstance(objects, (int, np.integer)):
        if not whole:
            raise refuse(f"objects={objects} counts objects, and the rows hold labels", "give the list of labels as objects=")
        return cells.astype(np.int64), list(range(int(objects)))
    if objects is not None:
        names = list(objects)
        if whole and not any(isinstance(n, (int, np.integer)) for n in names):
            return cells.astype(np.int64), names
        at = {n: k for k, n in enumerate(names)}
        return np.array([[_lookup(at, c) for c in row] for row in cells.tolist()], dtype=np.int64).reshape(cells.shape), names
    if whole:
        names, flat = np.unique(cells.astype(np.int64), return_inverse=True)
        return flat.reshape(cells.shape).astype(np.int64), names.tolist()
    names = _in_order(dict.fromkeys(c for row in cells.tolist() for c in row))
    at = {n: k for k, n in enumerate(names)}
    return np.array([[at[c] for c in row] for row in cells.tolist()], dtype=np.int64).reshape(cells.shape), names


def _in_order(names: Iterable) -> list:
    """Labels as they are spelled, or as they count: the order of the rows says nothing."""
    try:
        return sorted(names, key=lambda n: (int(str(n)), str(n)))
    except ValueError:
        return sorted(names, key=str)


def _lookup(at: dict, label: Any) -> int:
    if label in at:
        return at[label]
    from .errors import UnknownLabelError

    raise refuse(
        f"a row names {label!r}, which is not among the {len(at)} objects", "add it to objects=, or leave the row out", UnknownLabelError
    )


def loaded(package: str) -> bool:
    """Whether the caller has imported a package already."""
    return package in sys.modules


def known(what: str, given: Iterable[str], names: Iterable[str]) -> None:
    """Refuses a keyword that nothing listens to."""
    names = list(names)
    for name in given:
        if name not in names:
            near = difflib.get_close_matches(name, names, 1)
            raise refuse(f"{what} takes no argument {name}=", f"perhaps {near[0]}=" if near else "leave it out", KeywordError)


def sizes(thing: Any) -> str:
    """How large an array is, in words."""
    shape = getattr(thing, "shape", None)
    if not shape:
        return f"a {type(thing).__name__}"
    return f"{' x '.join(map(str, shape))} numbers, {8 * np.prod([float(s) for s in shape]) / 2**30:,.1f} GiB"


def fits(thing: Any) -> None:
    """Refuses an array whose numbers would not fit: it may be larger than memory by being the same few numbers over and over."""
    shape = getattr(thing, "shape", ())
    if frame_kind(thing) or module_of(thing) == "scipy" or not all(isinstance(s, (int, np.integer)) for s in shape):
        return
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else None
    if there and 8 * np.prod([float(s) for s in shape]) > there:
        raise refuse(f"the evidence is {sizes(thing)}, and this machine has {there / 2**30:,.1f} GiB", "give a part of it", MemoryLimitError)


def one_each(given: Any, count: int | None, what: str, any_number: bool = False) -> np.ndarray | None:
    """One number for each of so many things: 0 or more, unless any will do."""
    if given is None:
        return None
    try:
        values = np.asarray(given)
        if values.dtype.kind not in "fiub":
            values = values.astype(np.float64) if values.dtype.kind == "O" else None
    except (TypeError, ValueError):
        values = None
    if values is None or values.ndim != 1:
        raise refuse(f"{what} is {_shown(given)}", "give an array with one number for each", InputTypeError)
    if count is not None and len(values) != count:
        raise refuse(f"{what} has {len(values)} values, for {count}", "give one number for each")
    values = np.ascontiguousarray(values, dtype=np.float64)
    wrong = np.flatnonzero(~(values >= 0) | np.isinf(values)) if not any_number else []
    if len(wrong):
        raise refuse(f"{what}[{wrong[0]}] is {values[wrong[0]]}", "give finite numbers, 0 or more")
    return values


def _shown(thing: Any) -> str:
    shape = getattr(thing, "shape", None)
    return f"an array of {' x '.join(map(str, shape))} {thing.dtype}s" if shape and hasattr(thing, "dtype") else repr(thing)[:60]


def named(given: Any, kind: str | None, labels: Sequence | None) -> list[tuple[str, Sequence]]:
    """The columns of an array of classes, of sorts or of the edges of a tree; rows without labels count from 0."""
    try:
        cells = np.asarray(given)
    except ValueError:
        cells = np.empty((0, 0, 0))
    rows = list(labels) if labels is not None else range(len(cells) if cells.ndim else 0)
    if len(rows) != (len(cells) if cells.ndim else 0):
        raise refuse(f"{len(rows)} labels for {len(cells)} rows", "give one label for each object")
    if kind == "classes" and cells.ndim == 1:
        return [("object", rows), ("class", cells.tolist())]
    if kind == "classes" and cells.ndim == 2 and cells.shape[1] == 2 and labels is None:
        return [("object", cells[:, 0].tolist()), ("class", cells[:, 1].tolist())]
    if kind == "sorts" and cells.ndim == 2 and cells.dtype.kind in "iub":
        return [("object", rows), *((f"person {k + 1}", cells[:, k].tolist()) for k in range(cells.shape[1]))]
    if kind == "taxonomy" and cells.ndim == 2 and cells.shape[1] == 2:
        return [("parent", cells[:, 0].tolist()), ("child", cells[:, 1].tolist())]
    if kind == "paths" and cells.ndim == 1:
        return [("path", cells.tolist())]
    remedy = {
        "classes": "give one class for each object, or rows of an object and its class",
        "sorts": "give a row for each object and a column of numbers of groups for each person",
        "taxonomy": "give rows of a parent and a child",
        "paths": 'give one path for each object, as "animal/mammal/dog"',
    }.get(kind or "", "give a DataFrame with named columns")
    raise refuse(f"kind={kind!r} of {_shown(given)}", remedy, FormatError)


def people_of(people: Any, count: int) -> tuple[list[str] | None, np.ndarray | None]:
    """Who answered: the names, and the number of the one behind each row."""
    if people is None:
        return None, None
    people = list(people)
    if len(people) != count:
        raise refuse(f"{len(people)} participants for {count} answers", "name one for each answer")
    names = list(dict.fromkeys(people))
    at = {n: k for k, n in enumerate(names)}
    return [str(n) for n in names], np.array([at[p] for p in people], dtype=np.int64)


def alike_of(given: Any) -> np.ndarray:
    """True and False, 1 and 0, or 1 and -1, as metric-learn has it."""
    values = np.asarray(list(given))
    if values.dtype == bool:
        return values
    if values.dtype.kind in "iuf" and set(np.unique(values)) <= {-1, 0, 1}:
        return values > 0
    if values.dtype.kind in "UO" and set(values) <= {"similar", "dissimilar"}:
        return values == "similar"
    raise refuse(f"pairs are said to be {values[:3].tolist()} …", "say True or False, 1 or -1, or similar or dissimilar", InputTypeError)


def framed(kind: str | None, labels: list, points: np.ndarray) -> Any:
    """Coordinates as the input was."""
    axes = [f"x{k + 1}" for k in range(points.shape[1])]
    if kind == "pandas":
        import pandas

        return pandas.DataFrame(points, index=pandas.Index(labels, name="label"), columns=axes)
    if kind == "polars":
        import polars

        return polars.DataFrame({"label": labels, **{a: points[:, k] for k, a in enumerate(axes)}})
    if kind in ("pyarrow", "arrow"):
        import pyarrow

        return pyarrow.table({"label": labels, **{a: np.ascontiguousarray(points[:, k]) for k, a in enumerate(axes)}})
    return points
