"""Optimal values of stochastic triplet embedding over Gram matrices, by CVXPY with Clarabel: convex_ste.json.

    python3 convex_ste.py > convex_ste.json

    min trace <H, G> + sum w log(1 + exp(d(near) - d(far))),  G psd, d the squared distances of G, H = I - 11'/n
"""
import json

import cvxpy as cp
import numpy as np

cases = []
for seed, (n, rows, trace, quadruplets) in enumerate([(5, 20, 0.5, False), (8, 60, 1.0, False), (8, 60, 0.1, True), (12, 200, 2.0, False), (12, 150, 4.0, True)]):
    r = np.random.default_rng(seed)
    x = r.normal(size=(n, 2))
    d = ((x[:, None] - x[None]) ** 2).sum(-1)
    asked, weights = [], []
    while len(asked) < rows:
        a, b, c, e = (int(v) for v in r.integers(0, n, 4))
        near, far = ((a, b), (c, e)) if quadruplets else ((a, b), (a, c))
        if near[0] == near[1] or far[0] == far[1] or set(near) == set(far):
            continue
        # The softer the larger the distances are alike; some answers are wrong, some are said several times.
        if (d[near] > d[far]) != (r.random() < 0.1):
            near, far = far, near
        asked.append([*near, *far])
        weights.append(float(r.choice([1.0, 1.0, 2.0, 0.5])))
    t = np.array(asked)
    g = cp.Variable((n, n), PSD=True)
    diagonal = cp.diag(g)
    flat = cp.vec(g, order="F")
    def squared(i, j):
        return diagonal[i] + diagonal[j] - 2 * flat[i + n * j]
    loss = cp.sum(cp.multiply(np.array(weights), cp.logistic(squared(t[:, 0], t[:, 1]) - squared(t[:, 2], t[:, 3]))))
    problem = cp.Problem(cp.Minimize(trace * (cp.trace(g) - cp.sum(g) / n) + loss))
    value = problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9)
    cases.append({"objects": n, "trace": trace, "comparisons": asked, "weights": weights, "objective": value})
print(json.dumps(cases))
