"""Every figure that the command prints, computed a second time by other programs: numpy, scipy, scikit-learn, networkx.

    bench/.venv/bin/python bench/truth.py [--data FOLDER] [-o PAGE.md]

On the files of examples/, and with --data on real ones: those of R's `datasets`, `smacof` and `DistatisR`, of scikit-learn, the
musicians of aset400 and the answers of the NEXT system about fruit, each in a folder of its own (SETS below). A figure is recomputed from the evidence and the coordinates that were written, never from what the
command says about itself. Needs networkx beside what the other benches need; NEARER names another binary. Exits with 1 where a
figure differs.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import networkx as nx
import numpy as np
from scipy.optimize import Bounds, LinearConstraint, isotonic_regression, milp
from scipy.sparse import coo_matrix
from scipy.spatial.distance import pdist, squareform
from sklearn.manifold import trustworthiness

import truth_data

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
NEARER = os.environ.get("NEARER", TARGET / "release" / "nearer")
TOUCH = 1e-6           # the tolerance of the docs: a share of the mean squared distance of the map
ROWS, BAD = [], []


def same(what, ours, theirs, within=1e-9, by="numpy"):
    """One line of the table: equal to `within`, relative where numbers are above one."""
    if isinstance(theirs, (list, tuple, np.ndarray)):
        off = float(np.max(np.abs(np.asarray(ours, float) - np.asarray(theirs, float)), initial=0))
        size = float(np.max(np.abs(theirs), initial=1))
        shown = (f"{len(ours)} numbers", f"largest difference {off:.1e}")
    else:
        off, size = abs(float(ours) - float(theirs)), max(1.0, abs(float(theirs)))
        shown = (f"{ours:.10g}", f"{theirs:.10g}")
    note(what, *shown, off <= within * size, by)


def between(what, low, ours, high, by):
    note(what, f"{ours:.10g}", f"{low:.6g} to {high:.6g}", low - 1e-12 <= ours <= high + 1e-12, by)


def note(what, ours, theirs, good, by):
    ROWS.append((what, ours, theirs, by, "=" if good else "DIFFERENT"))
    if not good:
        BAD.append(what)
        print(f"DIFFERENT {what}: {ours} and {theirs} by {by}", file=sys.stderr)


def nearer(*args):
    done = subprocess.run([str(NEARER), *map(str, args)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"nearer {' '.join(map(str, args))} ended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout) if done.stdout.lstrip().startswith("{") else done.stdout


def fitted(folder, evidence, *args):
    """The report of a fit, and its coordinates by label."""
    out = Path(folder) / "map.csv"
    report = nearer("embed", *([evidence] if isinstance(evidence, (str, Path)) else evidence), "--json", "-q", "-o", out, *args)
    return report, coordinates(out), out


def coordinates(path):
    with open(path, newline="") as f:
        rows = list(csv.reader(f))[1:]
    return {r[0]: np.array(r[1:], float) for r in rows}


# ---------------------------------------------------------------- distances

def matrix(path):
    """A labelled square csv; empty and NA cells are missing."""
    with open(path, newline="") as f:
        rows = list(csv.reader(f))
    labels = [r[0] for r in rows[1:]]
    cell = lambda c: float(c) if c not in ("", "NA", "*") else np.nan
    d = np.array([[cell(c) for c in r[1:]] for r in rows[1:]])
    return labels, np.fmax(d, d.T)


def distances(name, path, folder, methods=None, turn=None):
    """Every figure of distances; `turn` is a rule by which similarities become distances, and the same as a function."""
    labels, d = matrix(path)
    n = len(d)
    extra = []
    if turn:
        extra, d = ["--similarity", turn[0]], turn[1](d)
        np.fill_diagonal(d, 0)
    upper = np.triu_indices(n, 1)
    for method in methods or ("metric-mds", "classical-mds", "nonmetric-mds", "sstress", "robust-mds"):
        if np.isnan(d[upper]).any() and method == "classical-mds":
            continue
        report, at, out = fitted(folder, path, "--method", method, *extra)
        y = np.array([at[l] for l in labels])
        delta, m = d[upper], pdist(y)
        known = ~np.isnan(delta)
        delta, m = delta[known], m[known]
        head = f"{name}, {method}"
        plain = np.sqrt(max(0.0, 1 - (m @ delta) ** 2 / ((m @ m) * (delta @ delta))))
        if method == "nonmetric-mds":
            sort = np.lexsort((m, delta))
            fit = isotonic_regression(m[sort]).x
            kruskal = np.sqrt(((m[sort] - fit) ** 2).sum() / (m**2).sum())
            same(f"{head}: embed stress1", report["stress1"], kruskal, 1e-7, "scipy isotonic_regression")
            same(f"{head}: embed objective", report["objective"], kruskal, 1e-7, "scipy isotonic_regression")
        else:
            same(f"{head}: embed stress1", report["stress1"], plain, 1e-7)
        if method == "metric-mds":
            same(f"{head}: embed objective", report["objective"], ((delta - m) ** 2).sum(), 1e-7)
            e = nearer("eval", out, path, "--json", "-q", *extra)
            evaluated(head, e, d, y, labels)
            reported(head, folder, out, path, e, extra)
        if method == "sstress":
            same(f"{head}: embed objective", report["objective"], ((delta**2 - m**2) ** 2).sum(), 1e-7)
        if method == "robust-mds":
            same(f"{head}: embed objective", report["objective"], np.abs(delta**2 - m**2).sum(), 1e-7)
            certificate(head, report)
        if method == "classical-mds":
            spectrum(head, report, d)
    checked(f"{name}, check", nearer("check", path, "--json", "-q", *extra), d)


def spectrum(head, report, d):
    n = len(d)
    h = np.eye(n) - 1 / n
    w = np.linalg.eigvalsh(-0.5 * h @ d**2 @ h)[::-1]
    got = report["spectrum"]["eigenvalues"]
    same(f"{head}: spectrum", got, w[: len(got)], 1e-9)
    if report.get("goodness"):
        two = w[:2].clip(0).sum()
        same(f"{head}: goodness of fit (R's two figures)", report["goodness"], [two / np.abs(w).sum(), two / w.clip(0).sum()], 1e-9)


def evaluated(head, e, d, y, labels):
    n = len(d)
    upper = np.triu_indices(n, 1)
    delta, m = d[upper], pdist(y)
    known = ~np.isnan(delta)
    x, z = delta[known], m[known]
    scale = (x @ z) / (x @ x)
    residual = scale * x - z
    raw = ((x - z) ** 2).sum()
    same(f"{head}: eval raw_stress", e["raw_stress"], raw, 1e-7)
    same(f"{head}: eval normalized_stress", e["normalized_stress"], raw / (x @ x), 1e-7)
    same(f"{head}: eval stress1", e["stress1"], np.sqrt((residual**2).sum() / (z @ z)), 1e-7)
    same(f"{head}: eval scale", e["scale"], scale, 1e-7)
    ratio = np.array([b / a for a, b in zip(x, z) if a > 0])
    if e.get("distortion", {}).get("value"):
        same(f"{head}: eval distortion", e["distortion"]["value"], ratio.max() / ratio.min(), 1e-7)
    square = np.zeros((n, n))
    square[upper[0][known], upper[1][known]] = residual**2
    per = (square + square.T).sum(1)
    same(f"{head}: eval per_object", [o["percent"] for o in e["per_object"]], 100 * per / per.sum(), 1e-6)
    worst = e["worst_pairs"][0]
    i, j = labels.index(worst["a"]), labels.index(worst["b"])
    same(f"{head}: eval worst pair, size", abs(worst["residual"]), np.abs(residual).max(), 1e-7)
    same(f"{head}: eval worst pair, its parts", [worst["data"], worst["disparity"], worst["distance"]],
         [d[i, j], scale * d[i, j], np.linalg.norm(y[i] - y[j])], 1e-7)
    k = e.get("neighbours") or e.get("neighbourhood")
    if k and known.all():
        # Equal distances: scikit-learn sorts them as they come to lie, the command by the order of the file, as numpy does here.
        tied = any(len(set(row)) < n for row in d)
        near = continuity(squareform(m), d, k) if tied else trustworthiness(d, y, n_neighbors=k, metric="precomputed")
        same(f"{head}: eval trustworthiness", e["trustworthiness"], near, 1e-9, "numpy, ties by order" if tied else "scikit-learn")
        same(f"{head}: eval continuity", e["continuity"], continuity(d, squareform(m), k))
        a, b = (np.argsort(np.where(np.eye(n) > 0, np.inf, v), 1, "stable")[:, :k] for v in (d, squareform(m)))
        same(f"{head}: eval neighbour_overlap", e["neighbour_overlap"], np.mean([len(set(p) & set(q)) / k for p, q in zip(a, b)]))


def reported(head, folder, out, path, e, extra=()):
    """The page holds the figures of `eval`, to the last digit."""
    page = Path(folder) / "page.html"
    nearer("report", out, path, "-o", page, "-q", *extra)
    text = page.read_text()
    for key in ("stress1", "raw_stress", "trustworthiness", "continuity", "agreement"):
        if isinstance(e.get(key), float):
            told = f'"{key}":{json.dumps(e[key])}'
            note(f"{head}: report {key}", f"{e[key]:.10g}", "in the page" if told in text.replace(" ", "") else "not in the page",
                 told in text.replace(" ", ""), "the text of the page")


def continuity(d, m, k):
    """Venna & Kaski (2001): the ranks on the map of data neighbours that are not neighbours there."""
    n = len(d)
    order = lambda v: np.argsort(np.where(np.eye(n) > 0, np.inf, v), 1, "stable")
    near, rank = order(d)[:, :k], np.argsort(order(m), 1)
    lost = sum(max(0, rank[i, j] + 1 - k) for i in range(n) for j in near[i])
    return 1 - 2 * lost / (n * k * (2 * n - 3 * k - 1))


def checked(head, c, d):
    n = len(d)
    upper = np.triu_indices(n, 1)
    v = d[upper]
    same(f"{head}: pairs, missing", [c["pairs"], c["missing"]], [len(v), int(np.isnan(v).sum())])
    same(f"{head}: smallest and largest", [c["smallest"]["distance"], c["largest"]["distance"]], [np.nanmin(v), np.nanmax(v)])
    if np.isnan(v).any():
        return
    sides = np.array([[d[i, j], d[i, k], d[j, k]] for i in range(n) for j in range(i) for k in range(j)])
    broken = int((2 * sides.max(1) - sides.sum(1) > 1e-9 * np.abs(sides).max(1)).sum())
    if "triangles" in c and c["triangles"].get("exact"):
        same(f"{head}: triangles tried, broken", [c["triangles"]["tried"], c["triangles"]["violations"]], [len(sides), broken])
    h = np.eye(n) - 1 / n
    w = np.linalg.eigvalsh(-0.5 * h @ d**2 @ h)[::-1]
    if "euclidean" in c:
        same(f"{head}: negative eigenvalues", c["euclidean"]["negative"], int((w < -1e-9 * w[0]).sum()))
        same(f"{head}: least_share", c["euclidean"]["least_share"], w[-1] / w[0], 1e-7)


def certificate(head, report):
    c = report["certificate"]
    size = max(abs(c["primal"]), abs(c["bound"]))
    same(f"{head}: certificate gap", c["gap"], abs(c["primal"] - c["bound"]) / size, 1e-9)
    good = c["bound"] <= c["primal"] if c["sense"] == "minimise" else c["bound"] >= c["primal"]
    note(f"{head}: the bound is on its side", f"{c['primal']:.6g}", f"{c['bound']:.6g}", good, "comparison")


# --------------------------------------------------------------- judgements

def triplets(path):
    """(head, near, far, participant) of every row that may be used, and how many may not."""
    rows, left_out = [], 0
    with open(path, newline="") as f:
        for r in csv.DictReader(f):
            flagged = r.get("catch_trial", "").lower() in ("true", "1", "yes")
            if flagged or len({r["head"], r["near"], r["far"]}) < 3:
                left_out += 1
                continue
            rows.append((r["head"], r["near"], r["far"], r.get("participant")))
    return rows, left_out


def judgements(name, path, folder, methods=("gnmds", "naive-order")):
    rows, left_out = triplets(path)
    edge = lambda h, a: tuple(sorted((h, a)))
    answers = Counter((edge(h, a), edge(h, b)) for h, a, b, _ in rows)
    questions = defaultdict(Counter)
    for (near, far), times in answers.items():
        questions[tuple(sorted((near, far)))][near] += times
    minority = sum(sum(q.values()) - max(q.values()) for q in questions.values())
    c = nearer("check", path, "--json", "-q")
    same(f"{name}, check: queries, repeated, contradictory, minority",
         [c["queries"], c["repeated"], c["contradictory"], c["minority"]],
         [len(questions), sum(sum(q.values()) > 1 for q in questions.values()), sum(len(q) > 1 for q in questions.values()), minority],
         by="a count in Python")
    same(f"{name}, check: rows and rows not used", [c["rows"], c["checks"]], [len(rows) + left_out, left_out], by="a count in Python")
    voted = nx.DiGraph()
    for q, sides in questions.items():
        a, b = q
        if sides[a] != sides[b]:
            voted.add_edge(*((a, b) if sides[a] > sides[b] else (b, a)))
    knots = [k for k in nx.strongly_connected_components(voted) if len(k) > 1]
    inside = sum(voted.subgraph(k).number_of_edges() for k in knots)
    same(f"{name}, check: knots and comparisons in them", [c["cycles"]["components"], c["cycles"]["edges"]], [len(knots), inside], by="networkx")
    proved, least = (v / sum(answers.values()) for v in feedback(answers))
    between(f"{name}, check: noise floor", 0, c["noise"]["floor"], least, "HiGHS, minimum feedback arc set")
    between(f"{name}, check: a map that is as good", proved, c["noise"]["enough"], 1, "HiGHS, minimum feedback arc set")
    for method in methods:
        extra = ["--repair", "cheapest"] if method == "naive-order" else []
        report, at, out = fitted(folder, path, "--method", method, *extra)
        e = nearer("eval", out, path, "--json", "-q")
        labels = list(at)
        y = np.array([at[l] for l in labels])
        touch = TOUCH * (pdist(y) ** 2).mean()
        apart = lambda a, b: ((at[a] - at[b]) ** 2).sum()
        gap = np.array([apart(h, b) - apart(h, a) for h, a, b, _ in rows])
        counts = [int((gap > touch).sum()), int((np.abs(gap) <= touch).sum()), int((gap < -touch).sum())]
        head = f"{name}, {method}"
        got = e["comparisons"]
        same(f"{head}: eval satisfied, tied, violated", [got["satisfied"], got["tied"], got["violated"]], counts)
        same(f"{head}: eval agreement", e["agreement"], counts[0] / len(rows))
        between(f"{head}: eval ceiling", 1 - least, e["ceiling"]["share"], 1 - minority / len(rows), "HiGHS, minimum feedback arc set")
        same(f"{head}: eval ceiling is check's", e["ceiling"]["share"], 1 - c["noise"]["floor"], by="check")
        per = defaultdict(lambda: [0, 0])
        for (h, a, b, _), g in zip(rows, gap):
            for o in (h, a, b):
                per[o][0] += 1
                per[o][1] += g > touch
        told = {o["label"]: (o["rows"], o["satisfied"]) for o in e["per_object"]}
        same(f"{head}: eval per_object", [v for l in labels for v in told[l]], [v for l in labels for v in per[l]])
        people(head, e, rows)
        interval(head, got.get("interval"), rows, gap > touch)
        if method == "gnmds":
            certificate(head, report)
            reported(head, folder, out, path, e)


def feedback(answers):
    """The least weight of answers to drop until no circle is left, by an integer program over the order of the pairs: what is proved
    of it, and what is attained. Both are the same where the solver ends in its time."""
    nodes = sorted({p for e in answers for p in e})
    at = {p: k for k, p in enumerate(nodes)}
    graph = nx.DiGraph()
    for (near, far), times in answers.items():
        graph.add_edge(at[near], at[far], weight=times)
    proved = total = 0.0
    for knot in nx.strongly_connected_components(graph):
        if len(knot) > 1:
            low, high = arcs(graph.subgraph(knot))
            proved, total = proved + low, total + high
    return proved, total


def arcs(knot):
    """With a position 0 ≤ x ≤ n - 1 for each pair: x(far) - x(near) ≥ 1 unless the arc is dropped."""
    nodes, edges = list(knot), list(knot.edges(data="weight"))
    at, n, m = {v: k for k, v in enumerate(nodes)}, len(knot), knot.number_of_edges()
    data, rows, columns = [], [], []
    for k, (u, v, _) in enumerate(edges):
        for column, value in ((at[v], 1.0), (at[u], -1.0), (n + k, float(n))):
            data.append(value), rows.append(k), columns.append(column)
    a = coo_matrix((data, (rows, columns)), shape=(m, n + m)).tocsr()
    cost = np.concatenate([np.zeros(n), [w for _, _, w in edges]])
    bounds = Bounds(np.zeros(n + m), np.concatenate([np.full(n, n - 1), np.ones(m)]))
    integral = np.concatenate([np.zeros(n), np.ones(m)])
    solved = milp(cost, constraints=LinearConstraint(a, 1.0, np.inf), bounds=bounds, integrality=integral,
                  options={"time_limit": 20.0})
    if solved.x is None:        # nothing in time: both sides of every contradiction, or nothing, are always right
        return max(0.0, float(solved.mip_dual_bound or 0.0)), float(cost[n:].sum())
    return float(min(solved.mip_dual_bound, solved.fun)), float(solved.fun)


def people(head, e, rows):
    """Every answer against the majority of the other participants who were asked the same."""
    told = e["ceiling"].get("people")
    if not told:
        return
    by = defaultdict(lambda: defaultdict(Counter))
    for h, a, b, who in rows:
        by[(h, *sorted((a, b)))][who][a] += 1
    answers = agreeing = 0
    for h, a, b, who in rows:
        others = Counter()
        for other, said in by[(h, *sorted((a, b)))].items():
            if other != who:
                others.update(said)
        x, z = others[a], others[b]
        if x != z:
            answers += 1
            agreeing += x > z
    same(f"{head}: eval people", [told["answers"], told["agreeing"]], [answers, agreeing], by="a count in Python")


def interval(head, told, rows, good):
    """The percentile interval, drawn with other random numbers: equal to a few hundredths of its width."""
    if not told:
        return
    groups = defaultdict(list)
    for k, (_, _, _, who) in enumerate(rows):
        groups[who if told["unit"] == "participants" else k].append(bool(good[k]))
    sums = np.array([[sum(g), len(g)] for g in groups.values()], float)
    rng = np.random.default_rng(1)
    if told["unit"] == "participants":
        draws = (rng.integers(0, len(sums), len(sums)) for _ in range(20000))
        shares = [sums[draw, 0].sum() / sums[draw, 1].sum() for draw in draws]
    else:       # single answers drawn anew are a binomial count
        shares = rng.binomial(len(sums), sums[:, 0].mean(), 20000) / len(sums)
    low, high = np.percentile(shares, [2.5, 97.5])
    width = max(high - low, 1e-9)
    same(f"{head}: eval interval", [told["low"], told["high"]], [low, high], 0.15 * width + 1e-9, "numpy bootstrap, 20,000 draws")


# -------------------------------------------------------------------- pairs

def pairs(name, path, folder):
    with open(path, newline="") as f:
        given = [(r["from"], r["to"], r["label"].strip().lower() in ("1", "similar", "alike", "yes", "must-link", "true")) for r in csv.DictReader(f)]
    rows = [(a, b, s) for a, b, s in given] + [(b, a, s) for a, b, s in given]
    report, at, out = fitted(folder, path, "--method", "psde", "--slack", "1")
    e = nearer("eval", out, path, "--json", "-q")
    y = np.array(list(at.values()))
    touch = TOUCH * (pdist(y) ** 2).mean()
    good = 0
    for o in at:
        # A pair that was answered both ways has no leeway: only one of the answers can hold.
        own = [(((at[o] - at[b]) ** 2).sum(), s, 0 if (a, b, not s) in rows else touch) for a, b, s in rows if a == o]
        radii = [-1.0] + [d + k * touch for d, *_ in own for k in (-1.01, -1, 0, 0.01, 1, 1.01)] + [2 * max([d for d, *_ in own], default=1)]
        right = lambda d, s, w, r: (d < r + w or w and d <= r + w if s else d >= r - w) if d > touch else (r > 0) == s
        good += max(sum(bool(right(*row, r)) for row in own) for r in radii) if own else 0
    note(f"{name}, psde: agreement is not above the proved ceiling", f"{e['agreement']:.4f}", f"{e['ceiling']['share']:.4f}", e["agreement"] <= e["ceiling"]["share"] + 1e-12, "the report itself")
    same(f"{name}, psde: eval pairs satisfied", e["pairs"]["satisfied"], good, by="every radius tried in Python")
    same(f"{name}, psde: eval agreement", e["agreement"], good / len(rows))
    certificate(f"{name}, psde", report)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", help="write the table to this page")
    parser.add_argument("--data", type=Path, help="a folder of real data sets, each in a folder of its own")
    args = parser.parse_args()
    examples = ROOT / "examples"
    with tempfile.TemporaryDirectory() as folder:
        distances("cities", examples / "cities.csv", folder)
        judgements("judgements", examples / "judgements.csv", folder)
        pairs("alike", examples / "alike.csv", folder)
        if args.data:
            truth_data.every(sys.modules[__name__], args.data, Path(folder))
    text = "\n".join([
        "# What the command prints, and what other programs make of it", "",
        "Recomputed from the evidence and the coordinates that were written; `python3 bench/truth.py`.", "",
        "| figure | nearer | elsewhere | by | |", "|---|---|---|---|---|",
        *(f"| {' | '.join(row)} |" for row in ROWS), "",
        f"{len(ROWS)} figures, {len(BAD)} differ."])
    if args.o:
        Path(args.o).write_text(text + "\n")
    print(f"{len(ROWS)} figures recomputed, {len(BAD)} differ")
    return 1 if BAD else 0


if __name__ == "__main__":
    sys.exit(main())
