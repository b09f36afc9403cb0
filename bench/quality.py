"""How good a map is, by one independent piece of numpy for everybody: no program is asked about itself.

    python quality.py strain|stress|kruskal|landmark EVIDENCE.npy MAP.npy      prints one line of JSON
"""
import json
import sys

import numpy as np


def strain(d, y):
    """|B - YY'| / |B| for the double-centred B."""
    b = d**2
    b *= -0.5
    b -= b.mean(0)
    b -= b.mean(1)[:, None]
    norm = np.linalg.norm(b)
    y = y - y.mean(0)
    b -= y @ y.T
    return float(np.linalg.norm(b) / norm)


def pairs(d, y):
    from scipy.spatial.distance import pdist
    return d[np.triu_indices(len(d), 1)], pdist(y)


def stress(d, y):
    """Stress-1 at the best scale of the map."""
    delta, m = pairs(d, y)
    return float(np.sqrt(max(0.0, 1.0 - (m @ delta) ** 2 / ((m @ m) * (delta @ delta)))))


def kruskal(d, y):
    """Kruskal's stress-1, the first treatment of ties: equal data may have any order on the map."""
    from scipy.optimize import isotonic_regression
    delta, m = pairs(d, y)
    m = m[np.lexsort((m, delta))]
    return float(np.sqrt(((m - isotonic_regression(m).x) ** 2).sum() / (m**2).sum()))


def landmark(rows, y, sample=5000):
    """How far a map is from landmark MDS written down again in six lines: relative rms after the best rigid motion."""
    k, p = rows.shape[1], y.shape[1]
    square = rows[:k] ** 2
    centre = np.eye(k) - 1.0 / k
    values, vectors = np.linalg.eigh(-0.5 * centre @ square @ centre)
    pinv = (vectors[:, -p:] / np.sqrt(values[-p:])).T
    at = np.linspace(0, len(rows) - 1, min(sample, len(rows))).astype(int)
    z = -0.5 * (rows[at] ** 2 - square.mean(0)) @ pinv.T
    a, b = z - z.mean(0), y[at] - y[at].mean(0)
    u, _, v = np.linalg.svd(b.T @ a)
    return float(np.linalg.norm(a - b @ u @ v) / np.linalg.norm(a))


if __name__ == "__main__":
    which, evidence, coordinates = sys.argv[1:]
    e = np.load(evidence, mmap_mode="r" if which == "landmark" else None)
    print(json.dumps({which: globals()[which](e, np.load(coordinates))}))
