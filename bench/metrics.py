"""Learned metrics beside metric-learn and scikit-learn: 3-NN error of unseen objects over seeded splits, and time of the fit.

    python3 bench/metrics.py --nearer target/release/nearer [--splits 10] [--sets iris,wine,digits,synth] [--only lmnn,nca]
                             [--peers yes|no] [--out bench/results/DATE-metrics.md]

Features are standardised on the training objects (70 %). Every learner gets the same split, in all dimensions of the features. Times are
user CPU seconds of one thread: the whole process of ours (it reads a csv and writes a model), the fit alone of theirs.
metric-learn 0.7 calls a function of scikit-learn by an argument that newer versions have renamed; it is given the old name back.
"""
import argparse, csv, json, os, resource, subprocess, sys, tempfile, time, warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
import numpy as np
from sklearn import datasets
from sklearn.neighbors import KNeighborsClassifier, NeighborhoodComponentsAnalysis

warnings.filterwarnings("ignore")


def synth():
    rng = np.random.default_rng(4000)
    n, D, C, q = 5000, 50, 5, 5
    y = rng.integers(0, C, n)
    M = rng.standard_normal((C, q)) * 2.0
    Z = M[y] + rng.standard_normal((n, q))
    R, _ = np.linalg.qr(rng.standard_normal((D, D)))
    return np.c_[Z, rng.standard_normal((n, D - q)) * 2.0] @ R, y


def load(name, data):
    if name == "synth":
        return synth()
    if name in ("iris", "wine", "digits"):
        return getattr(datasets, "load_" + name)(return_X_y=True)
    path = {"mnist_5k": "mnist_5k/mnist_5k.csv.gz", "orl": "orl_faces/ORL.csv.gz", "olivetti": "olivetti_faces/olivettifaces.csv.gz"}[name]
    table = np.loadtxt(os.path.join(data, path), delimiter=",")
    if name == "mnist_5k":
        return table[:, :-1], table[:, -1].astype(int)
    if name == "orl":
        return table[:, 1:], table[:, 0].astype(int)
    return table, np.repeat(np.arange(40), 10)


def split(X, y, seed, share=0.7):
    p = np.random.default_rng(5000 + seed).permutation(len(X))
    c = int(share * len(X))
    a, b = p[:c], p[c:]
    mu, sd = X[a].mean(0), X[a].std(0)
    sd[sd == 0] = 1
    Z = (X - mu) / sd
    return Z[a], y[a], Z[b], y[b]


def knn(a, ya, b, yb):
    return float(KNeighborsClassifier(3).fit(a, ya).score(b, yb))


def ours(nearer, method, a, ya, b, extra, limit):
    """Fits and places through the command: the coordinates of both, CPU seconds, peak memory in MB, the report."""
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        for name, X, y in (("train.csv", a, ya), ("test.csv", b, None)):
            with open(path(name), "w", newline="") as f:
                w = csv.writer(f)
                w.writerow(["id"] + [f"f{k}" for k in range(X.shape[1])] + (["class"] if y is not None else []))
                for i, row in enumerate(X):
                    w.writerow([f"{name[0]}{name[1]}{i}"] + [repr(float(v)) for v in row] + ([f"c{y[i]}"] if y is not None else []))
        rank = np.linalg.matrix_rank(a - a.mean(0))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [nearer, "embed", path("train.csv"), "--kind", "features", "--classes", "class", "--method", method, "--dim", str(rank),
                   "--threads", "1", "-o", path("m.nearer"), "-o", path("map.npy"), "--json", "-q"] + extra
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
        if done.returncode:
            return None, done.stderr.strip()[:200]
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        placed = subprocess.run([nearer, "place", path("m.nearer"), path("test.csv"), "-o", path("new.npy"), "-q"], capture_output=True, text=True)
        if placed.returncode:
            return None, placed.stderr.strip()[:200]
        report = json.loads(done.stdout)
        return (np.load(path("map.npy")), np.load(path("new.npy")), after.ru_utime - before.ru_utime, after.ru_maxrss / 1024, report), None


def mended():
    """metric-learn, with the argument that scikit-learn renamed."""
    import sklearn.utils.validation as v
    import metric_learn._util as util
    for name in ("check_X_y", "check_array"):
        real = getattr(v, name)
        def wrapped(*args, real=real, **kw):
            if "force_all_finite" in kw:
                kw["ensure_all_finite"] = kw.pop("force_all_finite")
            return real(*args, **kw)
        setattr(util, name, wrapped)
    import metric_learn
    return metric_learn


