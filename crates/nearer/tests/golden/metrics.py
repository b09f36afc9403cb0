"""The optima of lmnn, mmc and mcml on a small table by CVXPY: writes metrics.json beside this file."""
import json, os
import cvxpy as cp
import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(11)
n, D = 15, 3
y = np.arange(n) % 3
X = np.round(np.c_[2.0 * np.cos(2 * y) + rng.standard_normal(n), 2.0 * np.sin(2 * y) + rng.standard_normal(n), 2.0 * rng.standard_normal(n)], 3)
d2 = ((X[:, None] - X[None]) ** 2).sum(-1)
Z = lambda i, j: np.outer(X[i] - X[j], X[i] - X[j])
out = []

# lmnn: 3 targets, push 1/2, ridge 1e-3 of the mean variance of what is pulled.
targets = [(i, j) for i in range(n) for j in sorted((j for j in range(n) if j != i and y[j] == y[i]), key=lambda j: (d2[i, j], j))[:3]]
ridge = 1e-3 * sum(0.5 * d2[i, j] for i, j in targets) / D
M = cp.Variable((D, D), PSD=True)
inner = lambda S: cp.sum(cp.multiply(S, M))
pull = 0.5 * inner(sum(Z(i, j) for i, j in targets))
push = 0.5 * sum(cp.pos(1 + inner(Z(i, j) - Z(i, l))) for i, j in targets for l in range(n) if y[l] != y[i])
problem = cp.Problem(cp.Minimize(pull + push + ridge * cp.trace(M)))
problem.solve(solver="CLARABEL", tol_gap_rel=1e-11, tol_gap_abs=1e-11, tol_feas=1e-11)
out.append(("lmnn", problem.value, ridge))

# mmc: all pairs of the classes, ridge 1e-2 of the mean variance of similar pairs; full and diagonal.
similar = [(i, j) for i in range(n) for j in range(i + 1, n) if y[i] == y[j]]
apart = [(i, j) for i in range(n) for j in range(i + 1, n) if y[i] != y[j]]
ridge = 1e-2 * sum(d2[i, j] for i, j in similar) / D
S = sum(Z(i, j) for i, j in similar) + ridge * np.eye(D)
for name in ("mmc", "mmc-diagonal"):
    w = cp.Variable(D, nonneg=True)
    M = cp.Variable((D, D), PSD=True) if name == "mmc" else cp.diag(w)
    value = sum(cp.sqrt(cp.sum(cp.multiply(Z(i, j), M))) for i, j in apart)
    problem = cp.Problem(cp.Maximize(value), [cp.sum(cp.multiply(S, M)) <= 1])
    problem.solve(solver="CLARABEL", tol_gap_rel=1e-11, tol_gap_abs=1e-11, tol_feas=1e-11)
    out.append((name, problem.value, ridge))

# mcml: trace 1e-3 of the sum of squares over the features.
trace = 1e-3 * ((X - X.mean(0)) ** 2).sum() / D
M = cp.Variable((D, D), PSD=True)
value = trace * cp.trace(M)
for i in range(n):
    same = [j for j in range(n) if j != i and y[j] == y[i]]
    value += cp.sum(cp.multiply(sum(Z(i, j) for j in same) / len(same), M)) - np.log(len(same))
    value += cp.log_sum_exp(cp.hstack([-cp.sum(cp.multiply(Z(i, k), M)) for k in range(n) if k != i]))
problem = cp.Problem(cp.Minimize(value))
problem.solve(solver="CLARABEL", tol_gap_rel=1e-11, tol_gap_abs=1e-11, tol_feas=1e-11)
out.append(("mcml", problem.value, trace))

optima = {name: {"optimum": float(value), "weight": float(weight)} for name, value, weight in out}
with open(os.path.join(here, "metrics.json"), "w") as f:
    json.dump({"features": X.tolist(), "classes": y.tolist(), "optima": optima}, f, indent=1)
    f.write("\n")
