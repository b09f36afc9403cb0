"""Optima of small convex programs over Gram matrices, by Clarabel and checked by SCS; writes gram_programs.json beside it.

The instances are those of src/solve/tests/instances.rs, made of a seed by splitmix64 in the same order of operations.
Run by `cargo xtask golden`, which installs the solvers. Nothing of nearer is used here."""

import json
import math
import pathlib
import sys

import clarabel
import numpy as np
import scipy.sparse as sp
import scs

MASK = (1 << 64) - 1


class Splitmix:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def uniform(self):
        return (self.next() >> 11) / (1 << 53)

    def below(self, n):
        return int(self.uniform() * n)


def cloud(rng, n, dim, shape):
    points = [[rng.uniform() for _ in range(dim)] for _ in range(n)]
    if shape == "duplicates":
        for i in range(1, n, 2):
            points[i] = list(points[i - 1])

    def squared(i, j):
        total = 0.0
        for k in range(dim):
            off = points[i][k] - points[j][k]
            total += off * off
        return total

    return [[squared(i, j) for j in range(n)] for i in range(n)]


def neighbours(d, k):
    n = len(d)
    near = [[False] * n for _ in range(n)]
    for i in range(n):
        order = sorted((j for j in range(n) if j != i), key=lambda j: (d[i][j], j))
        for j in order[:k]:
            near[i][j] = near[j][i] = True
    return near


