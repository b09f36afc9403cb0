"""Every convex method and form beside CVXPY, on the same instances, which are made here.

    python3 -m venv venv && venv/bin/pip install cvxpy clarabel numpy
    venv/bin/python bench/truth_convex.py --nearer target/release/nearer [--only mvu] [--sizes 20,40]

For each instance: the optimum of the program as CVXPY with Clarabel finds it, what nearer attains and the bound it proves,
whether `nearer verify` accepts the certificate. It fails where an objective is off by more than 1e-5, where a bound is on the
wrong side of CVXPY's optimum by more than CVXPY's own accuracy, or where a certificate is rejected.
The programs are written down here from their definitions; nothing of nearer is used but its command.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import cvxpy as cp
import numpy as np

OFF, OWN = 1e-5, 2e-6


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


def gnmds(n, seed, folder):
    rows = triplets(points(n, 3, seed), 12 * n, 0.1, seed)
    name = labels(n)
    file = write(folder / "triplets.csv", ["head", "near", "far"], [[name[v] for v in r] for r in rows])
    slack = 0.05
    g = Gram(n)
    return [file], ["--method", "gnmds", "--slack", str(slack)], lambda: solve(
        cp.Problem(cp.Minimize(g.trace + hinge(g, rows, slack)))
    )


def neighbours(x, k):
    d = squared(x)
    pairs = set()
    for i in range(len(x)):
        for j in np.argsort(d[i], kind="stable")[1 : k + 1]:
            pairs.add((min(i, int(j)), max(i, int(j))))
    return sorted(pairs)


def judged(n, x):
    near = set(neighbours(x, 3))
    return [(i, j, 1 if (i, j) in near else 0) for i in range(n) for j in range(i + 1, n)]


def psde_objective(gram, said, slack, charge=0, one=False):
    both = [(i, j, s) for i, j, s in said] + [(j, i, s) for i, j, s in said]
    i, j, s = (np.array(v) for v in zip(*both))
    sign = np.where(s == 1, 1.0, -1.0)
    b = cp.Variable(1 if one else gram.n, nonneg=True)
    d = gram.d(i, j)
    cost = np.where(s == 1, 1.0 / (s == 1).sum(), -1.0 / (s == 0).sum())
    rows = cp.multiply(sign, d - (b[np.zeros_like(i)] if one else b[i]))
    objective, constraints = cost @ d + charge, [gram.trace <= 1]
    if slack is None:
        constraints.append(rows <= 0)
    else:
        objective = objective + slack * cp.sum(cp.pos(rows))
    return cp.Problem(cp.Minimize(objective), constraints)


def psde(n, seed, folder, slack=None, one=False):
    said, name = judged(n, points(n, 2, seed)), labels(n)
    if one and slack is None:
        # Neighbours by number can ask for a circle of radii; by distance they never do.
        d = squared(points(n, 2, seed))
        said = [(i, j, int(d[i, j] < 0.5)) for i, j, _ in said]
    file = write(folder / "pairs.csv", ["from", "to", "label"], [(name[i], name[j], s) for i, j, s in said])
    flags = ["--method", "psde"] + ([] if slack is None else ["--slack", str(slack)]) + (["--radii", "one"] if one else [])
    return [file], flags, lambda: solve(psde_objective(Gram(n), said, slack, one=one))


def graded_objective(gram, said, grades, slack, one):
    """Adjacent grades with nested radii, written with the rows of neighbouring grades alone where they must hold."""
    both = [(i, j, g) for i, j, g in said] + [(j, i, g) for i, j, g in said]
    i, j, g = (np.array(v) for v in zip(*both))
    d, levels = gram.d(i, j), grades - 1
    b = cp.Variable((1 if one else gram.n, levels), nonneg=True)
    at = np.zeros_like(i) if one else i
    objective, constraints = 0, [gram.trace <= 1]
    constraints += [b[:, k] <= b[:, k + 1] for k in range(levels - 1)]
    for k in range(levels):
        inside = g <= k + 1
        cost = np.where(inside, 1.0 / inside.sum(), -1.0 / (~inside).sum()) / levels
        objective = objective + cost @ d
        if slack is None:
            lower, upper = g == k + 2, g == k + 1
            constraints += [d[upper] <= b[at[upper], k], d[lower] >= b[at[lower], k]]
        else:
            sign = np.where(inside, 1.0, -1.0)
            objective = objective + slack * cp.sum(cp.pos(cp.multiply(sign, d - b[at, k])))
    return cp.Problem(cp.Minimize(objective), constraints)


def graded(n, seed, folder, slack=None, one=False):
    """Four grades by the quantiles of the distances: with noise where they may be broken."""
    d, name, rng = squared(points(n, 2, seed)), labels(n), np.random.default_rng(seed + 9)
    i, j = np.triu_indices(n, 1)
    near = d[i, j] * (1.0 if slack is None else np.exp(0.3 * rng.normal(size=len(i))))
    grade = 1 + np.searchsorted(np.quantile(near, [0.15, 0.4, 0.7]), near)
    said = [(int(a), int(b), int(g)) for a, b, g in zip(i, j, grade)]
    file = write(folder / "grades.csv", ["from", "to", "grade"], [(name[a], name[b], g) for a, b, g in said])
    flags = ["--method", "psde"] + ([] if slack is None else ["--slack", str(slack)]) + (["--radii", "one"] if one else [])
    return [file], flags, lambda: solve(graded_objective(Gram(n), said, 4, slack, one))


def robust(n, seed, folder):
    x, rng, name = points(n, 2, seed), np.random.default_rng(seed + 1), labels(n)
    delta = np.sqrt(squared(x))
    for i in range(n):
        for j in range(i + 1, n):
            if rng.uniform() < 0.1:
                delta[i, j] = delta[j, i] = 3 * delta[i, j]
    file = write(folder / "square.csv", ["label"] + name, [[name[i]] + [repr(float(v)) for v in delta[i]] for i in range(n)])
    i, j = np.triu_indices(n, 1)
    g = Gram(n)
    return [file], ["--method", "robust-mds"], lambda: solve(
        cp.Problem(cp.Minimize(cp.sum(cp.abs(delta[i, j] ** 2 - g.d(i, j)))))
    )


def partial_order(n, seed, folder):
    x, name = points(n, 2, seed), labels(n)
    rows, d = set(), squared(x)
    rng = np.random.default_rng(seed)
    while len(rows) < 3 * n:
        i, j, k = (int(v) for v in rng.choice(n, 3, replace=False))
        rows.add((i, j, k) if d[i, j] < d[i, k] else (i, k, j))
    rows = sorted(rows)
    file = write(folder / "order.csv", ["head", "near", "far"], [[name[v] for v in r] for r in rows])
    bound = 8.0
    g = Gram(n)
    i, j = np.triu_indices(n, 1)
    r = np.array(rows)
    keep = [g.d(i, j) <= bound, g.d(r[:, 0], r[:, 1]) + 1 <= g.d(r[:, 0], r[:, 2])]
    return [file], ["--method", "partial-order", "--bound", str(bound)], lambda: solve(
        cp.Problem(cp.Maximize(cp.sum(g.d(i, j))), keep)
    )


def roll(n, seed):
    rng = np.random.default_rng(seed)
    t = 1.5 * np.pi * (1 + 2 * rng.uniform(size=n))
    return np.c_[t * np.cos(t), 21 * rng.uniform(size=n), t * np.sin(t)]


def mvu(n, seed, folder, form="at-most", weight=None, features=False):
    k, name = 6, labels(n)
    x = roll(n, seed)
    edges = np.array(neighbours(x, k))
    i, j = edges[:, 0], edges[:, 1]
    data = squared(x)[i, j]
    if features:
        file = write(folder / "x.csv", ["label", "a", "b", "c"], [[name[r]] + [repr(float(v)) for v in x[r]] for r in range(n)])
    else:
        delta = np.sqrt(squared(x))
        file = write(folder / "d.csv", ["label"] + name, [[name[r]] + [repr(float(v)) for v in delta[r]] for r in range(n)])
    flags = ["--method", "mvu", "--neighbours", str(k), "--form", form, "--components", "refuse"]
    flags += [] if weight is None else ["--weight", str(weight)]
    flags += ["--kind", "features"] if features else []

    def theirs():
        g = Gram(n)
        d = g.d(i, j)
        if form == "at-most":
            problem = cp.Problem(cp.Maximize(g.trace), [d <= data])
        elif form == "soft":
            problem = cp.Problem(cp.Maximize(g.trace - weight * cp.sum(cp.abs(d - data))))
        else:
            problem = cp.Problem(cp.Maximize(g.trace - weight * cp.sum_squares(d - data)))
        return solve(problem)

    return [file], flags, theirs


def linear_span(x):
    """An orthonormal basis of the centred features, and what tr(QK) costs on it, for the kernel of mean length 1."""
    c = x - x.mean(0)
    u, s, _ = np.linalg.svd(c / np.linalg.norm(c, axis=0), full_matrices=False)
    u = u[:, s > 1e-12 * s[0]]
    k = c @ c.T / (c**2).sum(1).mean()
    return u, np.linalg.inv(u.T @ k @ u)


def featured(n, seed, folder):
    # Units of all sizes: nothing may depend on them.
    x, name = points(n, 4, seed) * np.array([3e3, 1.0, 30.0, 0.1]), labels(n)
    return x, write(folder / "f.csv", ["label", "a", "b", "c", "d"], [[name[r]] + [repr(float(v)) for v in x[r]] for r in range(n)])


def kpsde(n, seed, folder, trace=0.0):
    x, table = featured(n, seed, folder)
    said, name = judged(n, (x / x.std(0))[:, 1:3]), labels(n)
    file = write(folder / "pairs.csv", ["from", "to", "label"], [(name[i], name[j], s) for i, j, s in said])
    slack = 0.002
    u, cost = linear_span(x)

    def theirs():
        g = Gram(n, u)
        charge = trace * cp.trace(cost @ g.z) if trace else 0
        return solve(psde_objective(g, said, slack, charge))

    flags = ["--method", "kpsde", "--kernel", f"linear:{table}", "--slack", str(slack), "--trace", str(trace)]
    return [file], flags, theirs


def kernel_gnmds(n, seed, folder):
    x, table = featured(n, seed, folder)
    rows, name = triplets(x / x.std(0), 12 * n, 0.1, seed), labels(n)
    file = write(folder / "triplets.csv", ["head", "near", "far"], [[name[v] for v in r] for r in rows])
    slack = 0.05
    c = x - x.mean(0)

    def theirs():
        # With G = B M Bᵗ for the features B of the kernel K = B Bᵗ, tr(QK) is tr M.
        g = Gram(n, c / np.sqrt((c**2).sum(1).mean()))
        return solve(cp.Problem(cp.Minimize(cp.trace(g.z) + hinge(g, rows, slack))))

    return [file], ["--method", "kernel-gnmds", "--kernel", f"linear:{table}", "--slack", str(slack)], theirs


# Learned metrics: features with classes, pairs or comparisons, d2 = z' M z for differences z of features.
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


CASES = {
    "gnmds": gnmds,
    "psde hard": psde,
    "psde slack": lambda *a: psde(*a, slack=0.01),
    "psde one radius": lambda *a: psde(*a, one=True),
    "psde one radius slack": lambda *a: psde(*a, slack=0.01, one=True),
    "psde grades": graded,
    "psde grades slack": lambda *a: graded(*a, slack=0.002),
    "psde grades one radius": lambda *a: graded(*a, one=True),
    "psde grades one radius slack": lambda *a: graded(*a, slack=0.002, one=True),
    "partial-order": partial_order,
    "robust-mds": robust,
    "mvu at-most": mvu,
    "mvu soft": lambda *a: mvu(*a, form="soft", weight=20.0),
    "mvu penalised": lambda *a: mvu(*a, form="penalised", weight=0.5),
    "mvu at-most features": lambda *a: mvu(*a, features=True),
    "mvu penalised features": lambda *a: mvu(*a, form="penalised", weight=0.5, features=True),
    "kpsde": kpsde,
    "kpsde trace": lambda *a: kpsde(*a, trace=1e-8),
    "kernel-gnmds": kernel_gnmds,
    "metric mmc classes": mmc,
    "metric mmc pairs": mmc_pairs,
    "metric mmc diagonal": lambda *a: mmc_pairs(*a, diagonal=True),
    "metric lmnn classes": lmnn,
    "metric lmnn comparisons": lmnn_comparisons,
    "metric lmnn polynomial kernel": lambda *a: lmnn_kernel(*a, kind="polynomial"),
    "metric lmnn rbf kernel": lambda *a: lmnn_kernel(*a, kind="rbf"),
    "metric mcml": mcml,
}


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nearer", default="target/release/nearer")
    parser.add_argument("--only", default="")
    parser.add_argument("--sizes", default="20,40")
    parser.add_argument("--seeds", default="1,2")
    parser.add_argument("--gap", default="1e-6")
    asked = parser.parse_args()
    wrong = 0
    print(f"CVXPY {cp.__version__} with Clarabel\n")
    print("| program | n | seed | CVXPY | nearer attains | off | proves | gap | verify | seconds CVXPY, nearer |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, make in CASES.items():
        if asked.only not in name:
            continue
        for n in (int(v) for v in asked.sizes.split(",")):
            for seed in (int(v) for v in asked.seeds.split(",")):
                with tempfile.TemporaryDirectory() as folder:
                    folder = pathlib.Path(folder)
                    files, flags, theirs = make(n, seed, folder)
                    start = time.time()
                    optimum, status = theirs()
                    took = time.time() - start
                    cert = str(folder / "x.cert")
                    gap = ["--gap", asked.gap]
                    ours = run([asked.nearer, "embed", *files, *flags, *gap, "--json", "-o", cert])
                    if ours.returncode != 0:
                        print(f"| {name} | {n} | {seed} | {optimum:.9g} | {ours.stderr.strip().splitlines()[-1]} |")
                        wrong += 1
                        continue
                    said = json.loads(ours.stdout)
                    c = said["certificate"]
                    kernel = flags.index("--kernel") if "--kernel" in flags else None
                    again = ["--kernel", flags[kernel + 1]] if kernel is not None else []
                    for flag in ("--kind", "--classes"):
                        again += [flag, flags[flags.index(flag) + 1]] if flag in flags else []
                    verified = run([asked.nearer, "verify", cert, *files, *again]).returncode == 0
                    size = abs(optimum)
                    off = abs(c["primal"] - optimum) / size
                    sign = 1 if c["sense"] == "minimise" else -1
                    passed = c["bound"] is None or sign * (c["bound"] - optimum) <= OWN * size
                    bad = off > OFF or not passed or not verified or status not in ("optimal", "optimal_inaccurate")
                    wrong += bad
                    print(
                        f"| {name} | {n} | {seed} | {optimum:.9g} ({status}) | {c['primal']:.9g} | {off:.1e} | {c['bound']:.9g} | "
                        f"{c['gap']:.1e} | {'accepted' if verified else 'REJECTED'} | {took:.1f}, {said['seconds']['fit']:.2f} |"
                        f"{' <- WRONG' if bad else ''}",
                        flush=True,
                    )
    print(f"\n{wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
