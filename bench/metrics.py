"""Learned metrics beside metric-learn and scikit-learn: 3-NN error of unseen objects over seeded splits, and time of the fit.

    python3 bench/metrics.py --nearer target/release/nearer [--splits 10] [--sets iris,wine,digits,synth] [--only lmnn,nca]
                             [--data FOLDER of mnist_5k, orl_faces, olivetti_faces] [--peers yes|no|alone] [--keep peers.json]
                             [--keep-ours ours.json]

Features are standardised on the training objects (70 %); of faces, where every pixel is a shade, they are only centred, and seven of the ten
pictures of each person are learned from (metric-learn's LMNN refuses a class of fewer than four). Every learner gets
the same split, in all dimensions of the features. `pola` takes pairs: ten an object of each kind are drawn from the classes of
the training objects, seeded by the split and in a drawn order. Times are user and system CPU seconds of one thread: the whole process of ours (it
reads a csv and writes a model; GNU time measures it), the fit alone of theirs. Where there are more features than objects the peers are given principal coordinates,
in which all distances are the same: of 4,096 pixels their square matrices would be too large.
What peers gave (and ours, where asked) is kept in a file by set, learner and split, and not run again; a learner that gave nothing on three splits is left.
The table's accuracy of the features as given is over the splits on which the learner gave a result; a second table holds ours beside theirs on
the splits that both gave one on.
metric-learn 0.7 calls a function of scikit-learn by an argument that newer versions have renamed; it is given the old name back.
"""
import argparse, csv, json, multiprocessing, os, resource, subprocess, tempfile, time, warnings

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


def split(X, y, seed, shades=False, share=0.7):
    p = np.random.default_rng(5000 + seed).permutation(len(X))
    if shades:
        # As many pictures of each person: the order is drawn, and of each the first are learned from.
        p = np.concatenate([p[y[p] == k][np.newaxis] for k in np.unique(y)]).T.ravel()
    c = round(share * len(X)) if shades else int(share * len(X))
    a, b = p[:c], p[c:]
    mu, sd = X[a].mean(0), X[a].std(0)
    sd[(sd == 0) | shades] = 1
    Z = (X - mu) / sd
    return Z[a], y[a], Z[b], y[b]


def knn(a, ya, b, yb):
    return float(KNeighborsClassifier(3).fit(a, ya).score(b, yb))


def drawn(y, seed, each=10):
    """Pairs of training objects, as many alike as not (all there are, if these are fewer), in a drawn order."""
    rng = np.random.default_rng(seed)
    i, j = np.triu_indices(len(y), 1)
    alike = y[i] == y[j]
    kinds = [np.flatnonzero(alike), np.flatnonzero(~alike)]
    taken = rng.permutation(np.concatenate([rng.choice(k, min(each * len(y), len(k)), replace=False) for k in kinds]))
    return [(int(i[t]), int(j[t]), int(alike[t])) for t in taken]


def ours(nearer, method, a, ya, b, extra, limit, seed):
    """Fits and places through the command: the coordinates of both, CPU seconds, peak memory in MB, the report."""
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        paired = method == "pola"
        evidence = [path("train.csv"), "--kind", "features", "--classes", "class"]
        if paired:
            evidence = [path("train.csv") + "::kind=features", path("pairs.csv") + "::kind=pairs"]
            with open(path("pairs.csv"), "w", newline="") as f:
                csv.writer(f).writerows([("from", "to", "label")] + [(f"tr{i}", f"tr{j}", s) for i, j, s in drawn(ya, 6000 + seed)])
        for name, X, y in (("train.csv", a, None if paired else ya), ("test.csv", b, None)):
            with open(path(name), "w", newline="") as f:
                w = csv.writer(f)
                w.writerow(["id"] + [f"f{k}" for k in range(X.shape[1])] + (["class"] if y is not None else []))
                for i, row in enumerate(X):
                    w.writerow([f"{name[0]}{name[1]}{i}"] + [repr(float(v)) for v in row] + ([f"c{y[i]}"] if y is not None else []))
        rank = np.linalg.matrix_rank(a - a.mean(0))
        # GNU time starts the command from a process of its own size: the kernel counts what this one holds as the child's peak.
        command = ["/usr/bin/time", "-f", "%U %S %M", "-o", path("used"), "timeout", "--foreground", str(limit), nearer, "embed", *evidence, "--method", method, "--dim", str(rank),
                   "--threads", "1", "-o", path("m.nearer"), "-o", path("map.npy"), "--json", "-q"] + extra
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 124:
            return None, f"over {limit:.0f} s"
        if done.returncode:
            return None, done.stderr.strip()[:200]
        user, system, peak = map(float, open(path("used")).read().split())
        placed = subprocess.run([nearer, "place", path("m.nearer"), path("test.csv"), "-o", path("new.npy"), "-q"], capture_output=True, text=True)
        if placed.returncode:
            return None, placed.stderr.strip()[:200]
        report = json.loads(done.stdout)
        return (np.load(path("map.npy")), np.load(path("new.npy")), user + system, peak / 1024, report), None


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
    "mcml": [], "local-metric": [], "pola": [],
}
SHADES = {"orl", "olivetti"}


def cell(pipe, make, a, ya, b, yb):
    """One fit of a peer, in a process of its own."""
    try:
        if a.shape[1] > len(a):
            turn = np.linalg.svd(a - a.mean(0), full_matrices=False)[2][: len(a) - 1].T
            a, b = a @ turn, b @ turn
        learner = make(mended(), "small" if len(a) < 300 else "large")
        start = time.process_time()
        model = learner.fit(a, ya)
        seconds = time.process_time() - start
        ta, tb = model.transform(a), model.transform(b)
        finite = bool(np.isfinite(ta).all() and np.isfinite(tb).all())
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        pipe.send({"seconds": seconds, "memory": memory, "score": knn(ta, ya, tb, yb) if finite else None, "note": "" if finite else "not finite"})
    except Exception as e:
        pipe.send({"note": f"{type(e).__name__}: {str(e)[:80]}"})


