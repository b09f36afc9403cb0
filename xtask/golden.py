"""Computes crates/nearer/tests/golden/*.json with programs that are not nearer.

    python3 -m venv venv && venv/bin/pip install numpy scipy scikit-learn
    apt-get install r-base-core r-cran-mass r-cran-jsonlite
    venv/bin/python xtask/golden.py            # from the root of the project

Who computed what stands in crates/nearer/tests/golden/SOURCE.md: keep it in step.
"""

import json
import pathlib
import subprocess

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.spatial import procrustes
from scipy.spatial.distance import pdist, squareform
from sklearn.isotonic import isotonic_regression
from sklearn.manifold import MDS, trustworthiness

HERE = pathlib.Path(__file__).resolve().parent.parent / "crates" / "nearer" / "tests" / "golden"


def write(name, data):
    HERE.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(case, default=lambda a: a.tolist()) for case in data]
    (HERE / name).write_text("[\n" + ",\n".join(lines) + "\n]\n")


def points(seed, n):
    """Points in four dimensions, and a map of them that keeps two, with noise."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4)) * [3.0, 2.0, 1.0, 0.5]
    y = 1.7 * x[:, :2] + 0.4 * rng.normal(size=(n, 2))
    return rng, np.round(x, 3), np.round(y, 3)


def neighbours():
    cases = []
    for seed, n in [(1, 12), (2, 25)]:
        _, x, y = points(seed, n)
        dx, dy = squareform(pdist(x)), squareform(pdist(y))
        for k in [1, 3, 5]:
            near = lambda d: np.argsort(d + np.diag(np.full(n, np.inf)), axis=1)[:, :k]
            shared = [len(set(a) & set(b)) / k for a, b in zip(near(dx), near(dy))]
            cases.append(dict(
                data=pdist(x), map=y, k=k,
                trustworthiness=trustworthiness(x, y, n_neighbors=k),
                continuity=trustworthiness(y, x, n_neighbors=k),
                overlap=np.mean(shared),
            ))
    write("neighbourhood.json", cases)


def alignment():
    cases = []
    for seed, n in [(3, 12), (4, 30)]:
        rng, _, y = points(seed, n)
        z = np.round(0.6 * y @ np.array([[0.6, 0.8], [0.8, -0.6]]) + [3, -1] + 0.5 * rng.normal(size=y.shape), 3)
        disparity = procrustes(y, z)[2]
        # Without scaling: search over the angle, with and without a mirror.
        a, b = y - y.mean(0), z - z.mean(0)
        def left(t, mirror):
            turn = np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]]) @ np.diag([1, mirror])
            return ((a - b @ turn) ** 2).sum() / (a ** 2).sum()
        grid = [(left(t, m), t, m) for m in (1, -1) for t in np.linspace(0, 2 * np.pi, 721)]
        _, t0, m0 = min(grid)
        rigid = minimize_scalar(left, args=(m0,), bracket=(t0 - 0.01, t0, t0 + 0.01), tol=1e-12).fun
        cases.append(dict(a=y, b=z, disparity=disparity, rigid=rigid))
    write("procrustes.json", cases)


def isotonic():
    cases = []
    for seed in range(6):
        rng = np.random.default_rng(100 + seed)
        values = np.round(rng.normal(size=20) + 0.1 * np.arange(20), 2)
        weights = np.round(rng.uniform(0.1, 3.0, size=20), 2) if seed % 2 else np.ones(20)
        cases.append(dict(values=values, weights=weights,
                          fitted=isotonic_regression(values, sample_weight=weights)))
    write("isotonic.json", cases)


def monotone(delta, d, w, ties):
    """Disparities of the distances d on the order of delta, by scikit-learn's isotonic regression."""
    if ties == "primary":
        order = np.lexsort((d, delta))
        out = np.empty_like(d)
        out[order] = isotonic_regression(d[order], sample_weight=w[order])
        return out
    _, group = np.unique(delta, return_inverse=True)
    weight = np.bincount(group, w)
    mean = np.bincount(group, w * d) / weight
    level = isotonic_regression(mean, sample_weight=weight)
    return level[group] if ties == "secondary" else d - mean[group] + level[group]


