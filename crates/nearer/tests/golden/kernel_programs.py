"""Optima of small convex programs in the span of kernels, by Clarabel through CVXPY; writes kernel_programs.json beside it.

The instances are those of src/solve/tests/kernel_programs.rs, made of a seed by splitmix64 in the same order of operations. The
matrices Q of the kernels are the variables here, as in the papers: no whitening, no basis. Run by `cargo xtask golden`."""

import json
import pathlib
import warnings

import cvxpy as cp
import numpy as np

from gram_programs import Splitmix

warnings.filterwarnings("ignore")


def instance(seed, n, duplicates):
    rng = Splitmix(seed)
    x = np.array([[rng.uniform() for _ in range(4)] for _ in range(n)])
    if duplicates:
        x[1::2] = x[: n - n % 2 : 2]
    return rng, x


def kernels(x, count):
    n = len(x)
    h = np.eye(n) - 1 / n
    square = ((x[:, None, :] - x[None, :, :]) ** 2).sum(2)
    raw = [x[:, :2] @ x[:, :2].T, np.exp(-square / (2 * 0.3**2))]
    some = [h @ k @ h for k in (raw if count == 2 else raw[1:])]
    return [k / k.diagonal().mean() for k in some]


def triplets(rng, x, rows):
    n, found = len(x), []
    d = ((x[:, None, :2] - x[None, :, :2]) ** 2).sum(2)
    while len(found) < rows:
        head, a, b = rng.below(n), rng.below(n), rng.below(n)
        wrong = rng.uniform() < 0.1
        if head == a or head == b or a == b:
            continue
        if (d[head, a] <= d[head, b]) == wrong:
            a, b = b, a
        found.append((head, a, b))
    return found


def near(x, k):
    n = len(x)
    d = ((x[:, None, :2] - x[None, :, :2]) ** 2).sum(2)
    alike = np.zeros((n, n), bool)
    for i in range(n):
        for j in sorted((j for j in range(n) if j != i), key=lambda j: (d[i, j], j))[:k]:
            alike[i, j] = alike[j, i] = True
    return alike


class Space:
    """d(i, j) over matrices Q, their traces, and the trace of the centred Gram matrix."""

    def __init__(self, all_kernels, r):
        n = len(all_kernels[0])
        self.columns = [k[:, :r] for k in all_kernels]
        self.among = [k[:r, :r] for k in all_kernels]
        self.q = [cp.Variable((r, r), PSD=True) for _ in all_kernels]
        self.n = n

    def d(self, i, j):
        return sum(cp.sum(cp.multiply(np.outer(c[i] - c[j], c[i] - c[j]), q)) for c, q in zip(self.columns, self.q))

    def charge(self):
        return sum(cp.trace(q @ k) for q, k in zip(self.q, self.among))

    def spread(self):
        centred = [c - c.mean(0) for c in self.columns]
        return sum(cp.sum(cp.multiply(c.T @ c, q)) for c, q in zip(centred, self.q))


def optimum(case):
    n, r = case["n"], case["basis"]
    rng, x = instance(case["seed"], n, case["duplicates"])
    s = Space(kernels(x, case["kernels"]), r)
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    program, slack, trace = case["program"], case["slack"], case["trace"]
    if program == "gnmds":
        rows = triplets(rng, x, case["rows"])
        xi = sum(cp.pos(1 + s.d(h, a) - s.d(h, b)) for h, a, b in rows)
        problem = cp.Problem(cp.Minimize(trace * s.charge() + slack * xi))
    elif program == "partial-order":
        rows = triplets(rng, x, case["rows"])
        xi = sum(cp.pos(1 + s.d(h, a) - s.d(h, b)) for h, a, b in rows)
        gain = sum(s.d(i, j) for i, j in pairs) - slack * xi - trace * s.charge()
        problem = cp.Problem(cp.Maximize(gain), [s.d(i, j) <= case["bound"] for i, j in pairs])
    elif program == "psde":
        alike = near(x, 2)
        b = cp.Variable(n, nonneg=True)
        ordered = [(i, j) for i in range(n) for j in range(n) if i != j]
        same = [p for p in ordered if alike[p]]
        other = [p for p in ordered if not alike[p]]
        xi = sum(cp.pos(s.d(i, j) - b[i]) for i, j in same) + sum(cp.pos(b[i] - s.d(i, j)) for i, j in other)
        value = sum(s.d(*p) for p in same) / len(same) - sum(s.d(*p) for p in other) / len(other)
        problem = cp.Problem(cp.Minimize(value + slack * xi + trace * s.charge()), [s.spread() <= 1])
    else:
        alike = near(x, 3)
        d = ((x[:, None, :2] - x[None, :, :2]) ** 2).sum(2)
        held = [s.d(i, j) <= d[i, j] for i, j in pairs if alike[i, j]]
        problem = cp.Problem(cp.Maximize(s.spread() - trace * s.charge()), held)
    problem.solve(solver="CLARABEL", tol_gap_abs=1e-8, tol_gap_rel=1e-8, tol_feas=1e-8)
    return problem.status, float(problem.value)


def listed():
    for seed in range(4):
        for count in (1, 2):
            for basis in (0, 5):
                n = 9 + seed % 3
                common = dict(seed=seed, n=n, kernels=count, basis=basis or n, duplicates=False)
                yield dict(common, program="gnmds", rows=40, slack=[0.05, 0.5][seed % 2], trace=1.0)
                yield dict(common, program="psde", slack=[0.02, 0.1][seed % 2], trace=[0.0, 0.01][seed // 2])
                yield dict(common, program="partial-order", rows=30, slack=3.0, bound=12.0, trace=[0.0, 0.5][seed // 2])
                yield dict(common, program="mvu", slack=0.0, trace=[0.0, 0.01][seed // 2])
    for seed in (10, 11):
        common = dict(seed=seed, n=10, kernels=2, basis=10, duplicates=True)
        yield dict(common, program="gnmds", rows=40, slack=0.2, trace=1.0)
        yield dict(common, program="psde", slack=0.05, trace=0.01)
        yield dict(common, program="partial-order", rows=30, slack=3.0, bound=12.0, trace=0.5)


def main():
    cases = []
    for case in listed():
        status, value = optimum(case)
        print(case["program"], case["seed"], case["kernels"], case["basis"], status, value, flush=True)
        if status == "optimal":
            cases.append(dict(case, optimum=value))
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")


if __name__ == "__main__":
    main()
