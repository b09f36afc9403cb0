"""Maps by scikit-learn for the manifold methods and the linear ones: python3 manifolds.py > manifolds.json"""

import json

import numpy as np
from scipy.sparse.csgraph import connected_components
from sklearn.decomposition import PCA, KernelPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.manifold import Isomap, LocallyLinearEmbedding, SpectralEmbedding
from sklearn.neighbors import kneighbors_graph


def roll(n, rng):
    t = 1.5 * np.pi * (1 + 2 * rng.random(n))
    return np.round(np.c_[t * np.cos(t), 21 * rng.random(n), t * np.sin(t)], 6)


def case(name, x, y, placed=None, **more):
    """`x` names the table; what is placed are the rows of `new`."""
    more = more if placed is None else {**more, "placed": np.round(placed, 11).tolist()}
    return {"name": name, "x": x, "y": np.round(y, 11).tolist(), **more}


def linked(x, k):
    """The union of the k nearest of each, 0 and 1."""
    a = kneighbors_graph(x, k).toarray()
    a = np.maximum(a, a.T)
    assert connected_components(a)[0] == 1
    return a


def main():
    rng = np.random.default_rng(3)
    x, new = roll(110, rng), roll(12, rng)
    cases = []
    # The union of neighbours, as its graph for shortest ways has it.
    iso = Isomap(n_neighbors=8, n_components=2, eigen_solver="dense", neighbors_algorithm="brute").fit(x)
    linked(x, 8)
    cases.append(case("isomap", "roll", iso.embedding_, k=8, placed=iso.transform(new)))
    for form, k in [("standard", 8), ("modified", 8), ("hessian", 6), ("ltsa", 8)]:
        lle = LocallyLinearEmbedding(n_neighbors=k, n_components=2, method=form, eigen_solver="dense", reg=1e-3).fit(x)
        cases.append(case("lle", "roll", lle.embedding_, k=k, form=form, placed=lle.transform(new)))
    a = linked(x, 8)
    spectral = SpectralEmbedding(n_components=2, affinity="precomputed", eigen_solver="arpack", eigen_tol=1e-14, random_state=0)
    cases.append(case("laplacian-eigenmaps", "roll", spectral.fit_transform(a), k=8, width=0))
    d2 = ((x[:, None] - x[None]) ** 2).sum(-1)
    heat = a * np.exp(-d2 / (2 * 2.5**2))
    cases.append(case("laplacian-eigenmaps", "roll", spectral.fit_transform(heat), k=8, width=2.5))
    pca = PCA(n_components=3).fit(x)
    cases.append(case("pca", "roll", pca.transform(x), variance=pca.explained_variance_.tolist()))
    cases.append(case("pca-whitened", "roll", PCA(n_components=2, whiten=True).fit_transform(x)))
    gamma = 1 / (2 * 6.0**2)
    kernel = KernelPCA(n_components=2, kernel="rbf", gamma=gamma, eigen_solver="dense").fit(x)
    cases.append(case("kernel-pca", "roll", kernel.transform(x), width=6.0, placed=kernel.transform(new)))
    classes = (np.arange(len(x)) * 7919) % 4
    shifted = np.round(x * [1, 0.1, 3] + np.c_[classes * 2.0, (classes == 1) * 1.5, np.zeros(len(x))], 6)
    lda = LinearDiscriminantAnalysis(n_components=3).fit(shifted, classes)
    cases.append(case("lda", "shifted", lda.transform(shifted)))
    # A column that is constant and one that is the sum of two others.
    wide = np.c_[shifted, np.full(len(x), 5.0), shifted[:, 0] + shifted[:, 1]]
    lda = LinearDiscriminantAnalysis(n_components=2).fit(wide, classes)
    cases.append(case("lda", "wide", lda.transform(wide)))
    tables = {"roll": x, "new": new, "shifted": shifted, "wide": wide}
    tables = {name: table.tolist() for name, table in tables.items()}
    print(json.dumps({"tables": tables, "classes": classes.tolist(), "cases": cases}))


main()