def kruskal():
    cases = []
    for seed, n in [(5, 12), (6, 20)]:
        rng, x, y = points(seed, n)
        delta = pdist(x)
        m = len(delta)
        delta = np.round(np.abs(delta + 2.5 * rng.normal(size=m)))      # rounded: many ties, one of them at 0
        w = np.round(rng.uniform(0.2, 2.0, size=m), 2)
        w[rng.choice(m, size=m // 8, replace=False)] = 0.0      # missing
        bound = np.zeros(m, dtype=int)                          # -1: at most, 1: at least
        bound[rng.choice(m, size=m // 6, replace=False)] = rng.choice([-1, 1], size=m // 6)
        d = pdist(y)
        i, j = np.triu_indices(n, 1)

        def figures(dhat, keep):
            square = keep * (dhat - d) ** 2
            spp = np.bincount(i, square, n) + np.bincount(j, square, n)
            return dict(stress1=np.sqrt(square.sum() / (keep * d**2).sum()),
                        normalized=square.sum() / (keep * dhat**2).sum(), per_object=100 * spp / spp.sum())

        def sided(limit):
            return np.where(bound < 0, np.minimum(d, limit), np.where(bound > 0, np.maximum(d, limit), limit))

        known = w > 0
        case = dict(data=delta, weights=w, bounds=bound, map=y, raw=(w * (delta - d) ** 2).sum(),
                    raw_normalized=(w * (delta - d) ** 2).sum() / (w * delta**2).sum())
        b = minimize(lambda b: (w * (b * delta - d) ** 2).sum(), 1.0, tol=1e-14, method="Nelder-Mead").x[0]
        case["scale"] = b
        case["multiple"] = figures(b * delta, w)
        for ties in ["primary", "secondary", "tertiary"]:
            dhat = np.zeros(m)
            dhat[known] = monotone(delta[known], d[known], w[known], ties)
            case[ties] = figures(dhat, w)
        loss = lambda b: (w * (sided(b * delta) - d) ** 2).sum()
        b = minimize_scalar(loss, bracket=(0.5, 1.5), tol=1e-14).x
        case["bounded_scale"] = b
        case["bounded"] = figures(sided(b * delta), w)
        case["bounded_raw"] = loss(1.0)
        cases.append(case)
    write("stress.json", cases)


R = """
suppressPackageStartupMessages(library(MASS))
d <- as.dist(as.matrix(read.csv(file("stdin"), header = FALSE)))
plain <- cmdscale(d, k = 2, eig = TRUE)
added <- cmdscale(d, k = 2, eig = TRUE, add = TRUE)
iso <- function(k) isoMDS(d, k = k, trace = FALSE, maxit = 500, tol = 1e-8)$stress / 100
cat(jsonlite::toJSON(list(eigenvalues = plain$eig, gof = plain$GOF, cailliez = added$ac, cailliez_points = added$points,
                          points = plain$points, iso2 = iso(2), iso3 = iso(3)), digits = NA, auto_unbox = TRUE))
"""


def scaling():
    """Classical scaling and isoMDS by R, least-squares scaling by scikit-learn from the classical start."""
    cases = []
    for seed, n in [(11, 15), (12, 30)]:
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(n, 4))
        e = np.triu(rng.normal(size=(n, n)), 1)
        d = np.round(np.maximum(squareform(pdist(x)) * (1 + 0.15 * (e + e.T)), 0.05), 4)
        np.fill_diagonal(d, 0)
        text = "\n".join(",".join(map(str, row)) for row in d)
        case = json.loads(subprocess.run(["Rscript", "-e", R], input=text, capture_output=True, text=True, check=True).stdout)
        mds = MDS(2, metric="precomputed", n_init=1, init="classical_mds", max_iter=20000, eps=1e-13, random_state=0)
        y = mds.fit_transform(d)
        case.update(data=squareform(d), sklearn_stress=((pdist(y) - squareform(d)) ** 2).sum())
        cases.append(case)
    write("scaling.json", cases)


if __name__ == "__main__":
    scaling()
    neighbours()
    alignment()
    isotonic()
    kruskal()
