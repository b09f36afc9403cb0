"""`nca` beside scikit-learn's and metric-learn's from the same start: the objective at the start and where each ends.

    python3 bench/nca_start.py --nearer target/release/nearer [--sets iris,wine,digits] [--iterations 2000] [--drawn 10]

All objects of a set, features standardised (a constant one left out). Starts: the features themselves (rank of all features: `--start pca` of
nearer), two principal axes (`--start pca --dim 2`), and, for features as given, themselves scaled to a mean variance of one (`--start scaled-pca`). The
same matrix is made here and given to the others as `init`. The objective has many maxima, and which one a descent ends in is luck: so `--drawn`
puts as many drawn linear maps before the features, where the principal starts of all are then drawn ones, and tells how ours ends beside
scikit-learn's on the whole. All get the same limit of iterations and end otherwise where rounding does (1e-12 of the
objective). The objective, the expected number of objects classed rightly by a neighbour drawn at random, is computed here from the final
coordinates of each. It fails where ours is below the better of the others by more than 1e-3 of it from a start that is not drawn.
"""
import argparse, csv, json, os, subprocess, sys, tempfile, time, warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
import numpy as np
from scipy.special import logsumexp
from sklearn import datasets
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from metrics import mended

warnings.filterwarnings("ignore")


def expected(z, y):
    """How many objects of all are classed rightly by a neighbour drawn with probability exp(-d2)."""
    d = (z**2).sum(1)[:, None] + (z**2).sum(1)[None] - 2 * z @ z.T
    np.fill_diagonal(d, np.inf)
    return float(np.exp(logsumexp(np.where(y[:, None] == y[None], -d, -np.inf), axis=1) - logsumexp(-d, axis=1)).sum())


def ours(nearer, x, y, flags):
    with tempfile.TemporaryDirectory() as folder:
        file, out = os.path.join(folder, "t.csv"), os.path.join(folder, "map.npy")
        with open(file, "w", newline="") as f:
            w = csv.writer(f)
            w.writerow(["id"] + [f"f{k}" for k in range(x.shape[1])] + ["class"])
            w.writerows([f"o{i}"] + [repr(float(v)) for v in row] + [f"c{y[i]}"] for i, row in enumerate(x))
        done = subprocess.run(
            [nearer, "embed", file, "--kind", "features", "--classes", "class", "--method", "nca", *flags, "--threads", "1", "-o", out, "--json", "-q"],
            capture_output=True, text=True, check=True,
        )
        report = json.loads(done.stdout)
        return np.load(out), report


def flags(start, rank, iterations):
    return ["--start", start, "--dim", str(rank), "--eps", "1e-12", "--max-iter", str(iterations)]


def table(name):
    x, y = getattr(datasets, "load_" + name)(return_X_y=True)
    x = x - x.mean(0)
    return x[:, x.std(0) > 0], y


def many(o):
    print("| set | rank | drawn starts | nearer above | equal | below | mean of nearer | of scikit-learn | difference | its standard error |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name in o.sets.split(","):
        given, y = table(name)
        q = given.shape[1]
        for rank in (q, 2):
            ends = []
            for seed in range(o.drawn):
                x = (given / given.std(0)) @ (np.random.default_rng(7000 + seed).normal(size=(q, q)) / np.sqrt(q))
                first = np.eye(q) if rank == q else np.linalg.eigh(x.T @ x)[1][:, ::-1][:, :rank].T
                mine, _ = ours(o.nearer, x, y, flags("pca", rank, o.iterations))
                learn = NeighborhoodComponentsAnalysis(rank, init=first, max_iter=o.iterations, tol=1e-12).fit(x, y)
                ends.append((expected(mine, y), expected(learn.transform(x), y)))
            m, t = np.array(ends).T
            off = m - t
            same = np.abs(off) <= 1e-3 * t
            print(
                f"| {name} | {rank} | {len(off)} | {(off[~same] > 0).sum()} | {same.sum()} | {(off[~same] < 0).sum()} | {m.mean():.2f} | {t.mean():.2f} "
                f"| {off.mean():+.2f} | {off.std(ddof=1) / len(off) ** 0.5:.2f} |",
                flush=True,
            )


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--nearer", default="target/release/nearer")
    p.add_argument("--sets", default="iris,wine,digits")
    p.add_argument("--iterations", type=int, default=2000)
    p.add_argument("--drawn", type=int, default=0)
    o = p.parse_args()
    if o.drawn:
        return many(o)
    print("| set | start | rank | at the start | nearer | iterations | scikit-learn | iterations | metric-learn | iterations | ours less the better, share | seconds |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    wrong = 0
    for name in o.sets.split(","):
        given, y = table(name)
        for start in ("pca", "pca of 2", "scaled-pca"):
            x = given if start == "scaled-pca" else given / given.std(0)
            n, q = x.shape
            rank = 2 if start == "pca of 2" else q
            first = np.eye(q)
            if rank < q:
                first = np.linalg.eigh(x.T @ x)[1][:, ::-1][:, :rank].T
            elif start == "scaled-pca":
                first *= np.sqrt(q / ((x**2).sum() / n))
            seconds = [time.time()]
            mine, report = ours(o.nearer, x, y, flags(start.split()[0], rank, o.iterations))
            seconds.append(time.time())
            learn = NeighborhoodComponentsAnalysis(rank, init=first, max_iter=o.iterations, tol=1e-12).fit(x, y)
            seconds.append(time.time())
            metric = mended().NCA(n_components=rank, init=first, max_iter=o.iterations, tol=1e-12).fit(x, y)
            seconds.append(time.time())
            ends = [expected(z, y) for z in (mine, learn.transform(x), metric.transform(x))]
            # What nearer says of itself is what its map gives.
            assert abs(report["objective"] - ends[0]) <= 1e-6 * ends[0], (report["objective"], ends[0])
            off = (ends[0] - max(ends[1:])) / max(ends[1:])
            wrong += off < -1e-3
            took = ", ".join(f"{b - a:.1f}" for a, b in zip(seconds, seconds[1:]))
            print(
                f"| {name} | {start} | {rank} | {expected(x @ first.T, y):.4f} | {ends[0]:.4f} | {report['iterations']} | {ends[1]:.4f} | {learn.n_iter_} "
                f"| {ends[2]:.4f} | {metric.n_iter_} evaluations | {off:+.1e}{' <- BELOW' if off < -1e-3 else ''} | {took} |",
                flush=True,
            )
    print(f"\n{wrong} below")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
