"""The instances of the bench of kernel weights, and general solvers on them; runs inside bench/.venv.

    kernels_peer.py write N KERNELS COMPARISONS FOLDER        features and comparisons as files for `nearer embed`
    kernels_peer.py run N KERNELS COMPARISONS PROGRAM SECONDS one JSON line: CPU seconds of the solve, objective

Ten classes in three groups, a view of the class in each kind of features, an rbf kernel over each kind, centred and then
normalised; comparisons say that an object is nearer to one that shares more of its taxonomy. The linear program is that
of diagonal weights with all its rows. Building its matrix is not timed.
"""
import json
import resource
import sys
import time
from pathlib import Path

import numpy as np

WIDTH = 1.0
# So that a solver that asks for more than there is ends with an error, not with the machine.
MEMORY = 12 << 30


def instance(n, kernels, count):
    rng = np.random.default_rng(0)
    label = np.repeat(np.arange(10), -(-n // 10))[:n]
    group = label // 4
    seen = rng.standard_normal((10, 5))[label] * 0.7 + rng.standard_normal((3, 5))[group]
    views = [seen[:, k % 5:k % 5 + 1] + 0.5 * rng.standard_normal((n, 3)) for k in range(kernels)]
    rows = []
    while len(rows) < count:
        i, j, k = rng.integers(0, n, 3)
        near = (label[i] == label[j]) + (group[i] == group[j])
        far = (label[i] == label[k]) + (group[i] == group[k])
        if i != j and i != k and near > far:
            rows.append((i, j, k))
    return views, np.array(rows)


def parameters(n, count):
    """Slack, trace, bound: as dear as ten times all distances together, and the bound of a short chain of unit margins."""
    return 10.0 * n * (n - 1) / 2 / count, 1.0, (4 * n + 1) * 4.0


def columns(views):
    out = []
    for x in views:
        squared = ((x[:, None] - x[None]) ** 2).sum(2)
        k = np.exp(-squared / (2 * WIDTH * WIDTH))
        k = k - k.mean(0) - k.mean(1)[:, None] + k.mean()
        size = np.sqrt(np.diag(k))
        out.append(k / size / size[:, None])
    return np.hstack(out)


def write(n, kernels, count, folder):
    views, rows = instance(n, kernels, count)
    for k, x in enumerate(views):
        lines = ["id,x,y,z"] + [f"o{i}," + ",".join(f"{v:.17g}" for v in r) for i, r in enumerate(x)]
        (folder / f"view{k}.csv").write_text("\n".join(lines) + "\n")
    lines = ["head,near,far"] + [f"o{i},o{j},o{k}" for i, j, k in rows]
    (folder / "comparisons.csv").write_text("\n".join(lines) + "\n")


def program(n, kernels, count):
    """min cost x, A x <= b, x >= 0 for the weights and a slack for each comparison."""
    import scipy.sparse as sp

    views, rows = instance(n, kernels, count)
    f = columns(views)
    slack, trace, bound = parameters(n, count)
    first, second = np.triu_indices(n, 1)
    square = (f[first] - f[second]) ** 2
    place = np.zeros((n, n), int)
    place[first, second] = np.arange(len(first))
    place += place.T
    merged, times = np.unique(rows, axis=0, return_counts=True)
    near, far = place[merged[:, 0], merged[:, 1]], place[merged[:, 0], merged[:, 2]]
    cost = np.concatenate([trace * np.ones(f.shape[1]) - square.sum(0), slack * times])
    a = sp.bmat([[sp.csr_matrix(square), None], [sp.csr_matrix(square[near] - square[far]), -sp.identity(len(near))]])
    b = np.concatenate([np.full(len(first), bound), -np.ones(len(near))])
    return cost, a.tocsc(), b


def run(n, kernels, count, solver, seconds):
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    cost, a, b = program(n, kernels, count)
    begin = time.process_time()
    if solver == "CVXPY default":
        import cvxpy as cp

        x = cp.Variable(len(cost), nonneg=True)
        problem = cp.Problem(cp.Minimize(cost @ x), [a @ x <= b])
        problem.solve()
        value, finished = problem.value, problem.status == "optimal"
        said = f"{problem.solver_stats.solver_name}, {problem.status}"
    else:
        from scipy.optimize import linprog

        method = {"HiGHS dual simplex": "highs-ds", "HiGHS interior point": "highs-ipm"}[solver]
        r = linprog(cost, A_ub=a, b_ub=b, method=method, options=dict(time_limit=seconds))
        value, finished, said = r.fun, r.status == 0, r.message.split("(")[0].strip()[:60]
    cpu = time.process_time() - begin
    print(json.dumps(dict(cpu=cpu, objective=None if value is None else -float(value), finished=bool(finished), said=said)))


if __name__ == "__main__":
    n, kernels, count = (int(v) for v in sys.argv[2:5])
    if sys.argv[1] == "write":
        write(n, kernels, count, Path(sys.argv[5]))
    else:
        run(n, kernels, count, sys.argv[5], float(sys.argv[6]))