PEERS = {
    "rca": [("metric-learn RCA", lambda m, s: m.RCA_Supervised(n_chunks=30 if s == "small" else 100, random_state=0))],
    "nca": [("scikit-learn NCA", lambda m, s: NeighborhoodComponentsAnalysis(random_state=0)),
            ("metric-learn NCA", lambda m, s: m.NCA(random_state=0))],
    "lmnn": [("metric-learn LMNN", lambda m, s: m.LMNN(n_neighbors=3, random_state=0))],
    "mmc": [("metric-learn MMC", lambda m, s: m.MMC_Supervised(random_state=0))],
    "itml": [("metric-learn ITML", lambda m, s: m.ITML_Supervised(random_state=0))],
    "mcml": [], "local-metric": [],
}
SLOW = {("synth", "metric-learn NCA"), ("digits", "metric-learn ITML")}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--nearer", default="target/release/nearer")
    p.add_argument("--sets", default="iris,wine,digits,synth")
    p.add_argument("--only", default=",".join(PEERS))
    p.add_argument("--splits", type=int, default=10)
    p.add_argument("--peer-splits", type=int, default=None)
    p.add_argument("--peers", default="yes")
    p.add_argument("--data", default="")
    p.add_argument("--limit", type=float, default=600)
    p.add_argument("--out")
    p.add_argument("--extra", default="")
    o = p.parse_args()
    metric_learn = mended() if o.peers == "yes" else None
    lines = ["| set | learner | 3-NN untouched | 3-NN learned | standard error | splits | CPU s a fit | peak MB | certified gap | note |",
             "|---|---|---|---|---|---|---|---|---|---|"]

    def tell(line):
        lines.append(line)
        print(line, flush=True)

    print("\n".join(lines))
    for name in o.sets.split(","):
        X, y = load(name, o.data)
        for method in o.only.split(","):
            raw, got, cpu, mb, gaps, note = [], [], [], [], [], ""
            for seed in range(o.splits):
                a, ya, b, yb = split(X, y, seed)
                raw.append(knn(a, ya, b, yb))
                try:
                    result, why = ours(o.nearer, method, a, ya, b, o.extra.split(), o.limit)
                except subprocess.TimeoutExpired:
                    result, why = None, f"over {o.limit:.0f} s"
                if result is None:
                    note = why
                    break
                m, new, seconds, memory, report = result
                assert np.isfinite(m).all() and np.isfinite(new).all()
                got.append(knn(m, ya, new, yb)); cpu.append(seconds); mb.append(memory)
                gaps.append((report.get("certificate") or {}).get("gap"))
            if got:
                gap = f"{max(g for g in gaps):.1e}" if gaps[0] is not None else ""
                se = np.std(got, ddof=1) / len(got) ** .5 if len(got) > 1 else float("nan")
                tell(f"| {name} | nearer {method} | {np.mean(raw):.4f} | **{np.mean(got):.4f}** | {se:.4f} | {len(got)} | {np.median(cpu):.3f} | {max(mb):.0f} | {gap} | {note} |")
            else:
                tell(f"| {name} | nearer {method} | {np.mean(raw):.4f} | - | | 0 | | | | {note} |")
            for peer, make in PEERS[method] if o.peers == "yes" else []:
                if (name, peer) in SLOW:
                    continue
                got, cpu, note = [], [], ""
                for seed in range(min(o.splits, o.peer_splits or o.splits)):
                    a, ya, b, yb = split(X, np.unique(y, return_inverse=True)[1], seed)
                    try:
                        start = time.process_time()
                        model = make(metric_learn, "small" if len(a) < 300 else "large").fit(a, ya)
                        cpu.append(time.process_time() - start)
                        ta, tb = model.transform(a), model.transform(b)
                        if not np.isfinite(ta).all():
                            note = "not finite"
                            break
                        got.append(knn(ta, ya, tb, yb))
                    except Exception as e:
                        note = f"{type(e).__name__}: {str(e)[:80]}"
                        break
                mean = f"{np.mean(got):.4f}" if got else "-"
                se = f"{np.std(got, ddof=1) / len(got) ** .5:.4f}" if len(got) > 1 else ""
                seconds = f"{np.median(cpu):.3f}" if cpu else ""
                tell(f"| {name} | {peer} | {np.mean(raw):.4f} | {mean} | {se} | {len(got)} | {seconds} | | | {note} |")
    if o.out:
        with open(o.out, "w") as f:
            f.write("# Learned metrics beside metric-learn and scikit-learn\n\n`python3 " + " ".join(sys.argv) + "`\n\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
