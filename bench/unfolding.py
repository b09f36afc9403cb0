"""Unfolding of orders on smacof's breakfast data: the penalised stress of our maps by smacof's formula, at smacof's own penalty.

    python3 bench/unfolding.py path/to/nearer path/to/smacof/breakfast.csv        (needs numpy and scipy)

smacof minimises `sqrt((Σ(d̂ - d)² / N)^λ Σ(1 + ω/ν²))`, the second sum over rows, with λ = .5 and ω = 1. That grows with the size of the map,
so distances are brought to Σd² = N first. d̂ rises with the ranks of its row; it is sought for the given map by descent, so that what is
printed is no less than what the map has. Ranks followed: the mean over rows of Spearman's correlation of ranks and distances.
"""
import csv
import json
import subprocess
import sys
import tempfile

import numpy as np
from scipy.optimize import minimize
from scipy.stats import spearmanr

nearer, data = sys.argv[1:3]
OMEGA, LAMBDA = 1.0, 0.5


def numbers(path):
    with open(path) as file:
        return np.array([[float(v) for v in row[1:]] for row in list(csv.reader(file))[1:]])


def penalised(ranks, d):
    """The least that was found of smacof's objective over disparities for these distances."""
    n, m = d.shape
    d = np.take_along_axis(d, np.argsort(ranks, axis=1), 1)

    def value(u):
        # Squares of steps: whatever u is, the disparities rise.
        u = u.reshape(n, m)
        h = np.cumsum(u * u, axis=1)
        raw, total = ((h - d) ** 2).sum() / (n * m), h.sum(1)
        mean = total**2 / m
        spread = (h * h).sum(1) - mean
        penalty = (1 + OMEGA * mean / spread).sum()
        g = np.sqrt(raw**LAMBDA * penalty)
        by_mean = (2 * total / m)[:, None]
        slope = 2 * (h - d) / (n * m) * LAMBDA * raw ** (LAMBDA - 1) * penalty
        slope += raw**LAMBDA * OMEGA * (by_mean / spread[:, None] - (mean / spread**2)[:, None] * (2 * h - by_mean))
        slope /= 2 * g
        return g, (np.cumsum(slope[:, ::-1], axis=1)[:, ::-1] * 2 * u).ravel()

    found = []
    for seed in range(3):
        h = np.sort(d, axis=1) if seed == 0 else 2 * np.sort(np.random.default_rng(seed).random((n, m)), axis=1)
        start = np.sqrt(np.diff(np.c_[np.zeros(n), h], axis=1) + 1e-4)
        found.append(minimize(value, start.ravel(), jac=True, method="L-BFGS-B", options=dict(maxiter=5000, maxfun=20000)).fun)
    return min(found)


ranks = numbers(data)
n, m = ranks.shape
print("| omega of the fit | smacof's objective at omega 1 | ranks followed | intermixed | variation of distances |\n|---|---|---|---|---|")
with tempfile.TemporaryDirectory() as folder:
    for omega in ("0.1", "1"):
        out = [f"{folder}/map.csv", f"{folder}/map.json"]
        subprocess.run([nearer, "embed", data, "--kind", "rows", "-m", "unfolding", "--transform", "ordinal", "--conditional", "row", "--penalty", omega,
                        "--starts", "4", "--threads", "1", "-q", "-o", out[0], "-o", out[1]], check=True)
        points = numbers(out[0])
        d = np.sqrt(((points[:n, None] - points[None, n:]) ** 2).sum(2))
        d *= np.sqrt(n * m / (d**2).sum())
        followed = np.mean([spearmanr(ranks[i], d[i])[0] for i in range(n)])
        with open(out[1]) as file:
            figures = json.load(file)["figures"]
        print(f"| {omega} | {penalised(ranks, d):.2f} | {followed:.3f} | {figures['intermixed']:.3f} | {figures['variation']:.3f} |")
