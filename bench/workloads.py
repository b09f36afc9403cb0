"""The seeded workloads, written once into bench/cache as .npy so that making them never counts for anybody.

    python workloads.py distances 5000 | rows 1000000
"""
import sys
from pathlib import Path

import numpy as np

CACHE = Path(__file__).resolve().parent / "cache"
LANDMARKS = 100


def distances(n):
    """Distances of n points of a 10-D normal distribution, each with 5 % multiplicative noise; the points beside."""
    path = CACHE / f"distances-{n}.npy"
    if not path.exists():
        from scipy.spatial.distance import cdist
        rng = np.random.default_rng(1000 + n)
        x = rng.standard_normal((n, 10))
        d = cdist(x, x)
        e = np.triu(rng.standard_normal((n, n)), 1)
        d *= 1.0 + 0.05 * (e + e.T)
        np.maximum(d, 0.0, out=d)
        np.fill_diagonal(d, 0.0)
        np.save(CACHE / f"points-{n}.npy", x)
        save(path, d)
    return path


def rows(n):
    """Distances of n points of a 10-D normal distribution to the first 100 of them: n x 100, made in slices."""
    path = CACHE / f"rows-{n}.npy"
    if not path.exists():
        from scipy.spatial.distance import cdist
        part = path.with_suffix(".part")
        out = np.lib.format.open_memmap(part, "w+", np.float64, (n, LANDMARKS))
        rng = np.random.default_rng(7000)
        landmarks = None
        for start in range(0, n, 50_000):
            x = rng.standard_normal((min(50_000, n - start), 10))
            landmarks = x[:LANDMARKS] if landmarks is None else landmarks
            out[start:start + len(x)] = cdist(x, landmarks)
        out.flush()
        part.rename(path)
    return path


def save(path, array):
    part = path.with_suffix(".part")
    with open(part, "wb") as f:
        np.save(f, array)
    part.rename(path)


if __name__ == "__main__":
    CACHE.mkdir(parents=True, exist_ok=True)
    print({"distances": distances, "rows": rows}[sys.argv[1]](int(sys.argv[2])))
