"""Scales of quadruplets by maximum likelihood (the model of MLDS with a logistic), the best of many starts: lines.json.

    python3 lines.py > lines.json

Needs NumPy and SciPy. Points on a line, quadruplets of four different ones, answers drawn from the model."""
import json

import numpy as np
from scipy.optimize import minimize

STARTS = 200


def quadruplets(seed, n, count):
    r = np.random.default_rng(seed)
    x = 6 * (np.arange(n) / (n - 1)) ** (0.5 + r.random())
    q = np.array([r.choice(n, 4, replace=False) for _ in range(count)])
    eta = np.abs(x[q[:, 2]] - x[q[:, 3]]) - np.abs(x[q[:, 0]] - x[q[:, 1]])
    swap = r.random(count) > 1 / (1 + np.exp(-2 * eta))
    q[swap] = q[swap][:, [2, 3, 0, 1]]
    return q


def value(x, q, n):
    a, b = x[q[:, 0]] - x[q[:, 1]], x[q[:, 2]] - x[q[:, 3]]
    eta = np.abs(b) - np.abs(a)
    w = np.exp(-np.logaddexp(0, eta))
    g = np.zeros(n)
    for k, v in ((0, w * np.sign(a)), (1, -w * np.sign(a)), (2, -w * np.sign(b)), (3, w * np.sign(b))):
        np.add.at(g, q[:, k], v)
    return np.logaddexp(0, -eta).sum(), g


def main():
    cases = []
    for seed, n, count in ((1, 9, 200), (2, 10, 210), (3, 11, 330), (4, 12, 500)):
        q = quadruplets(seed, n, count)
        r = np.random.default_rng(seed)
        starts = [np.arange(n) * 1.0] + [r.normal(size=n) * 4 for _ in range(STARTS)]
        options = {"maxiter": 2000, "ftol": 1e-15, "gtol": 1e-10}
        ends = [minimize(value, x, (q, n), jac=True, method="L-BFGS-B", options=options) for x in starts]
        best = min(ends, key=lambda e: e.fun)
        cases.append({"quadruplets": q.tolist(), "objective": best.fun, "scale": best.x.tolist()})
    print(json.dumps(cases))


main()
