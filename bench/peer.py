"""One Python peer, one fit, in a process of its own.

    python peer.py PEER EVIDENCE.npy MAP.npy      prints {"fit": seconds, "iterations": k}
"""
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np


def scipy_eigsh(d):
    from scipy.sparse.linalg import eigsh
    n = len(d)
    start = np.ones(n) + np.arange(n) / n
    yield
    b = -0.5 * d**2
    b -= b.mean(0)
    b -= b.mean(1)[:, None]
    w, v = eigsh(b, 2, which="LA", v0=start)
    yield v * np.sqrt(w), None


def sklearn_classical(d):
    from sklearn.manifold import ClassicalMDS
    model = ClassicalMDS(2, metric="precomputed")
    yield
    yield model.fit_transform(d), None


def sklearn_mds(d, metric):
    from sklearn.manifold import MDS
    model = MDS(2, metric_mds=metric, metric="precomputed", n_init=1, init="classical_mds", max_iter=300, eps=1e-6,
                random_state=0)
    yield
    yield model.fit_transform(d), int(model.n_iter_)


def tapkee_mds(d):
    """tapkee takes no distances: it is given the points without the noise."""
    import tapkee
    x = np.asfortranarray(d.T)
    yield
    yield np.asarray(tapkee.embed(x, method="mds", target_dimension=2, eigen_method="arpack")), None


PEERS = {
    "scipy eigsh": scipy_eigsh,
    "scikit-learn ClassicalMDS": sklearn_classical,
    "scikit-learn MDS": lambda d: sklearn_mds(d, True),
    "scikit-learn MDS non-metric": lambda d: sklearn_mds(d, False),
    "tapkee mds (exact points)": tapkee_mds,
}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    name, evidence, out = sys.argv[1:]
    if name.startswith("tapkee"):
        evidence = Path(evidence).with_name(Path(evidence).name.replace("distances", "points"))
    run = PEERS[name](np.load(evidence))
    next(run)                                   # imports and settings are not the fit
    begin = time.perf_counter()
    y, iterations = next(run)
    fit = time.perf_counter() - begin
    np.save(out, np.ascontiguousarray(y, dtype=float))
    print(json.dumps({"fit": fit, "iterations": iterations}))