def theirs(make, a, ya, b, yb, limit):
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    child = context.Process(target=cell, args=(there, make, a, ya, b, yb))
    child.start()
    there.close()
    try:
        return here.recv() if here.poll(limit) else {"note": f"over {limit:.0f} s"}
    except EOFError:
        return {"note": "ended without a result"}
    finally:
        child.kill()
        child.join()


def row(name, learner, raw, cells):
    good = [c for c in cells if c.get("score") is not None]
    note = next((c["note"] for c in cells if c.get("note")), "")
    lost = sum(c.get("score") is None for c in cells)
    note += f" ({lost} of {len(cells)})" if good and lost else ""
    got = [c["score"] for c in good]
    untouched = [r for r, c in zip(raw, cells) if c.get("score") is not None] or raw
    of = lambda key, how, form: form.format(how([c[key] for c in good if c.get(key) is not None])) if any(c.get(key) is not None for c in good) else ""
    mean = f"{np.mean(got):.4f}" if got else "-"
    return (f"| {name} | {learner} | {np.mean(untouched):.4f} | {mean} | {error(got)} | {len(got)} | {of('seconds', np.median, '{:.3f}')} "
            f"| {of('memory', max, '{:.0f}')} | {of('gap', max, '{:.1e}')} | {note} |")


def error(values):
    return f"{np.std(values, ddof=1) / len(values) ** .5:.4f}" if len(values) > 1 else ""


def beside(name, learner, peer, mine, yours):
    """Ours less theirs, on the splits on which both gave a result."""
    both = [(m["score"], t["score"]) for m, t in zip(mine, yours) if m.get("score") is not None and t.get("score") is not None]
    if not both:
        return f"| {name} | {learner} | {peer} | 0 | | | | |"
    m, t = map(np.array, zip(*both))
    return f"| {name} | {learner} | {peer} | {len(both)} | {m.mean():.4f} | {t.mean():.4f} | {m.mean() - t.mean():+.4f} | {error(m - t)} |"


class Kept:
    """What was found before, by set, learner and split."""

    def __init__(self, path):
        self.path = path
        self.found = json.load(open(path)) if path and os.path.exists(path) else {}

    def get(self, key, make):
        if key not in self.found:
            self.found[key] = make()
            if self.path:
                json.dump(self.found, open(self.path, "w"), indent=1)
        return self.found[key]


def fitted(nearer, method, parts, extra, limit, seed):
    """One fit of ours, as `cell` gives one of theirs."""
    a, ya, b, yb = parts
    result, why = ours(nearer, method, a, ya, b, extra, limit, seed)
    if result is None:
        return {"note": why}
    m, new, seconds, memory, report = result
    assert np.isfinite(m).all() and np.isfinite(new).all()
    return {"score": knn(m, ya, new, yb), "seconds": seconds, "memory": memory, "gap": (report.get("certificate") or {}).get("gap")}


def over(count, fit):
    """Splits one after another; three without a result are enough."""
    cells = []
    for seed in range(count):
        cells.append(fit(seed))
        if sum(c.get("score") is None for c in cells) == 3:
            break
    return cells


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--nearer", default="target/release/nearer")
    p.add_argument("--sets", default="iris,wine,digits,synth")
    p.add_argument("--only", default=",".join(PEERS))
    p.add_argument("--splits", type=int, default=10)
    p.add_argument("--peer-splits", type=int, default=None)
    p.add_argument("--peers", default="yes")
    p.add_argument("--keep", help="file of what peers gave")
    p.add_argument("--keep-ours", help="file of what nearer gave")
    p.add_argument("--data", default="")
    p.add_argument("--limit", type=float, default=600)
    p.add_argument("--extra", default="")
    o = p.parse_args()
    theirs_kept, ours_kept = Kept(o.keep), Kept(o.keep_ours)
    pairs = []
    print("| set | learner | 3-NN untouched | 3-NN learned | standard error | splits | CPU s a fit | peak MB | largest gap | note |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name in o.sets.split(","):
        X, y = load(name, o.data)
        y = np.unique(y, return_inverse=True)[1]
        splits = [split(X, y, seed, name in SHADES) for seed in range(o.splits)]
        raw = [knn(*s) for s in splits]
        for method in o.only.split(","):
            mine = []
            if o.peers != "alone":
                fit = lambda seed: ours_kept.get(f"{name} / {method} / {seed}", lambda: fitted(o.nearer, method, splits[seed], o.extra.split(), o.limit, seed))
                mine = over(o.splits, fit)
                print(row(name, "**nearer " + method + "**", raw, mine), flush=True)
            for peer, make in PEERS[method] if o.peers != "no" else []:
                fit = lambda seed: theirs_kept.get(f"{name} / {peer} / {seed}", lambda: theirs(make, *splits[seed], o.limit))
                yours = over(min(o.splits, o.peer_splits or o.splits), fit)
                print(row(name, peer, raw, yours), flush=True)
                if mine:
                    pairs.append(beside(name, method, peer, mine, yours))
    if pairs:
        print("\n| set | learner | peer | splits of both | nearer | peer | difference | its standard error |")
        print("|---|---|---|---|---|---|---|---|")
        print("\n".join(pairs))


if __name__ == "__main__":
    main()
