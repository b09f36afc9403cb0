"""Optima of small linear and quadratic programs over weights, by HiGHS and Clarabel; writes diagonal_programs.json beside it.

The instances are those of src/solve/tests/weights.rs, made of a seed by splitmix64 in the same order of operations.
Run by `cargo xtask golden`, which installs the solvers. Nothing of nearer is used here."""

import json
import pathlib
import sys

import clarabel
import numpy as np
import scipy
import scipy.sparse as sp
from scipy.optimize import linprog

from gram_programs import Splitmix, cloud, key, triplets

KINDS = ("qp-features", "qp-kernels", "trace-kernels", "partial-order")
INSTANCES = 240
SHAPES = ("contradictory", "none", "one", "flat")


def shape_of(seed):
    """duplicates: every second object is the one before; zero: one object or column is nothing; flat: no column varies."""
    return {5: "duplicates", 6: "zero", 7: SHAPES[seed // 8 % 4]}.get(seed % 8, "plain")


def instance(kind, seed):
    """Features, P, costs, spread, bound, and rows (near, far, margin, weight)."""
    rng, shape = Splitmix(4 * seed + KINDS.index(kind)), shape_of(seed)
    n = 4 + seed % 9
    x = [[rng.uniform() for _ in range(3)] for _ in range(n)]
    for i in range(n):
        if shape == "duplicates" and i % 2 == 1:
            x[i] = list(x[i - 1])
        if shape == "flat":
            x[i] = [0.5, 0.25, 1.0]
        if shape == "zero":
            x[i][1] = 0.0
            if i == 0:
                x[i] = [0.0, 0.0, 0.0]
    hidden = cloud(rng, n, 2, "duplicates" if shape == "duplicates" else "plain")
    count = {"none": 0, "one": 1}.get(shape, 10 + 5 * (seed % 7))
    slack = (0.3, 3.0, 30.0)[seed % 3]
    rows = []
    for head, near, far in triplets(rng, hidden, count, 0.1, shape):
        rows.append((key(head, near), key(head, far), 1.0 + rng.below(2), slack))
    if kind == "qp-features":
        return np.array(x), [np.diag([1.0 + k for k in range(3)])], np.zeros(3), 0.0, None, rows
    dot = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            for k in range(3):
                dot[i][j] += x[i][k] * x[j][k]
    kernels = [np.array(dot), np.array([[(1.0 + v) * (1.0 + v) for v in row] for row in dot])]
    f = np.hstack(kernels)
    diagonal = np.concatenate([np.diag(k) for k in kernels])
    if kind == "qp-kernels":
        return f, [k * k for k in kernels], np.zeros(2 * n), 0.0, None, rows
    if kind == "trace-kernels":
        return f, None, diagonal, 0.0, None, rows
    return f, None, (0.1, 1.0, 10.0)[seed // 3 % 3] * diagonal, -1.0, (3.0, 20.0, 200.0)[seed // 5 % 3], rows


def solve(f, blocks, cost, spread, bound, rows):
    """The least value of the program, and how far the solver's two sides are apart."""
    n, q = f.shape
    if not rows and spread == 0.0:
        return 0.0, 0.0  # nothing is asked, and weights cost
    square = {(i, j): (f[i] - f[j]) ** 2 for i in range(n) for j in range(i + 1, n)}
    cost = cost + spread * sum(square.values())
    # w, then a slack for each row; unit columns, so that the tolerances of the solver mean the same for all
    wide = f.max(0) - f.min(0)
    size = np.where(wide > 0, wide, 1.0) ** 2
    a = [np.concatenate([(square[near] - square[far]) / size, -np.eye(len(rows))[t]])
         for t, (near, far, _, _) in enumerate(rows)]
    b = [-margin for _, _, margin, _ in rows]
    if bound is not None:
        a += [np.concatenate([z / size, np.zeros(len(rows))]) for z in square.values()]
        b += [bound] * len(square)
    c = np.concatenate([cost / size, [weight for *_, weight in rows]])
    if blocks is None:
        tight = dict(primal_feasibility_tolerance=1e-10, dual_feasibility_tolerance=1e-10)
        r = linprog(c, A_ub=np.array(a), b_ub=np.array(b), method="highs-ds", options=tight)
        assert r.status == 0, r.message
        dual = float(r.ineqlin.marginals @ np.array(b))
        return float(r.fun), abs(float(r.fun) - dual)
    p = np.zeros((len(c), len(c)))
    p[:q, :q] = scipy.linalg.block_diag(*blocks) / size / size[:, None]
    rows_of = np.vstack([*a, -np.eye(len(c))])
    right = np.concatenate([b, np.zeros(len(c))])
    s = clarabel.DefaultSettings()
    s.verbose = False
    s.tol_gap_abs = s.tol_gap_rel = s.tol_feas = 1e-12
    s.max_iter = 200
    r = clarabel.DefaultSolver(sp.triu(sp.csc_matrix(p)).tocsc(), c, sp.csc_matrix(rows_of), right,
                               [clarabel.NonnegativeConeT(len(right))], s).solve()
    assert str(r.status) in ("Solved", "AlmostSolved", "InsufficientProgress"), r.status
    return r.obj_val, abs(r.obj_val - r.obj_val_dual)


def main():
    out = []
    for kind in KINDS:
        optima = []
        worst = 0.0
        for seed in range(INSTANCES):
            value, off = solve(*instance(kind, seed))
            worst = max(worst, off / max(abs(value), 1e-3))
            optima.append(value)
        print(f"{kind}: both sides of the solver at most {worst:.1e} apart", file=sys.stderr)
        solver = f"Clarabel {clarabel.__version__}" if kind.startswith("qp") else f"HiGHS, SciPy {scipy.__version__}"
        out.append({"kind": kind, "solver": solver, "off": worst, "optima": optima})
    here = pathlib.Path(__file__).with_suffix(".json")
    here.write_text("[\n" + ",\n".join(json.dumps(c) for c in out) + "\n]\n")


if __name__ == "__main__":
    main()
