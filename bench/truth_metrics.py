"""Learned metrics beside CVXPY: features with classes, pairs or comparisons, d2 = z' M z for differences z of features."""
import cvxpy as cp
import numpy as np

from truth_common import labels, solve, squared, triplets, write


def classed(n, dims, seed, folder, name="classed.csv"):
    """Three classes apart in two directions, in features of different spread."""
    rng, y = np.random.default_rng(seed), np.arange(n) % 3
    x = rng.normal(size=(n, dims)) * np.array([1.0, 0.7, 2.0, 0.4, 1.5])[:dims]
    x[:, 0] += 2 * np.cos(2 * y)
    x[:, 1] += 2 * np.sin(2 * y)
    file = write(
        folder / name,
        ["label"] + [f"f{k}" for k in range(dims)] + ["kind"],
        [[label] + [repr(float(v)) for v in row] + [f"k{c}"] for label, row, c in zip(labels(n), x, y)],
    )
    return x, y, file


def forms(x, i, j):
    """The squared lengths of differences under M are these rows times the entries of M."""
    z = x[np.asarray(i)] - x[np.asarray(j)]
    return (z[:, :, None] * z[:, None, :]).reshape(len(z), -1)


class Metric:
    def __init__(self, x, diagonal=False):
        q = x.shape[1]
        self.x = x
        self.m = cp.diag(cp.Variable(q, nonneg=True)) if diagonal else cp.Variable((q, q), PSD=True)
        self.flat = cp.reshape(self.m, (q * q,), order="C")

    def d(self, i, j):
        return forms(self.x, i, j) @ self.flat


def mean_variance(x, i, j, weight=1.0):
    """Of pairs along a direction, times how many they are."""
    return (weight * ((x[np.asarray(i)] - x[np.asarray(j)]) ** 2).sum(1)).sum() / x.shape[1]


def mmc_optimum(x, alike, apart, diagonal=False, ridge=1e-2):
    (i, j), (k, l) = np.array(alike).T, np.array(apart).T
    metric = Metric(x, diagonal)
    weight = ridge * mean_variance(x, i, j)
    held = cp.sum(metric.d(i, j)) + weight * cp.trace(metric.m) <= 1
    return solve(cp.Problem(cp.Maximize(cp.sum(cp.sqrt(metric.d(k, l)))), [held]))


def mmc(n, seed, folder):
    x, y, file = classed(n, 4, seed, folder)
    i, j = np.triu_indices(n, 1)
    both = list(zip(i, j))
    alike, apart = [p for p in both if y[p[0]] == y[p[1]]], [p for p in both if y[p[0]] != y[p[1]]]
    flags = ["--method", "mmc", "--classes", "kind", "--pairs", str(len(both))]
    return [file], flags, lambda: mmc_optimum(x, alike, apart)


def mmc_pairs(n, seed, folder, diagonal=False):
    """Some pairs, a tenth of them wrong."""
    x, y, _ = classed(n, 5, seed, folder, "unused.csv")
    rng, name = np.random.default_rng(seed + 3), labels(n)
    features = write(folder / "x.csv", ["label"] + [f"f{k}" for k in range(5)], [[a] + [repr(float(v)) for v in r] for a, r in zip(name, x)])
    i, j = np.triu_indices(n, 1)
    said = [(int(i[t]), int(j[t]), bool(y[i[t]] == y[j[t]]) != (rng.uniform() < 0.1)) for t in rng.choice(len(i), 3 * n, replace=False)]
    rows = [(name[a], name[b], "must-link" if s else "cannot-link") for a, b, s in said]
    pairs = write(folder / "pairs.csv", ["from", "to", "label"], rows)
    alike, apart = [(a, b) for a, b, s in said if s], [(a, b) for a, b, s in said if not s]
    flags = ["--method", "mmc"] + (["--form", "diagonal"] if diagonal else [])
    return [pairs, features + "::kind=features"], flags, lambda: mmc_optimum(x, alike, apart, diagonal)


