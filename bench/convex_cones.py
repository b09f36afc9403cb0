"""The programs of the convex bench for general solvers: cone forms for SCS and Clarabel, SDPA files for CSDP.

A program is a class with n (the order of its matrix), `cone(lower)`, `sdpa(path)` and `objective(gram)`, which recomputes
the objective from a matrix alone. All are over Gram matrices G with d_ij = G_ii + G_jj - 2 G_ij.
"""
import numpy as np
import scipy.sparse as sp

import convex_instances as instances


def places(n, lower):
    """Where (i, j) stands in the stacked triangle: Clarabel stacks the upper one by columns, SCS the lower one."""
    at = np.zeros((n, n), np.int64)
    rows, columns = np.triu_indices(n) if lower else np.tril_indices(n)
    # Row by row through the other triangle is column by column through the one that is meant.
    at[rows, columns] = at[columns, rows] = np.arange(len(rows))
    return at


def matrix(x, n, lower):
    gram = x[places(n, lower)]
    gram[~np.eye(n, dtype=bool)] /= np.sqrt(2)
    return gram


def distances(at, i, j, rows, factors, shape):
    """Rows of `factor d_ij` over the stacked triangle, in which entries off the diagonal are times √2."""
    columns = np.concatenate([at[i, i], at[j, j], at[i, j]])
    values = np.concatenate([factors, factors, -np.sqrt(2) * factors])
    return sp.coo_matrix((values, (np.tile(rows, 3), columns)), shape=shape).tocsc()


def squared(gram):
    own = np.diag(gram)
    return own[:, None] + own[None, :] - 2 * gram


def ones(rows, columns, shape, value=1.0):
    return sp.coo_matrix((np.full(len(rows), value), (rows, columns)), shape=shape).tocsc()


class Psde:
    """min Σ d/alike - Σ d/unlike with radii b ≥ 0: d ≤ b_i for pairs alike, d ≥ b_i for others, tr G ≤ 1."""

    def __init__(self, n):
        self.n, self.near = n, instances.cylinder(n)
        alike, unlike = self.near > 0, self.near < 0
        self.weights = alike / alike.sum() - unlike / unlike.sum()
        self.i, self.j = np.nonzero(self.near)
        self.sign = self.near[self.i, self.j].astype(float)

    def cone(self, lower):
        n, m = self.n, len(self.i)
        size = n * (n + 1) // 2
        at, width = places(n, lower), size + n
        a, b = np.nonzero(self.weights)
        cost = distances(at, a, b, np.zeros(len(a), int), self.weights[a, b], (1, width)).toarray()[0]
        held = distances(at, self.i, self.j, np.arange(m), self.sign, (m, width))
        held = held + sp.coo_matrix((-self.sign, (np.arange(m), size + self.i)), shape=(m, width)).tocsc()
        radii = ones(np.arange(n), size + np.arange(n), (n, width), -1.0)
        trace = ones(np.zeros(n, int), at.diagonal(), (1, width))
        psd = sp.hstack([-sp.identity(size), sp.csc_matrix((size, n))]).tocsc()
        right = np.concatenate([np.zeros(m + n), [1.0], np.zeros(size)])
        return cost, sp.vstack([held, radii, trace, psd]).tocsc(), right, m + n + 1

    def objective(self, gram):
        return float((self.weights * squared(gram)).sum())


class Gnmds:
    """min tr G + slack Σ ξ with d_far - d_near + ξ ≥ 1, ξ ≥ 0."""

    def __init__(self, n, count, slack):
        self.n, self.rows, self.slack = n, instances.triplets(n, count), slack

    def cone(self, lower):
        n, m, rows = self.n, len(self.rows), self.rows
        size = n * (n + 1) // 2
        at, width, each = places(n, lower), size + m, np.arange(m)
        cost = np.concatenate([np.zeros(size), np.full(m, self.slack)])
        cost[at.diagonal()] = 1
        one, shape = np.ones(m), (m, size + m)
        held = distances(at, rows[:, 0], rows[:, 1], each, one, shape)
        held = held - distances(at, rows[:, 2], rows[:, 3], each, one, shape) - ones(each, size + each, shape)
        positive = ones(each, size + each, (m, width), -1.0)
        psd = sp.hstack([-sp.identity(size), sp.csc_matrix((size, m))]).tocsc()
        return cost, sp.vstack([held, positive, psd]).tocsc(), np.concatenate([-one, np.zeros(m + size)]), 2 * m

    def objective(self, gram):
        d, rows = squared(gram), self.rows
        broken = 1 - d[rows[:, 2], rows[:, 3]] + d[rows[:, 0], rows[:, 1]]
        return float(np.trace(gram) + self.slack * np.maximum(broken, 0).sum())


class Mvu:
    """max the spread about the centre with d ≤ d² on the edges; the last point is at the origin, so the order is n - 1."""

    def __init__(self, n):
        self.points, (_, self.edges, self.lengths) = n, instances.roll(n)
        self.n = n - 1

    def cone(self, lower):
        q, m, edges = self.n, len(self.edges), self.edges
        at, size = places(q, lower), q * (q + 1) // 2
        cost = np.full(size, np.sqrt(2) / self.points)
        cost[at.diagonal()] = 1 / self.points - 1
        last = edges[:, 1] == q
        free, tied = np.where(~last)[0], np.where(last)[0]
        held = distances(at, edges[free, 0], edges[free, 1], free, np.ones(len(free)), (m, size))
        held = held + ones(tied, at[edges[tied, 0], edges[tied, 0]], (m, size))
        return cost, sp.vstack([held, -sp.identity(size)]).tocsc(), np.concatenate([self.lengths, np.zeros(size)]), m

    def objective(self, gram):
        return float(np.trace(gram) - gram.sum() / self.points)

    def sdpa(self, path):
        """Rows as equalities with slacks; CSDP maximises."""
        m, q = len(self.edges), self.n
        with open(path, "w") as f:
            f.write(f"{m}\n2\n{q} {-m}\n" + " ".join(f"{v:.17g}" for v in self.lengths) + "\n")
            for a, b in zip(*np.triu_indices(q)):
                f.write(f"0 1 {a + 1} {b + 1} {(a == b) - 1 / self.points:.17g}\n")
            for t, (a, b) in enumerate(self.edges, 1):
                f.write(f"{t} 2 {t} {t} 1\n{t} 1 {a + 1} {a + 1} 1\n")
                if b < q:
                    f.write(f"{t} 1 {b + 1} {b + 1} 1\n{t} 1 {a + 1} {b + 1} -1\n")

    def answer(self, path):
        """The matrix in a solution of CSDP."""
        gram = np.zeros((self.n, self.n))
        with open(path) as f:
            next(f)
            for line in f:
                part, block, a, b, value = line.split()
                if (part, block) == ("2", "1"):
                    gram[int(a) - 1, int(b) - 1] = gram[int(b) - 1, int(a) - 1] = float(value)
        return gram
