"""Instances of the convex bench, each made from a seed: nothing has to be fetched."""
import numpy as np

# Objects around a cylinder: how many azimuths, how many heights.
CYLINDERS = {50: (10, 5), 98: (14, 7), 162: (18, 9), 324: (36, 9), 648: (36, 18), 1000: (50, 20), 2000: (100, 20)}


def cylinder(n):
    """1 for pairs at most one step apart around and along a cylinder, -1 for the others, 0 on the diagonal."""
    around, along = CYLINDERS[n]
    azimuth, height = np.repeat(np.arange(around), along), np.tile(np.arange(along), around)
    turned = np.abs(azimuth[:, None] - azimuth[None, :])
    turned = np.minimum(turned, around - turned)
    raised = np.abs(height[:, None] - height[None, :])
    near = np.where((turned <= 1) & (raised <= 1), 1, -1).astype(np.int8)
    np.fill_diagonal(near, 0)
    return near


def triplets(n, count, dim=3, flipped=0.1, seed=1):
    """Different comparisons (head, near, head, far) of normal points, a tenth of them the wrong way round."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, dim))
    rows = np.empty((0, 4), np.int64)
    while len(rows) < count:
        tried = int(1.3 * (count - len(rows))) + 64
        head, a, b = (rng.integers(0, n, tried) for _ in range(3))
        kept = (head != a) & (head != b) & (a != b)
        head, a, b = head[kept], a[kept], b[kept]
        swap = (((x[head] - x[a]) ** 2).sum(1) > ((x[head] - x[b]) ** 2).sum(1)) ^ (rng.random(len(head)) < flipped)
        some = np.stack([head, np.where(swap, b, a), head, np.where(swap, a, b)], 1)
        rows = np.unique(np.concatenate([rows, some]), axis=0)
    rng.shuffle(rows)
    return rows[:count]


def roll(n, neighbours=6, seed=0):
    """Points of a rolled sheet, the edges of their nearest neighbours (parts joined at their nearest pair), squared lengths."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree
    rng = np.random.default_rng(seed)
    t = 1.5 * np.pi * (1 + 2 * rng.random(n))
    width = 21 * rng.random(n)
    x = np.stack([t * np.cos(t), width, t * np.sin(t)], 1)
    found = cKDTree(x).query(x, neighbours + 1)[1][:, 1:].ravel()
    own = np.repeat(np.arange(n), neighbours)
    edges = np.unique(np.stack([np.minimum(own, found), np.maximum(own, found)], 1), axis=0)
    graph = coo_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
    parts, part = connected_components(graph)
    while parts > 1:
        here, there = np.where(part == 0)[0], np.where(part != 0)[0]
        apart, at = cKDTree(x[here]).query(x[there])
        nearest = np.argmin(apart)
        edges = np.vstack([edges, sorted((there[nearest], here[at[nearest]]))])
        part[part == part[there[nearest]]] = 0
        parts = len(np.unique(part))
    edges = np.unique(edges, axis=0)
    return x, edges, ((x[edges[:, 0]] - x[edges[:, 1]]) ** 2).sum(1)


def outliers(n, dim=3, share=0.1, noise=0.05, seed=0):
    """Pairs and squared distances of normal points, 5 % noise, a tenth of them far off."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, dim))
    pairs = np.triu_indices(n, 1)
    squared = ((x[pairs[0]] - x[pairs[1]]) ** 2).sum(1)
    seen = squared * (1 + noise * rng.standard_normal(len(squared)))
    off = rng.random(len(squared)) < share
    seen[off] *= rng.uniform(0.2, 4, off.sum())
    return np.stack(pairs, 1), np.maximum(seen, 0)
