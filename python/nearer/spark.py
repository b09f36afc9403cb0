"""The same model on Spark: rows placed where they are, landmarks fitted from a sample, and the choice model over any number of answers.

Rows go through Arrow batches (`mapInArrow`); the model is broadcast once; labels and other columns pass through.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterator, Sequence

import numpy as np

from ._fit import embed
from ._lbfgs import minimise
from ._run import seed_of
from ._study import Study
from ._tables import known
from .batch import Placer, choice_loss
from .errors import missing, refuse

try:
    from pyspark.sql import functions as F
    from pyspark.sql.types import DoubleType, StructField, StructType
except ImportError:
    raise missing("pyspark", "nearer.spark", "spark") from None

# Partial gradients beyond this many are added up on the cluster before they come to the driver.
FEW = 64


def place(model: Any, df: Any, *, columns: Sequence[str] | str | None = None, keep: Sequence[str] | None = None, output: str = "x", **how: Any) -> Any:
    """Rows of a DataFrame onto a map: the kept columns, and ``x1``, ``x2`` …

    ``model`` is what :class:`nearer.batch.Placer` takes, or a placer. The points are those that the model gives on one machine, to
    the last bit, however the rows are divided.
    """
    if isinstance(model, Placer):
        known("place() of a Placer, which knows its columns,", [*how, *(name for name, v in (("columns", columns), ("keep", keep)) if v is not None)], ())
    placer = model if isinstance(model, Placer) else Placer(model, columns=columns, keep=keep, output=output, **how)
    kept = placer.kept(df.columns)
    used = [placer.columns] if isinstance(placer.columns, str) else placer.columns
    if used is not None:
        df = df.select(*dict.fromkeys([*kept, *used]))
    schema = StructType([df.schema[name] for name in kept] + [StructField(name, DoubleType(), False) for name in placer.names])
    shared = _broadcast(df, placer)

    def batches(iterator: Iterator) -> Iterator:
        for batch in iterator:
            yield shared.value(batch)

    return df.mapInArrow(batches, schema)


class _Held:
    """A value where there is no broadcasting (Spark Connect): it travels with the function."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _broadcast(df: Any, value: Any) -> Any:
    context = getattr(df.sparkSession, "_sc", None)
    return context.broadcast(value) if context is not None else _Held(value)


def fit_landmarks(
    df: Any, *, columns: Sequence[str], landmarks: int = 1000, dim: int = 2, method: str = "landmark-mds", random_state: Any = None, n_jobs: int | None = None, keep: Sequence[str] | None = None, **settings: Any
) -> Placer:
    """A map from landmarks, drawn by the seed from all rows; the rest is placed by it: ``nearer.spark.place(placer, df)``.

    Which rows are drawn depends on their values and on the seed, and not on how they are divided.
    """
    seed, columns = seed_of(random_state), list(columns)
    order = F.xxhash64(*[F.col(c) for c in columns], F.lit(seed))
    drawn = df.select(*columns).dropDuplicates().orderBy(order, *columns).limit(landmarks).collect()
    rows = np.array([[float(v) for v in row] for row in drawn], dtype=np.float64)
    if len(rows) < dim + 1:
        raise refuse(f"{len(rows)} different rows", f"a map of {dim} dimensions needs {dim + 1} at least")
    square = np.sqrt(((rows[:, None, :] - rows[None]) ** 2).sum(-1)) if rows.size * len(rows) < 2**27 else _square(rows)
    if method == "landmark-mds":
        settings.setdefault("landmarks", len(rows))
    fit = embed(Study(distances=square), method=method, dim=dim, random_state=seed, n_jobs=n_jobs, progress=False, **settings)
    return Placer(fit, columns=columns, keep=keep, anchors=rows)


def _square(rows: np.ndarray) -> np.ndarray:
    return np.stack([np.sqrt(((rows - r) ** 2).sum(-1)) for r in rows])


@dataclass
class ChoiceFit:
    """A map of answers that no single machine held."""

    labels: list
    points: np.ndarray
    objective: float
    link: str
    lapse: float
    precision: float
    comparisons: int
    iterations: int
    stop: str
    notes: list[str] = field(default_factory=list)


