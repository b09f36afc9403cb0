"""Optima of maximum variance unfolding by Clarabel, an interior point solver of general semidefinite programs.

    python3 -m venv venv && venv/bin/pip install clarabel cvxpy numpy && venv/bin/python mvu.py > mvu.json

The first object is held at the origin, which takes the translations out; the objective is tr(HG) over all objects.
"""
import json

import cvxpy as cp
import numpy as np


def nearest(points, k):
    square = ((points[:, None] - points[None]) ** 2).sum(-1)
    edges = {tuple(sorted((i, int(j)))) for i in range(len(points)) for j in np.argsort(square[i])[1 : k + 1]}
    return sorted(edges), square


def swiss(n, k, seed):
    rng = np.random.default_rng(seed)
    t = 1.5 * np.pi * (1 + 2 * rng.random(n))
    points = np.c_[t * np.cos(t), 21 * rng.random(n), t * np.sin(t)]
    edges, square = nearest(points, k)
    return n, edges, [float(square[e]) for e in edges]


def cloud(n, dim, k, seed):
    points = np.random.default_rng(seed).normal(size=(n, dim))
    edges, square = nearest(points, k)
    return n, edges, [float(square[e]) for e in edges]


def grid(a, b):
    at = lambda i, j: i * b + j
    edges = [(at(i, j), at(i, j + 1)) for i in range(a) for j in range(b - 1)]
    edges += [(at(i, j), at(i + 1, j)) for i in range(a - 1) for j in range(b)]
    return a * b, sorted(edges), [1.0] * len(edges)


def tree(n, seed):
    rng = np.random.default_rng(seed)
    edges = sorted((int(rng.integers(k)), k) for k in range(1, n))
    return n, edges, [float(v) for v in rng.uniform(0.5, 3.0, n - 1)]


def connected(n, edges):
    part = list(range(n))
    for _ in range(n):
        for i, j in edges:
            part[i] = part[j] = min(part[i], part[j])
    return len(set(part)) == 1


def solve(n, edges, squared, form, weight):
    gram = cp.Variable((n - 1, n - 1), PSD=True)
    entry = lambda i, j: gram[i - 1, j - 1] if i and j else 0
    d = cp.hstack([entry(i, i) + entry(j, j) - 2 * entry(i, j) for i, j in edges])
    variance = cp.trace(gram) - cp.sum(gram) / n
    # In units of the mean, for the solver's tolerances.
    mean = float(np.mean(squared))
    data = np.array(squared) / mean
    if form == "at-most":
        problem = cp.Problem(cp.Maximize(variance), [d <= data])
    elif form == "soft":
        problem = cp.Problem(cp.Maximize(variance - weight * cp.norm1(d - data)))
    else:
        problem = cp.Problem(cp.Maximize(variance - weight * mean * cp.sum_squares(d - data)))
    settings = dict(tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9, max_iter=400)
    value = problem.solve(solver=cp.CLARABEL, **settings)
    return float(value) * mean, problem.status


def main():
    instances = {
        "swiss 20": swiss(20, 4, 1),
        "swiss 30": swiss(30, 5, 2),
        "swiss 40": swiss(40, 6, 3),
        "swiss 50": swiss(50, 6, 5),
        "cloud 15": cloud(15, 3, 4, 1),
        "cloud 25": cloud(25, 5, 5, 2),
        "grid 4 x 5": grid(4, 5),
        "grid 3 x 8": grid(3, 8),
        "tree 12": tree(12, 1),
        "tree 25": tree(25, 2),
        "ladder": grid(2, 9),
    }
    cases = []
    for name, (n, edges, squared) in instances.items():
        assert connected(n, edges), name
        # The weight of the soft form must be above 1 / λ₂ of the graph, or nothing holds it together.
        lap = np.zeros((n, n))
        for i, j in edges:
            lap[i, i] += 1
            lap[j, j] += 1
            lap[i, j] -= 1
            lap[j, i] -= 1
        least = 1 / np.linalg.eigvalsh(lap)[1]
        mean = float(np.mean(squared))
        for form, weight in [("at-most", None), ("soft", 3 * least), ("penalised", 5 * least / mean)]:
            value, status = solve(n, edges, squared, form, weight)
            print(name, form, status, value, file=__import__("sys").stderr)
            if status != "optimal":
                continue
            case = dict(name=name, n=n, edges=edges, squared=squared, form=form, weight=weight, optimum=value)
            cases.append(case)
    print(json.dumps(cases))


if __name__ == "__main__":
    main()