def lmnn_optimum(x, near, hinges, push=0.5, ridge=1e-3, turned=None):
    """`hinges` are rows of target and other pair. Of a kernel, Clarabel is given coordinates of one size and the trace on the others, and
    told is the objective of the psd part of its metric: with eigenvalues of -3e-10 it would be better than can be, by 4e-6 of it."""
    (i, j), h = np.array(near).T, np.array(hinges)
    at = x if turned is None else turned
    metric = Metric(at)
    cost = np.ones(x.shape[1]) if turned is None else (turned**2).sum(0) / (x**2).sum(0)
    charge = ridge * mean_variance(x, i, j, 1 - push) * cp.sum(cp.multiply(cost, cp.diag(metric.m)))
    # The differences of squared lengths are formed before they meet the variable: one row each.
    rows = forms(at, h[:, 0], h[:, 1]) - forms(at, h[:, 2], h[:, 3])
    pull = (1 - push) * (forms(at, i, j).sum(0) @ metric.flat)
    problem = cp.Problem(cp.Minimize(pull + push * cp.sum(cp.pos(1 + rows @ metric.flat)) + charge))
    optimum, status = solve(problem)
    if turned is None:
        return optimum, status
    values, vectors = np.linalg.eigh(metric.m.value)
    metric.m.save_value((vectors * np.maximum(values, 0)) @ vectors.T)
    return problem.objective.value, status


def of_classes(x, y, targets=3):
    d, n = squared(x), len(x)
    same = lambda i: [int(j) for j in np.argsort(d[i], kind="stable") if j != i and y[j] == y[i]][:targets]
    near = [(i, j) for i in range(n) for j in same(i)]
    return near, [(i, j, i, k) for i, j in near for k in range(n) if y[k] != y[i]]


def lmnn(n, seed, folder):
    x, y, file = classed(n, 4, seed, folder)
    return [file], ["--method", "lmnn", "--classes", "kind"], lambda: lmnn_optimum(x, *of_classes(x, y))


def lmnn_comparisons(n, seed, folder):
    """Triplets of what was seen through two of five features, one in ten the wrong way round: near pairs are targets, each row a hinge."""
    x, _, _ = classed(n, 5, seed, folder, "unused.csv")
    name = labels(n)
    features = write(folder / "x.csv", ["label"] + [f"f{k}" for k in range(5)], [[a] + [repr(float(v)) for v in r] for a, r in zip(name, x)])
    rows = triplets(x[:, :2], 10 * n, 0.1, seed)
    file = write(folder / "triplets.csv", ["head", "near", "far"], [[name[v] for v in r] for r in rows])
    hinges = [(i, j, i, k) for i, j, k in rows]
    flags = ["--method", "lmnn"]
    return [file, features + "::kind=features"], flags, lambda: lmnn_optimum(x, [h[:2] for h in hinges], hinges)


def lmnn_kernel(n, seed, folder, kind):
    """In the span of a kernel: the same question on its principal coordinates, targets included."""
    x, y, file = classed(n, 4, seed, folder)
    if kind == "rbf":
        k, said = np.exp(-squared(x) / (2 * 3.0**2)), f"rbf,width=3:{file}"
    else:
        k, said = (0.5 * x[:, :2] @ x[:, :2].T + 1.0) ** 2, f"polynomial,degree=2,scale=0.5,offset=1:{file}#f0,f1"
    h = np.eye(n) - 1.0 / n
    k = h @ k @ h
    values, vectors = np.linalg.eigh(k / np.trace(k) * n)
    kept = values > 1e-6 * values[-1]
    z = vectors[:, kept] * np.sqrt(values[kept])
    flags = ["--method", "lmnn", "--classes", "kind", "--kernel", said]
    return [file], flags, lambda: lmnn_optimum(z, *of_classes(z, y), turned=vectors[:, kept] * np.sqrt(n))


def mcml(n, seed, folder):
    x, y, file = classed(n, 3, seed, folder)

    def theirs():
        metric = Metric(x)
        cost = 1e-3 * ((x - x.mean(0)) ** 2).sum() / x.shape[1] * cp.trace(metric.m)
        for i in range(n):
            others = [k for k in range(n) if k != i]
            same = [k for k in others if y[k] == y[i]]
            cost += cp.sum(metric.d([i] * len(same), same)) / len(same) - np.log(len(same))
            cost += cp.log_sum_exp(-metric.d([i] * len(others), others))
        return solve(cp.Problem(cp.Minimize(cost)))

    return [file], ["--method", "mcml", "--classes", "kind"], theirs
