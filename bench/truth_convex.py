"""Every convex method and form beside CVXPY, on the same instances, which are made here.

    python3 -m venv venv && venv/bin/pip install cvxpy clarabel numpy
    venv/bin/python bench/truth_convex.py --nearer target/release/nearer [--only mvu] [--sizes 20,40]

For each instance: the optimum of the program as CVXPY with Clarabel finds it, what nearer attains and the bound it proves,
whether `nearer verify` accepts the certificate. It fails where an objective is off by more than 1e-5, where a bound is on the
wrong side of CVXPY's optimum by more than CVXPY's own accuracy, or where a certificate is rejected.
The programs are written down here from their definitions; nothing of nearer is used but its command.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import cvxpy as cp
import numpy as np

from truth_common import Gram, hinge, labels, linear_span, points, solve, squared, triplets, write
from truth_metrics import lmnn, lmnn_comparisons, lmnn_kernel, mcml, mmc, mmc_pairs

OFF, OWN = 1e-5, 2e-6


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


def featured(n, seed, folder, wide=False):
    """Four features in units of all sizes, on which nothing may depend; or twice as many as objects."""
    width = 2 * n if wide else 4
    x, name = points(n, width, seed) * np.resize([3e3, 1.0, 30.0, 0.1], width), labels(n)
    head = ["label", *(f"f{k}" for k in range(width))]
    return x, write(folder / "f.csv", head, [[name[r]] + [repr(float(v)) for v in x[r]] for r in range(n)])


def kpsde(n, seed, folder, trace=0.0, wide=False):
    x, table = featured(n, seed, folder, wide)
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


def kernel_gnmds(n, seed, folder, wide=False):
    x, table = featured(n, seed, folder, wide)
    rows, name = triplets(x / x.std(0), 12 * n, 0.1, seed), labels(n)
    file = write(folder / "triplets.csv", ["head", "near", "far"], [[name[v] for v in r] for r in rows])
    slack = 0.05
    c = x - x.mean(0)

    def theirs():
        # With G = B M Bᵗ for the features B of the kernel K = B Bᵗ, tr(QK) is tr M.
        g = Gram(n, c / np.sqrt((c**2).sum(1).mean()))
        return solve(cp.Problem(cp.Minimize(cp.trace(g.z) + hinge(g, rows, slack))))

    return [file], ["--method", "kernel-gnmds", "--kernel", f"linear:{table}", "--slack", str(slack)], theirs


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
    "kpsde trace wide": lambda *a: kpsde(*a, trace=1e-8, wide=True),
    "kernel-gnmds": kernel_gnmds,
    "kernel-gnmds wide": lambda *a: kernel_gnmds(*a, wide=True),
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
