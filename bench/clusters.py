"""Clustering with pairs: adjusted Rand index of k-means, cop-k-means and mpck-means on iris, wine and digits.

    python3 bench/clusters.py --nearer target/release/nearer [--draws 5] [--sets iris,wine,digits]

Features are standardised. Of the training part (70 %) as many pairs are drawn as there are objects; a pair is alike where the classes are
the same. The index is over all objects of that part, mean over draws of the pairs.
"""
import argparse, csv, json, os, resource, subprocess, tempfile

import numpy as np
from sklearn import datasets
from sklearn.metrics import adjusted_rand_score

METHODS = [["k-means"], ["cop-k-means"]] + [["mpck-means", "--metric", m] for m in ("diagonal", "diagonals", "single", "full")]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--nearer", default="target/release/nearer")
    p.add_argument("--sets", default="iris,wine,digits")
    p.add_argument("--draws", type=int, default=5)
    o = p.parse_args()
    print("| set | method | adjusted Rand index | least | CPU s |\n|---|---|---|---|---|")
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
            for method in METHODS:
                found, seconds, why = [], [], ""
                for draw in range(o.draws):
                    rng = np.random.default_rng(draw)
                    with open(pairs, "w", newline="") as f:
                        w = csv.writer(f)
                        w.writerow(["from", "to", "label"])
                        for _ in range(n):
                            a, b = rng.choice(n, 2, replace=False)
                            w.writerow([f"o{a}", f"o{b}", int(y[a] == y[b])])
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
                    print(f"| {name} | {' '.join(method)} | {np.mean(found):.3f} | {min(found):.3f} | {np.median(seconds):.2f} |", flush=True)
                else:
                    print(f"| {name} | {' '.join(method)} | - | | {why} |", flush=True)


if __name__ == "__main__":
    main()