def triplets(rng, d, rows, flip, shape):
    n, found = len(d), []
    while len(found) < rows:
        head, a, b = rng.below(n), rng.below(n), rng.below(n)
        wrong = rng.uniform() < flip
        if head == a or head == b or a == b:
            continue
        across = [(head < n // 2) != (x < n // 2) for x in (a, b)]
        if shape == "disconnected" and n >= 6 and any(across):
            continue
        near, far = (a, b) if (d[head][a] < d[head][b]) != wrong else (b, a)
        found.append((head, near, far))
        if shape == "contradictory":
            found.append((head, far, near))
    return found


class Program:
    """min or max of a trace term, costs of pairs and rows in squared distances and radii; G psd, trace(HG) <= bound."""

    def __init__(self, n, sense):
        self.n, self.sense = n, sense
        self.trace, self.cost, self.rows, self.trace_bound = 0.0, {}, [], None

    def row(self, pairs, constant, kind, weight=None, radius=None):
        """kind: hard (r <= 0), hinge (weight [r]+), absolute (weight |r|), square (weight r^2); radius: (object, factor)"""
        self.rows.append((pairs, constant, kind, weight, radius))


def key(i, j):
    return (min(i, j), max(i, j))


def gnmds(seed, n, rows, slack, shape):
    rng = Splitmix(seed)
    d = cloud(rng, n, 2, shape)
    p = Program(n, "min")
    p.trace = 1.0
    for head, near, far in triplets(rng, d, 1 if shape == "one" else rows, 0.1, shape):
        p.row([(key(head, near), 1.0), (key(head, far), -1.0)], 1.0, "hinge", slack)
    return p


def psde(seed, n, k, slack, shape):
    rng = Splitmix(seed)
    near = neighbours(cloud(rng, n, 2, shape), k)
    said = []
    for i in range(n):
        for j in range(i + 1, n):
            unknown, other = rng.uniform() < 0.1, rng.uniform() < 0.3
            if shape == "one" or (shape == "disconnected" and (i < n // 2) != (j < n // 2)):
                continue
            if shape == "all-similar":
                said += [(i, j, True), (j, i, True)]
            elif shape == "all-dissimilar":
                said += [(i, j, False), (j, i, False)]
            elif shape == "contradictory":
                said += [(i, j, near[i][j]), (j, i, near[i][j] != other)]
            elif not unknown:
                said += [(i, j, near[i][j]), (j, i, near[i][j])]
    if shape == "one":
        said.append((0, 1, False))
    alike, apart = sum(s for *_, s in said), sum(not s for *_, s in said)
    p = Program(n, "min")
    p.trace_bound = 1.0
    for i, j, similar in said:
        p.cost[key(i, j)] = p.cost.get(key(i, j), 0.0) + (1.0 / alike if similar else -1.0 / apart)
        sign = 1.0 if similar else -1.0
        kind = ("hard", None) if slack is None else ("hinge", slack)
        p.row([(key(i, j), sign)], 0.0, *kind, radius=(i, -sign))
    return p


def heights(rows):
    """The longest chain of comparisons that begins with each pair."""
    further, memo = {}, {}
    for near, far in rows:
        further.setdefault(near, set()).add(far)

    def height(pair):
        if pair not in memo:
            memo[pair] = max((1.0 + height(q) for q in further.get(pair, ())), default=0.0)
        return memo[pair]

    return {pair: height(pair) for near, far in rows for pair in (near, far)}


def smallest_bound(n, h):
    """From this bound on B - h belongs to points: B H + H h H is positive semidefinite."""
    matrix = np.zeros((n, n))
    for (i, j), value in h.items():
        matrix[i, j] = matrix[j, i] = value
    centre = np.eye(n) - 1.0 / n
    return max(-np.linalg.eigvalsh(centre @ matrix @ centre)[0], matrix.max())


def partial_order(seed, n, rows, bound, shape):
    """`bound`: a number, or a function of the smallest bound of the closed form and the longest chain."""
    rng = Splitmix(seed)
    d = cloud(rng, n, 2, shape)
    said = [
        (key(head, near), key(head, far))
        for head, near, far in triplets(rng, d, 1 if shape == "one" else rows, 0.0, shape)
        if d[head][near] < d[head][far]
    ]
    h = heights(said)
    if callable(bound):
        bound = bound(smallest_bound(n, h), max(h.values(), default=0.0))
    p = Program(n, "max")
    for i in range(n):
        for j in range(i + 1, n):
            p.cost[(i, j)] = 1.0
            p.row([((i, j), 1.0)], -bound, "hard")
    for near, far in said:
        p.row([(near, 1.0), (far, -1.0)], 1.0, "hard")
    return p, bound


def mvu(seed, n, k, how, weight, shape):
    rng = Splitmix(seed)
    d = cloud(rng, n, 3, shape)
    near = neighbours(d, 0 if shape == "one" else k)
    p = Program(n, "max")
    p.trace = 1.0
    kind = {"at-most": "hard", "soft": "absolute", "penalised": "square"}[how]
    for i in range(n):
        for j in range(i + 1, n):
            if near[i][j] or j == i + 1:
                p.row([((i, j), 1.0)], -d[i][j], kind, weight)
    return p


def robust(seed, n, missing, outliers, shape):
    rng = Splitmix(seed)
    d = cloud(rng, n, 2, shape)
    p = Program(n, "min")
    for i in range(n):
        for j in range(i + 1, n):
            gone, wrong, factor, weight = (rng.uniform() for _ in range(4))
            value = math.sqrt(d[i][j])
            if wrong < outliers:
                value *= 3.0 * factor
            if (gone >= missing and shape != "one") or j == i + 1:
                p.row([((i, j), -1.0)], value * value, "absolute", 0.5 + weight)
    return p


def conic(p):
    """As min x'Px/2 + q'x with A x + s = b, s in zero, nonnegative and psd cones; the first point is pinned at the origin."""
    m, root = p.n - 1, math.sqrt(2.0)
    place = {(a, b): b * (b + 1) // 2 + a for b in range(m) for a in range(b + 1)}
    size = len(place)
    sign = 1.0 if p.sense == "min" else -1.0

    def distance(i, j):
        """d_ij in the scaled entries of the pinned Gram matrix, i < j"""
        a, b = i - 1, j - 1
        entries = [(place[(b, b)], 1.0)]
        if a >= 0:
            entries += [(place[(a, a)], 1.0), (place[(a, b)], -2.0 / root)]
        return entries

    spread = {}
    for (a, b), k in place.items():
        spread[k] = 1.0 - 1.0 / p.n if a == b else -2.0 / p.n / root
    radii = {i: size + k for k, i in enumerate(sorted({r[4][0] for r in p.rows if r[4]}))}
    columns = size + len(radii) + sum(r[2] != "hard" for r in p.rows)
    q, diagonal = np.zeros(columns), np.zeros(columns)
    for k, v in spread.items():
        q[k] += sign * p.trace * v
    for (i, j), c in p.cost.items():
        for k, v in distance(i, j):
            q[k] += sign * c * v
    zero, positive, psd = [], [], []
    extra = size + len(radii)
    for pairs, constant, kind, weight, radius in p.rows:
        r = {}
        for pair, factor in pairs:
            for k, v in distance(*pair):
                r[k] = r.get(k, 0.0) + factor * v
        if radius:
            r[radii[radius[0]]] = radius[1]
        if kind == "hard":
            positive.append((r, -constant))
        else:
            if kind == "square":
                diagonal[extra] = 2.0 * weight
                zero.append(({**r, extra: -1.0}, -constant))
            else:
                q[extra] = weight
                positive.append(({**r, extra: -1.0}, -constant))
                low = {k: -v for k, v in r.items()} if kind == "absolute" else {}
                positive.append(({**low, extra: -1.0}, constant if kind == "absolute" else 0.0))
            extra += 1
    for k in radii.values():
        positive.append(({k: -1.0}, 0.0))
    if p.trace_bound is not None:
        positive.append((spread, p.trace_bound))
    psd = [({k: -1.0}, 0.0) for k in range(size)]
    rows = zero + positive + psd
    a = sp.lil_matrix((len(rows), columns))
    for t, (entries, _) in enumerate(rows):
        for k, v in entries.items():
            a[t, k] = v
    b = np.array([e for _, e in rows])
    return sp.diags(diagonal).tocsc(), q, a.tocsc(), b, len(zero), len(positive), m, sign


def by_clarabel(p):
    quadratic, q, a, b, zero, positive, m, sign = conic(p)
    cones = [clarabel.ZeroConeT(zero)] if zero else []
    cones += [clarabel.NonnegativeConeT(positive), clarabel.PSDTriangleConeT(m)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    settings.max_iter = 200
    done = clarabel.DefaultSolver(sp.triu(quadratic).tocsc(), q, a, b, cones, settings).solve()
    return sign * done.obj_val, sign * done.obj_val_dual, str(done.status)


def by_scs(p):
    quadratic, q, a, b, zero, positive, m, sign = conic(p)
    # SCS packs the lower triangle column by column, Clarabel the upper one; both scale by the root of two.
    upper = {(i, j): j * (j + 1) // 2 + i for j in range(m) for i in range(j + 1)}
    order = [upper[(i, j)] for i in range(m) for j in range(i, m)]
    rows = list(range(zero + positive)) + [zero + positive + k for k in order]
    data = {"P": quadratic, "A": a[rows], "b": b[rows], "c": q}
    solver = scs.SCS(data, {"z": zero, "l": positive, "s": [m]}, verbose=False, eps_abs=1e-9, eps_rel=1e-9, max_iters=200000)
    done = solver.solve()
    return sign * done["info"]["pobj"], done["info"]["status"]


def listed():
    """Every instance: the generator, its arguments, and the program."""
    for k in range(14):
        n = 4 + k * 10 // 13
        shape = {5: "duplicates", 6: "disconnected", 9: "duplicates", 10: "one", 11: "disconnected"}.get(k, "plain")
        base = {"seed": 1000 + k, "n": n, "shape": shape}
        comparisons = "contradictory" if k in (7, 12) else shape
        slack = [0.05, 0.3, 1.0, 20.0][k % 4]
        yield {"program": "gnmds", **base, "shape": comparisons, "rows": 4 * n, "slack": slack}, gnmds(
            1000 + k, n, 4 * n, slack, comparisons)
        similar = {8: "all-similar", 12: "all-dissimilar"}.get(k, shape)
        near = 1 + k % 3
        yield {"program": "psde", **base, "shape": similar, "k": near, "slack": None}, psde(1000 + k, n, near, None, similar)
        similar = "contradictory" if k in (3, 7) else similar
        slack = [0.01, 0.1, 1.0][k % 3]
        yield {"program": "psde", **base, "shape": similar, "k": near, "slack": slack}, psde(
            1000 + k, n, near, slack, similar)
        # Below the bound of the closed form, as low as some map still allows.
        for share in (0.8, 0.9, 0.95, 0.98, 0.995):
            p, bound = partial_order(1000 + k, n, 2 * n, lambda small, _: small * share, shape)
            if "Infeasible" not in by_clarabel(p)[2]:
                break
        yield {"program": "partial-order", **base, "rows": 2 * n, "bound": bound, "below": True}, p
        p, bound = partial_order(1000 + k, n, 2 * n, lambda _, longest: (4.0 * n + 1.0) * (longest + 1.0), shape)
        yield {"program": "partial-order", **base, "rows": 2 * n, "bound": bound, "below": False}, p
        for how, weight in (("at-most", None), ("soft", 3.0 * n), ("penalised", float(n))):
            yield {"program": "mvu", **base, "k": 2 + k % 3, "how": how, "weight": weight}, mvu(
                1000 + k, n, 2 + k % 3, how, weight, shape)
        yield {"program": "robust", **base, "missing": 0.3, "outliers": 0.2}, robust(1000 + k, n, 0.3, 0.2, shape)


def main():
    cases = []
    for said, p in listed():
        value, dual, status = by_clarabel(p)
        apart = abs(value - dual) / max(abs(value), 1e-6)
        line = f"{said['program']} {said['seed']} n={said['n']} {said['shape']}: {status} {value:.10g} (dual {apart:.1e} off)"
        if "Infeasible" in status:
            print(line, "-- left out", file=sys.stderr)
            continue
        case = {**said, "optimum": value, "solver": f"Clarabel {clarabel.__version__}", "off": apart}
        if status != "Solved" or apart > 1e-7:
            other, word = by_scs(p)
            line += f"; SCS {word} {other:.10g}"
            # Where Clarabel's two sides do not meet and SCS says that it is done, SCS is believed.
            names = [f"Clarabel {clarabel.__version__}", f"SCS {scs.__version__}"]
            if apart > 1e-8 and abs(value) > 1e-6 and word == "solved":
                case["optimum"], other, names = other, value, names[::-1]
            case["solver"], case["second"], case["second_solver"] = names[0], other, names[1]
        print(line, file=sys.stderr)
        cases.append(case)
    here = pathlib.Path(__file__).with_suffix(".json")
    here.write_text("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")


if __name__ == "__main__":
    main()
