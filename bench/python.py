"""The Python package beside the command: fits, the cost of a call, of an import, of placing on Spark.

    python bench/python.py --nearer target/release/nearer [--spark] [--rows 1000000]

Run it with a Python that has the wheel (`cargo xtask python` leaves one in target/python/sklearn, and in target/python/spark with
--all). Ratios are of times of one run; on a shared machine prefer those of CPU time.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np


def best(run, times: int = 3) -> float:
    """The least of some times, in seconds."""
    found = []
    for _ in range(times):
        t = time.perf_counter()
        run()
        found.append(time.perf_counter() - t)
    return min(found)


def timed(embed) -> float:
    """What a call takes beside the fit."""
    t = time.perf_counter()
    fit = embed()
    return time.perf_counter() - t - fit.seconds


def imports() -> str:
    code = "import numpy, time as t; a, b = t.perf_counter(), t.process_time(); import nearer; print(t.perf_counter() - a, t.process_time() - b)"
    run = lambda: subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    wall, cpu = (min(map(float, column)) for column in zip(*[run() for _ in range(10)]))
    return f"| `import nearer`, numpy there already | {1e3 * wall:.0f} ms, {1e3 * cpu:.0f} ms of CPU |"


def calls() -> str:
    import nearer

    d = np.array([[0, 3, 4], [3, 0, 5], [4, 5, 0]], dtype=float)
    study = nearer.Study(distances=d)
    embed = lambda: nearer.embed(study, method="classical-mds", n_jobs=1)
    embed()
    # Each call less its own fit; the middle one, since others use the machine too.
    took = sorted(timed(embed) for _ in range(1000))
    return f"| a call of `embed`, less the fit (3 objects, classical-mds), the middle of 1000 | {1e3 * took[500]:.3f} ms |"


def fits(nearer_command: str, n: int, folder: Path) -> list[str]:
    import nearer

    x = np.random.default_rng(1).normal(size=(n, 10))
    d = np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1))
    path = folder / "d.npy"
    np.save(path, d)
    lines = []
    for method in ("classical-mds", "metric-mds"):
        theirs, ours, cpu = [], [], ([], [])
        # In turns, so that what else the machine does meets both.
        for _ in range(7):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            told = subprocess.run([nearer_command, "embed", path, "--method", method, "--threads", "1", "--json", "--quiet"], capture_output=True, text=True, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            theirs.append(json.loads(told.stdout)["seconds"]["fit"])
            cpu[0].append(after.ru_utime - before.ru_utime)
            before = resource.getrusage(resource.RUSAGE_SELF)
            ours.append(nearer.embed(d, method=method, n_jobs=1, progress=False).seconds)
            cpu[1].append(resource.getrusage(resource.RUSAGE_SELF).ru_utime - before.ru_utime)
        lines.append(f"| fit, {method}, n = {n}, one thread | command {min(theirs):.2f} s, Python {min(ours):.2f} s, ratio {min(ours) / min(theirs):.3f} |")
        lines.append(f"| the same, CPU of the whole command and of the whole call | {min(cpu[0]):.2f} s, {min(cpu[1]):.2f} s, ratio {min(cpu[1]) / min(cpu[0]):.3f} |")
    return lines


def spark(rows: int, times: int) -> list[str]:
    from pyspark.sql import SparkSession

    import nearer.spark
    from nearer.batch import Placer
    from nearer.sklearn import LandmarkMDS, SVMMetric

    os.environ["PYSPARK_PYTHON"] = sys.executable
    cores = os.cpu_count() or 1
    session = SparkSession.builder.master(f"local[{cores}]").config("spark.ui.enabled", "false").config("spark.driver.memory", "4g").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    dims, columns = 16, [f"f{k}" for k in range(16)]
    rng = np.random.default_rng(2)
    est = LandmarkMDS(landmarks=2000).fit(rng.normal(size=(2000, dims)))
    df = session.range(rows).selectExpr("id", *[f"cast(rand({k}) as double) as {c}" for k, c in enumerate(columns)]).repartition(4 * cores).cache()
    df.count()
    sample = df.limit(200_000).toPandas()[columns].to_numpy()
    features = rng.normal(size=(60, dims))
    t = np.array([rng.choice(60, 3, replace=False) for _ in range(500)])
    linear = SVMMetric(features=features, kernels="linear:features").fit(t)
    lines = []
    for what, model in ((f"{rows:,} rows of {dims} features placed by 2,000 landmarks", est), ("the same rows through a linear map (svm-metric)", linear)):
        here = Placer(model, columns=columns, n_jobs=cores)
        far = lambda: nearer.spark.place(model, df, columns=columns).selectExpr("sum(x1)").collect()
        nearer.spark.place(model, df.limit(1000), columns=columns).collect()
        # In turns, so that what else the machine does meets both.
        took = [(best(lambda: here.points(sample), 1), best(far, 1)) for _ in range(times)]
        local, there = len(sample) / min(t[0] for t in took), rows / min(t[1] for t in took)
        lines.append(f"| {what} | local {local:,.0f} rows/s, Spark local[{cores}] {there:,.0f} rows/s, ratio {there / local:.2f} |")
    workers = [int(line.split()[1]) for p in Path("/proc").glob("[0-9]*/status") for line in _of_spark(p) if line.startswith("VmHWM")]
    lines.append(f"| most memory of a Python worker of Spark | {max(workers, default=0) / 1024:.0f} MiB |")
    session.stop()
    return lines


def _of_spark(status: Path) -> list[str]:
    """The lines of a process that is one of Spark's Python workers; none of any other, as the Java machine."""
    try:
        worker = b"pyspark.daemon" in (status.parent / "cmdline").read_bytes()
        return status.read_text().splitlines() if worker else []
    except OSError:
        return []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nearer", default="target/release/nearer", help="the command")
    parser.add_argument("--n", type=int, default=2000, help="objects of a fit")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows on Spark")
    parser.add_argument("--times", type=int, default=3, help="how often rows are placed, in turns here and on Spark")
    parser.add_argument("--spark", action="store_true", help="place on Spark too")
    args = parser.parse_args()
    lines = [imports(), calls()]
    with tempfile.TemporaryDirectory() as folder:
        lines += fits(args.nearer, args.n, Path(folder))
    if args.spark:
        lines += spark(args.rows, args.times)
    lines.append(f"| most memory of this process | {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB |")
    print("| what | figure |\n|---|---|")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
