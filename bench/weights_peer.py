"""The instances of the bench of weight programs, and HiGHS on them; runs inside bench/.venv.

    weights_peer.py write COMPARISONS FOLDER [DATA]                            features and comparisons as files
    weights_peer.py run PROGRAM COMPARISONS FOLDER SLACK TRACE BOUND SECONDS   one JSON line: CPU seconds, objective

PROGRAM: `order` is max Σ d - slack Σ ξ - trace Σ w K_pp with d ≤ bound, `trace` is min Σ w K_pp + slack Σ ξ.
"""
import csv
import json
import sys
import time
from pathlib import Path

import numpy as np

import kernels_data


def made():
    """Ten classes in three groups, ten objects each, and five kinds of features that each see some of it."""
    rng = np.random.default_rng(0)
    label = np.repeat(np.arange(10), 10)
    group = label // 4
    seen = rng.standard_normal((10, 5))[label] * 0.7 + rng.standard_normal((3, 5))[group]
    kinds = {f"view{k}": ("rbf", seen[:, k:k + 1] + 0.5 * rng.standard_normal((100, 3))) for k in range(5)}
    return [f"o{i}" for i in range(100)], [(f"g{g}", f"c{c}") for g, c in zip(group, label)], kinds


def write(count, folder, data):
    labels, paths, kinds = kernels_data.coil_tree(Path(data)) if data else made()
    n = len(labels)
    rows = [(i, j, k, 2 ** (1 - kernels_data.depth(paths[i], paths[k]))) for i in range(n) for j in range(n) for k in range(n)
            if len({i, j, k}) == 3 and kernels_data.depth(paths[i], paths[j]) > kernels_data.depth(paths[i], paths[k])]
    some = np.sort(np.random.default_rng(0).permutation(len(rows))[:count])
    work = kernels_data.Work(folder)
    work.rows("tree.csv", "head,near,far,margin", [(labels[i], labels[j], labels[k], m) for i, j, k, m in (rows[t] for t in some)])
    specs = []
    for name, (kind, x) in kinds.items():
        file = work.table(f"{name}.csv", labels, x, name)
        # A width that both are told: medians may be taken in several ways, and the programs are to be the same.
        apart = np.linalg.norm(x[:, None] - x[None], axis=2)[np.triu_indices(len(x), 1)]
        width = "" if kind == "linear" else f",width={np.median(apart):.12g}"
        specs.append(f"{name}={kind}{width},normalise=yes:{file}")
    (folder / "kernels.json").write_text(json.dumps(specs))


def read(folder):
    """The columns of the kernels, centred and then normalised, and the comparisons, from the files that the command was given."""
    blocks, labels = [], []
    for spec in json.loads((folder / "kernels.json").read_text()):
        head, file = spec.split(":", 1)
        lines = list(csv.reader(open(file)))[1:]
        labels = [line[0] for line in lines]
        kind, *options = head.split("=", 1)[1].split(",")
        width = next((float(o.removeprefix("width=")) for o in options if o.startswith("width=")), None)
        blocks.append(kernel(kind, width, np.array([line[1:] for line in lines], float)))
    place = {label: k for k, label in enumerate(labels)}
    rows = list(csv.reader(open(folder / "tree.csv")))[1:]
    return np.hstack(blocks), np.array([[place[v] for v in r[:3]] for r in rows]), np.array([float(r[3]) for r in rows])


def kernel(kind, width, x):
    """Centred, then normalised."""
    k = x @ x.T if kind == "linear" else np.exp(-((x[:, None] - x[None]) ** 2).sum(2) / (2 * width ** 2))
    h = np.eye(len(x)) - 1 / len(x)
    k = h @ k @ h
    size = np.sqrt(k.diagonal())
    return k / np.outer(size, size)


def solve(program, folder, slack, trace, bound, seconds):
    import scipy.sparse as sp
    from scipy.optimize import linprog

    f, rows, margin = read(folder)
    n, q, m = f.shape[0], f.shape[1], len(rows)
    first, second = np.triu_indices(n, 1)
    square = (f[first] - f[second]) ** 2
    pairs = len(first)
    at = np.zeros((n, n), int)
    at[first, second] = np.arange(pairs)
    at += at.T
    near, far = at[rows[:, 0], rows[:, 1]], at[rows[:, 0], rows[:, 2]]
    cost = np.concatenate([np.full(q, trace), -np.ones(pairs), np.full(m, slack)])
    if program == "trace":
        cost[:q], cost[q:q + pairs], bound = 1.0, 0.0, None
    equal = sp.hstack([sp.csr_matrix(square), -sp.identity(pairs), sp.csr_matrix((pairs, m))]).tocsc()
    numbers = np.arange(m)
    compared = sp.csr_matrix((np.r_[np.ones(m), -np.ones(m)], (np.r_[numbers, numbers], np.r_[near, far])), (m, pairs))
    below = sp.hstack([sp.csr_matrix((m, q)), compared, -sp.identity(m)]).tocsc()
    begin = time.process_time()
    r = linprog(cost, A_ub=below, b_ub=-margin, A_eq=equal, b_eq=np.zeros(pairs), method="highs-ipm", options=dict(time_limit=seconds),
                bounds=[(0, None)] * q + [(0, bound)] * pairs + [(0, None)] * m)
    cpu, sign = time.process_time() - begin, -1 if program == "order" else 1
    value = None if r.fun is None else float(r.fun) * sign
    attained = None
    if r.x is not None:
        # Rows are kept to a tolerance each, and there are many: what the weights themselves attain is computed from them alone.
        w = np.maximum(r.x[:q], 0)
        d = square @ w
        shrink = 1.0 if bound is None else min(1.0, bound / d.max()) if d.max() > 0 else 1.0
        w, d = shrink * w, shrink * d
        paid = slack * np.maximum(margin + d[near] - d[far], 0).sum()
        attained = float((d.sum() - trace * w.sum() - paid) if program == "order" else (w.sum() + paid))
    print(json.dumps(dict(cpu=cpu, objective=value, attained=attained, finished=r.status == 0,
                          said=r.message.split("(")[0].strip()[:60])))


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(int(sys.argv[2]), Path(sys.argv[3]), sys.argv[4] if len(sys.argv) > 4 else None)
    else:
        solve(sys.argv[2], Path(sys.argv[4]), *(float(v) for v in sys.argv[5:9]))
