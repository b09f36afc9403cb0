"""Optima of partial orders by Clarabel, an interior point solver of general semidefinite programs.

    python3 -m venv venv && venv/bin/pip install clarabel cvxpy numpy && venv/bin/python partial_orders.py > partial_orders.json

Points have whole coordinates and rows are taken by whole numbers, so that the test makes the same ones.
"""
import functools
import json
import sys
import warnings

import cvxpy as cp
import numpy as np

warnings.filterwarnings("ignore")
sys.setrecursionlimit(10000)


def order(n, asked):
    at = [((7919 * i) % 101, (104729 * i) % 103) for i in range(n)]
    far = lambda i, j: (at[i][0] - at[j][0]) ** 2 + (at[i][1] - at[j][1]) ** 2
    rows = {}
    for t in range(asked):
        head, a, b = (37 * t + t // n) % n, (61 * t + 5 + t // 7) % n, (97 * t + 11 + t // 13) % n
        if len({head, a, b}) < 3 or far(head, a) == far(head, b):
            continue
        if far(head, a) > far(head, b):
            a, b = b, a
        rows[(tuple(sorted((head, a))), tuple(sorted((head, b))))] = None
    return list(rows)


def closed_form_from(n, rows):
    """The longest chains h, and the least B at which B - h are squared distances of points."""
    beyond = {}
    for near, far in rows:
        beyond.setdefault(near, []).append(far)

    @functools.cache
    def height(pair):
        return max((1 + height(far) for far in beyond.get(pair, [])), default=0)

    h = np.array([[0 if i == j else height((min(i, j), max(i, j))) for j in range(n)] for i in range(n)], float)
    centring = np.eye(n) - 1 / n
    return max(-np.linalg.eigvalsh(centring @ h @ centring)[0], h.max())


def solved(n, rows, bound=None):
    """`max Σ d` within the bound, or the least bound; and how sure Clarabel is."""
    gram = cp.Variable((n, n), PSD=True)
    diagonal = cp.diag(gram)
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    number = {pair: k for k, pair in enumerate(pairs)}
    first, second = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
    d = diagonal[first] + diagonal[second] - 2 * gram[first, second]
    near, far = (np.array([number[row[side]] for row in rows]) for side in (0, 1))
    most = cp.Variable() if bound is None else bound
    rules = [d <= most, d[near] + 1 <= d[far], cp.sum(gram) == 0]
    problem = cp.Problem(cp.Minimize(most) if bound is None else cp.Maximize(cp.sum(d)), rules)
    problem.solve(solver=cp.CLARABEL)
    return float(problem.value), problem.status


cases = []
for n, asked in [(12, 150), (24, 700), (40, 2600)]:
    rows = order(n, asked)
    closed = closed_form_from(n, rows)
    smallest, status = solved(n, rows)
    case = {"n": n, "asked": asked, "rows": len(rows), "closed": closed, "smallest": smallest, "status": status, "bounds": []}
    for share in (0.15, 0.6):
        bound = round(smallest + share * (closed - smallest), 3)
        value, status = solved(n, rows, bound)
        case["bounds"].append({"bound": bound, "value": value, "status": status})
    cases.append(case)
json.dump(cases, sys.stdout, indent=1)
print()
