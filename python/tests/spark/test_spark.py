"""Spark for real, in local mode with several partitions; Dask, Ray and polars through the same function."""

import os
import sys

import numpy as np
import pandas as pd
import pytest
from pyspark.sql import SparkSession

import nearer
import nearer.sklearn as ns
import nearer.spark
from nearer.batch import Placer, choice_loss


@pytest.fixture(scope="module")
def spark():
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "97")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(5).normal(size=(1000, 4)) * [4, 2, 1, 0.5]


def frame(spark, rows, partitions):
    columns = {"id": np.arange(len(rows)), "name": [f"r{k}" for k in range(len(rows))], **{f"f{k}": rows[:, k] for k in range(4)}}
    return spark.createDataFrame(pd.DataFrame(columns)).repartition(partitions)


@pytest.mark.parametrize("partitions", [1, 7])
def test_placing_is_the_same_to_the_last_bit(spark, rows, partitions):
    est = ns.LandmarkMDS(landmarks=30).fit(rows[:200])
    out = nearer.spark.place(est, frame(spark, rows[200:], partitions), columns=[f"f{k}" for k in range(4)]).toPandas().sort_values("id")
    assert out[["x1", "x2"]].to_numpy().tobytes() == est.transform(rows[200:]).tobytes()
    assert list(out["name"]) == [f"r{k}" for k in range(800)] and list(out.columns) == ["id", "name", "x1", "x2"]


def test_empty_partitions_are_fine(spark, rows):
    est = ns.LandmarkMDS(landmarks=30).fit(rows[:200])
    out = nearer.spark.place(est, frame(spark, rows[:3], 8), columns=[f"f{k}" for k in range(4)])
    assert out.count() == 3


def test_landmarks_do_not_depend_on_the_partitions(spark, rows):
    columns = [f"f{k}" for k in range(4)]
    placers = [nearer.spark.fit_landmarks(frame(spark, rows, p), columns=columns, landmarks=60, random_state=1) for p in (1, 6)]
    maps = [nearer.spark.place(p, frame(spark, rows, 5)).toPandas().sort_values("id")[["x1", "x2"]].to_numpy() for p in placers]
    assert maps[0].tobytes() == maps[1].tobytes()
    assert maps[0].tobytes() == placers[0].points(rows).tobytes()
    # Sixty landmarks of a thousand rows find the axis along which the rows vary most.
    assert abs(np.corrcoef(maps[0][:, 0], rows[:, 0])[0, 1]) > 0.95


def judged(n=40, count=6000, seed=3):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    t = np.array([rng.choice(n, 3, replace=False) for _ in range(count)])
    p = 1 / (1 + np.exp(((x[t[:, 0]] - x[t[:, 1]]) ** 2).sum(1) - ((x[t[:, 0]] - x[t[:, 2]]) ** 2).sum(1)))
    turn = rng.random(count) > p
    t[turn] = t[turn][:, [0, 2, 1]]
    return t


@pytest.mark.parametrize("link,lapse", [("squared", 0.0), ("student", 0.05)])
def test_the_choice_model_has_the_same_optimum(spark, link, lapse):
    t = judged()
    df = spark.createDataFrame(pd.DataFrame(t, columns=["head", "near", "far"])).repartition(5)
    local = nearer.embed(t, kind="triplets", objects=40, method="choice", link=link, precision=0.1, lapses=lapse or None, eps=1e-10, max_iter=2000)
    far = nearer.spark.fit_choice(df, link=link, precision=0.1, lapse=lapse, sample=1500)
    value = choice_loss(t, local.points, link=link, lapse=lapse)[0] + 0.1 * (local.points**2).sum()
    assert far.comparisons == len(t) and far.stop == "converged"
    assert far.objective == pytest.approx(value, rel=1e-6)
    d = lambda p: np.linalg.norm(p[:, None] - p[None], axis=-1)
    assert np.abs(d(far.points) - d(local.points)).max() < 1e-3 * d(local.points).max()


def test_labels_weights_and_what_is_not_given(spark):
    t = judged(n=12, count=1500)
    names = [f"thing {k:02}" for k in range(12)]
    df = spark.createDataFrame(pd.DataFrame([[names[i] for i in r] + [1.0] for r in t], columns=["head", "near", "far", "w"])).repartition(70)
    fit = nearer.spark.fit_choice(df, weight="w")
    assert fit.labels == names and fit.link in ("distance", "squared", "student") and 0 <= fit.lapse < 0.5
    with pytest.raises(Exception, match="thing 11"):
        nearer.spark.fit_choice(df, objects=names[:-1])


def test_gradient_of_a_batch_is_the_slope():
    t, p = judged(n=10, count=200), np.random.default_rng(0).normal(size=(10, 2))
    for link in ("distance", "squared", "student"):
        value, gradient = choice_loss(t, p, link=link, lapse=0.1)
        step = np.zeros_like(p)
        step[3, 1] = 1e-6
        slope = (choice_loss(t, p + step, link=link, lapse=0.1)[0] - choice_loss(t, p - step, link=link, lapse=0.1)[0]) / 2e-6
        assert gradient[3, 1] == pytest.approx(slope, rel=1e-5)
        halves = [choice_loss(part, p, link=link, lapse=0.1) for part in (t[:77], t[77:])]
        assert sum(h[0] for h in halves) == pytest.approx(value, rel=1e-12)


def test_dask_through_the_same_function(rows):
    import dask.dataframe as dd

    est = ns.LandmarkMDS(landmarks=30).fit(rows[:200])
    columns = [f"f{k}" for k in range(4)]
    place = Placer(est, columns=columns)
    ddf = dd.from_pandas(pd.DataFrame(rows[200:], columns=columns).assign(id=range(800)), npartitions=5)
    out = ddf.map_partitions(place, meta=place(ddf._meta)).compute(scheduler="threads")
    assert out[["x1", "x2"]].to_numpy().tobytes() == est.transform(rows[200:]).tobytes()


def test_polars_through_the_same_function(rows):
    import polars

    est = ns.LandmarkMDS(landmarks=30).fit(rows[:200])
    columns = [f"f{k}" for k in range(4)]
    place = Placer(est, columns=columns)
    frame = polars.DataFrame({"id": range(800), **{c: rows[200:, k] for k, c in enumerate(columns)}})
    out = frame.lazy().map_batches(place, schema=place(frame.head(0)).schema).collect()
    assert out.columns == ["id", "x1", "x2"]
    assert out.select("x1", "x2").to_numpy().tobytes() == est.transform(rows[200:]).tobytes()


@pytest.fixture(scope="module")
def ray():
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, ignore_reinit_error=True)
    yield ray
    ray.shutdown()


@pytest.mark.parametrize("kind", ["numpy", "pandas", "pyarrow"])
def test_ray_through_the_same_function(ray, rows, kind):
    import ray.data

    est = ns.LandmarkMDS(landmarks=30).fit(rows[:200])
    columns = [f"f{k}" for k in range(4)]
    frame = pd.DataFrame(rows[200:], columns=columns).assign(id=range(800))
    blocks = ray.data.from_pandas([frame[at : at + 200] for at in range(0, 800, 200)])
    out = blocks.map_batches(Placer(est, columns=columns), batch_format=kind, batch_size=97).to_pandas().sort_values("id")
    assert list(out.columns) == ["id", "x1", "x2"] and list(out["id"]) == list(range(800))
    assert out[["x1", "x2"]].to_numpy(np.float64).tobytes() == est.transform(rows[200:]).tobytes()
