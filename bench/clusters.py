"""Clustering with pairs: adjusted Rand index of k-means, cop-k-means and mpck-means on iris, wine and digits.

    python3 bench/clusters.py --nearer target/release/nearer [--draws 10] [--first 0] [--sets iris,wine,digits] [--only diagonal] [--peer 5]

Features are standardised. Of the training part (70 %) as many pairs are drawn as there are objects; a pair is alike where the classes are
the same. The index is over all objects of that part, mean over draws of the pairs. With `--peer S` MPCKMeans of
active-semi-supervised-clustering 0.0.1 gets the same pairs of each draw with S seeds of its own (it goes over the objects in a random order).
"""
import argparse, csv, os, resource, subprocess, tempfile, time

import numpy as np
from sklearn import datasets
from sklearn.metrics import adjusted_rand_score

METHODS = [["k-means"], ["cop-k-means"]] + [["mpck-means", "--metric", m] for m in ("diagonal", "diagonals", "single", "full")]


def drawn(y, draw):
    """As many pairs as objects: (one, other, whether they are alike)."""
    rng = np.random.default_rng(draw)
    pairs = (rng.choice(len(y), 2, replace=False) for _ in y)
    return [(int(a), int(b), bool(y[a] == y[b])) for a, b in pairs]


def row(name, method, found, seconds, note=""):
    se = np.std(found, ddof=1) / len(found) ** 0.5 if len(found) > 1 else float("nan")
    print(f"| {name} | {method} | {np.mean(found):.3f} | {se:.3f} | {min(found):.3f} | {np.median(seconds):.2f} | {note} |", flush=True)


def peer(name, X, y, draws, seeds):
    from active_semi_clustering.semi_supervised.pairwise_constraints.mpckmeans import MPCKMeans
    means, least, seconds, failed = [], 1.0, [], 0
    for draw in draws:
        pairs, got = drawn(y, draw), []
        for seed in range(seeds):
            np.random.seed(seed)
            start = time.process_time()
            try:
                links = {alike: [(a, b) for a, b, same in pairs if same == alike] for alike in (True, False)}
                got.append(adjusted_rand_score(y, MPCKMeans(n_clusters=len(set(y))).fit(X, ml=links[True], cl=links[False]).labels_))
            except Exception:
                failed += 1
            seconds.append(time.process_time() - start)
        if got:
            means.append(np.mean(got))
            least = min(least, *got)
    note = f"mean over {seeds} seeds a draw; least {least:.3f}" + (f"; {failed} runs failed" if failed else "")
    row(name, "MPCKMeans of the peer", means, seconds, note)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--nearer", default="target/release/nearer")
    p.add_argument("--sets", default="iris,wine,digits")
    p.add_argument("--draws", type=int, default=10)
    p.add_argument("--first", type=int, default=0, help="the number of the first draw")
    p.add_argument("--only", default="", help="of mpck-means, metrics of this name alone")
    p.add_argument("--peer", type=int, default=0)
    o = p.parse_args()
    print("| set | method | adjusted Rand index | standard error | least | CPU s | note |\n|---|---|---|---|---|---|---|")
    for name in o.sets.split(","):
        X, y = getattr(datasets, "load_" + name)(return_X_y=True)
        order = np.random.default_rng(5000).permutation(len(X))[: int(0.7 * len(X))]
        X, y = X[order], y[order]
        X = (X - X.mean(0)) / np.where(X.std(0) == 0, 1, X.std(0))
        n = len(X)
        with tempfile.TemporaryDirectory() as folder:
            table, pairs = os.path.join(folder, "f.csv"), os.path.join(folder, "p.csv")
            with open(table, "w", newline="") as f:
                w = csv.writer(f)
                w.writerow(["id"] + [f"f{k}" for k in range(X.shape[1])])
                [w.writerow([f"o{i}"] + [repr(float(v)) for v in row]) for i, row in enumerate(X)]
            for method in [m for m in METHODS if len(m) == 1 or not o.only or m[-1] == o.only]:
                found, seconds, why = [], [], ""
                for draw in range(o.first, o.first + o.draws):
                    with open(pairs, "w", newline="") as f:
                        w = csv.writer(f)
                        w.writerow(["from", "to", "label"])
                        [w.writerow([f"o{a}", f"o{b}", int(same)]) for a, b, same in drawn(y, draw)]
                    out = os.path.join(folder, "c.csv")
                    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
                    done = subprocess.run([o.nearer, "cluster", table + "::kind=features", pairs + "::kind=pairs", "-k", str(len(set(y))), "--threads", "1",
                                           "-q", "-o", out, "--method"] + method, capture_output=True, text=True)
                    if done.returncode:
                        why = done.stderr.strip()[:120]
                        break
                    seconds.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
                    groups = {r["label"]: r["cluster"] for r in csv.DictReader(open(out))}
                    found.append(adjusted_rand_score(y, [groups[f"o{i}"] for i in range(n)]))
                if found:
                    row(name, " ".join(method), found, seconds)
                else:
                    print(f"| {name} | {' '.join(method)} | - | | | | {why} |", flush=True)
        if o.peer:
            peer(name, X, y, range(o.first, o.first + o.draws), o.peer)


if __name__ == "__main__":
    main()
