"""What the instances of truth_convex.py and truth_metrics.py are made of: points, answers, files, and sums over a Gram matrix."""
import csv

import cvxpy as cp
import numpy as np


def labels(n):
    return [f"o{i:03d}" for i in range(n)]


def squared(x):
    return ((x[:, None, :] - x[None, :, :]) ** 2).sum(-1)


def write(path, head, rows):
    with open(path, "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(head)
        w.writerows(rows)
    return str(path)


# The variable: a Gram matrix of points, or of points in a span.
class Gram:
    def __init__(self, n, basis=None):
        self.n = n
        q = n if basis is None else basis.shape[1]
        self.z = cp.Variable((q, q), PSD=True)
        self.g = self.z if basis is None else basis @ self.z @ basis.T
        h = np.eye(n) - 1.0 / n
        self.trace = cp.trace(self.g @ h)

    def d(self, i, j):
        i, j = np.asarray(i), np.asarray(j)
        diag = cp.diag(self.g)
        n = self.n
        flat = cp.reshape(self.g, (n * n,), order="C")
        return diag[i] + diag[j] - 2 * flat[i * n + j]


def solve(problem):
    # Clarabel's own factorisation needs an hour for 100 objects, faer's minutes.
    problem.solve(solver="CLARABEL", tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9, direct_solve_method="faer")
    return problem.value, problem.status


def points(n, dims, seed):
    return np.random.default_rng(seed).normal(size=(n, dims))


def triplets(x, count, flipped, seed):
    rng = np.random.default_rng(seed)
    d, rows = squared(x), []
    while len(rows) < count:
        i, j, k = rng.choice(len(x), 3, replace=False)
        if d[i, j] > d[i, k]:
            j, k = k, j
        rows.append((i, k, j) if rng.uniform() < flipped else (i, j, k))
    return rows


def merged(rows):
    """The same comparison several times is one, its weights added."""
    out = {}
    for i, j, k in rows:
        key = ((min(i, j), max(i, j)), (min(i, k), max(i, k)))
        out[key] = out.get(key, 0) + 1
    return out


def hinge(gram, rows, slack):
    m = merged(rows)
    near, far = np.array([k[0] for k in m]), np.array([k[1] for k in m])
    w = np.array(list(m.values()), float)
    return slack * cp.sum(cp.multiply(w, cp.pos(1 + gram.d(near[:, 0], near[:, 1]) - gram.d(far[:, 0], far[:, 1]))))


def linear_span(x):
    """An orthonormal basis of the centred features, and what tr(QK) costs on it, for the kernel of mean length 1."""
    c = x - x.mean(0)
    u, s, _ = np.linalg.svd(c / np.linalg.norm(c, axis=0), full_matrices=False)
    u = u[:, s > 1e-12 * s[0]]
    k = c @ c.T / (c**2).sum(1).mean()
    return u, np.linalg.inv(u.T @ k @ u)