def fit_choice(
    df: Any,
    *,
    columns: Sequence[str] = ("head", "near", "far"),
    weight: str | None = None,
    objects: Sequence | None = None,
    dim: int = 2,
    link: str | None = None,
    precision: float | None = None,
    lapse: float | None = None,
    sample: int = 100_000,
    random_state: Any = None,
    max_iter: int = 500,
    eps: float = 1e-6,
) -> ChoiceFit:
    """The choice model over comparisons of any number: gradients by partition, added up, and L-BFGS on the driver.

    ``columns`` are those of triplets (head, near, far) or quadruplets. A sample is fitted on the driver first: it gives the start, and
    what is not given of ``link``, ``precision`` and ``lapse`` (one rate for all answers). Then every answer counts.
    """
    seed, columns = seed_of(random_state), list(columns)
    names = list(objects) if objects is not None else _names(df, columns)
    numbered = _numbered(df, columns, weight, names).cache()
    try:
        total = numbered.count()
        share = min(1.0, 1.5 * sample / max(total, 1))
        drawn = numbered if share == 1.0 else numbered.sample(False, share, seed)
        few = np.array([tuple(r) for r in drawn.limit(sample).collect()], dtype=np.float64)
        if len(few) == 0:
            raise refuse("no comparisons", "give one row for each answer")
        width = len(columns)
        study = Study(comparisons=few[:, :width].astype(np.int64), objects=len(names), sample_weight=few[:, width] if weight else None)
        asked = {"link": link or "auto", "precision": "auto" if precision is None else precision, "lapses": "one" if lapse is None else lapse or None}
        first = embed(study, method="choice", dim=dim, random_state=seed, progress=False, **asked)
        made = {**first.report["settings"], **first.report.get("resolved", {})}
        link, precision = str(made["link"]), float(made["precision"])
        if lapse is None:
            lapse = float(first.report["lapses"]["mean"])
        total_loss = _summed(numbered, width, bool(weight), link, lapse)

        def posterior(x: np.ndarray) -> tuple[float, np.ndarray]:
            value, gradient = total_loss(x)
            return value + precision * float((x * x).sum()), gradient + 2 * precision * x

        points, value, iterations, stop = minimise(posterior, first.points.copy(), max_iter=max_iter, eps=eps)
    finally:
        numbered.unpersist()
    centred = points - points.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2]
    posed = centred @ axes.T
    posed *= np.where(posed[np.abs(posed).argmax(axis=0), np.arange(dim)] < 0, -1.0, 1.0)
    return ChoiceFit(names, posed, value, link, lapse, precision, total, iterations, stop, first.notes)


def _names(df: Any, columns: list[str]) -> list:
    """The objects that occur, numbers in their order and labels in theirs."""
    every = None
    for c in columns:
        one = df.select(F.col(c).alias("object"))
        every = one if every is None else every.union(one)
    return sorted(r[0] for r in every.distinct().collect())


def _numbered(df: Any, columns: list[str], weight: str | None, names: list) -> Any:
    """Rows of numbers in place of labels."""
    shared = _broadcast(df, {name: k for k, name in enumerate(names)})
    fields = [f"o{k} long" for k in range(len(columns))] + ([] if weight is None else ["weight double"])

    def batches(iterator: Iterator) -> Iterator:
        import pyarrow as pa

        at = shared.value
        for batch in iterator:
            try:
                made = [pa.array([at[v] for v in batch.column(c).to_pylist()], pa.int64()) for c in columns]
            except KeyError as e:
                raise refuse(f"a row names {e.args[0]!r}, which is not among the {len(at)} objects", "add it to objects=") from None
            if weight is not None:
                made.append(batch.column(weight).cast(pa.float64()))
            yield pa.RecordBatch.from_arrays(made, names=[f.split()[0] for f in fields])

    wanted = columns + ([] if weight is None else [weight])
    return df.select(*wanted).mapInArrow(batches, ", ".join(fields))


def _summed(numbered: Any, width: int, weighted: bool, link: str, lapse: float) -> Any:
    """The loss and its gradient at a map, added up over the partitions."""
    partitions = numbered.rdd.getNumPartitions() if hasattr(numbered, "rdd") else FEW

    def at(points: np.ndarray) -> tuple[float, np.ndarray]:
        shared = _broadcast(numbered, points)

        def part(iterator: Iterator) -> Iterator:
            import pyarrow as pa

            here, value, gradient = shared.value, 0.0, np.zeros_like(shared.value)
            for batch in iterator:
                rows = np.column_stack([batch.column(k).to_numpy(zero_copy_only=False) for k in range(width)])
                weights = batch.column(width).to_numpy(zero_copy_only=False) if weighted else None
                v, g = choice_loss(rows, here, link=link, lapse=lapse, weights=weights)
                value, gradient = value + v, gradient + g
            yield _told(pa, _partition(), value, gradient)

        parts = numbered.mapInArrow(part, "at long, value double, gradient binary")
        if partitions > FEW:
            parts = parts.repartition(max(2, int(partitions**0.5))).mapInArrow(_added, "at long, value double, gradient binary")
        told = sorted((r["at"], r["value"], bytes(r["gradient"])) for r in parts.collect())
        value = sum(t[1] for t in told)
        gradient = sum((np.frombuffer(t[2]) for t in told), np.zeros(points.size)).reshape(points.shape)
        if hasattr(shared, "destroy"):
            shared.destroy()
        return value, gradient

    return at


def _partition() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.partitionId() if context is not None else 0


def _told(pa: Any, at: int, value: float, gradient: np.ndarray) -> Any:
    return pa.RecordBatch.from_arrays(
        [pa.array([at], pa.int64()), pa.array([value]), pa.array([gradient.tobytes()], pa.binary())], names=["at", "value", "gradient"]
    )


def _added(iterator: Iterator) -> Iterator:
    """Partial sums into one."""
    import pyarrow as pa

    value, gradient = 0.0, None
    for batch in iterator:
        for v, g in zip(batch.column(1).to_pylist(), batch.column(2).to_pylist()):
            value, gradient = value + v, np.frombuffer(g) + (0 if gradient is None else gradient)
    if gradient is not None:
        yield _told(pa, _partition(), value, gradient)
