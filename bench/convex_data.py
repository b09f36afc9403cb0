"""The convex methods on real sets: held-out triplets against published figures, and unfolding against the truth.

    bench/.venv/bin/python bench/convex_data.py --data DIR [--only triplets,pairs,unfolding]

DIR holds the folders of the sets. Published: 2-D held-out error of GNMDS, musicians 0.254, materials 0.139
(reference_triplet_error.csv).
"""
import argparse
import csv
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

import markdown
from cells import NEARER, run
from groups import claim

FOLDS = 5
PUBLISHED = {"musicians": 0.254, "materials": 0.139}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="the folder of the sets")
    parser.add_argument("--only", default="triplets,pairs,unfolding", help="some of triplets, pairs, unfolding")
    args = parser.parse_args()
    data, claims = Path(args.data), []
    parts = ["# Convex methods on real sets", "", "`bench/.venv/bin/python bench/convex_data.py --data DIR`", ""]
    with tempfile.TemporaryDirectory() as folder:
        for name, part in [("triplets", triplets), ("pairs", pairs), ("unfolding", unfolding)]:
            if name in args.only.split(","):
                lines, settled = part(data, Path(folder))
                parts += lines
                claims += settled
    pairs_of, machine = markdown.machine()
    parts[4:4] = ["## Claims", "", markdown.claims(claims), ""]
    parts += ["## Where", "", markdown.table(["", ""], pairs_of), ""]
    markdown.write("\n".join(parts), f"{markdown.today()}-{machine}-convex-data.md")
    return 1 if any(c["holds"] is False for c in claims) else 0


def written(path, head, rows):
    with open(path, "w") as f:
        f.write(head + "\n")
        f.writelines(",".join(str(v) for v in row) + "\n" for row in rows)
    return path


def embed(folder, evidence, *args):
    got = run([NEARER, "embed", evidence, *args, "-o", folder / "map.csv", "--json", "--quiet"], limit=3600)
    if got["code"] != 0:
        raise RuntimeError(got["err"].strip()[-300:])
    rows = list(csv.reader(open(folder / "map.csv")))[1:]
    return json.loads(got["out"]), {r[0]: np.array(r[1:], float) for r in rows}


def sets(data):
    """Triplets (head, near, far) of each set, with a split where the authors give one."""
    rows = list(csv.reader(open(data / "musicians_aset400" / "music_triplets.csv")))
    rows = rows[1:] if not rows[0][0].replace(".", "").isdigit() else rows
    yield "musicians", [tuple(r[:3]) for r in rows if len(set(r[:3])) == 3], None
    split = {}
    for part in ("train", "test"):
        split[part] = materials(data, part)
    yield "materials", split["train"], split["test"]
    fruit = list(csv.DictReader(open(data / "next_fruit" / "responses.csv")))
    yield "next_fruit", [(r["head"], r["near"], r["far"]) for r in fruit], None
    for task in ("color-tm", "shape-tm"):
        found = palette(data, task)
        if found:
            yield f"palette {task}", found, None


def materials(data, part):
    """Queries with a clear majority, as the published figures count them."""
    found = json.loads((data / "material_lagunas" / f"answers_processed_{part}.json").read_text())
    return [tuple(str(v) for v in row) for row in found["answers_diff"]]


def palette(data, task):
    import counts
    with tempfile.TemporaryDirectory() as folder:
        for name, args, _ in counts.palettes(data, Path(folder)):
            if task in name:
                rows = list(csv.DictReader(open(args[0])))
                triples = [(r["head"], r["near"], r["far"]) for r in rows]
                return [t for t in triples if len(set(t)) == 3]
    return None


def triplets(data, folder):
    out = ["## Held-out triplets (GNMDS, 2 dimensions)", "",
           f"Error: share of held-out triplets that do not hold. {FOLDS} folds of rows, seed 1; materials as its authors split it.",
           "*Projected*: the leading axes of the solution; *refined*: after descending in two dimensions from there (the default).", ""]
    rows, claims = [], []
    for name, all_rows, test in sets(data):
        folds = [(all_rows, test)] if test else []
        if not test:
            order = np.random.default_rng(1).permutation(len(all_rows)) % FOLDS
            folds = [([r for r, f in zip(all_rows, order) if f != k], [r for r, f in zip(all_rows, order) if f == k])
                     for k in range(FOLDS)]
        errors = {"yes": [], "no": []}
        gaps, ranks, seconds = [], [], 0
        for train, held in folds:
            file = written(folder / "train.csv", "head,near,far", train)
            for refine in errors:
                report, at = embed(folder, file, "--kind", "triplets", "--method", "gnmds", "--refine", refine)
                d = lambda a, b: ((at[a] - at[b]) ** 2).sum()  # noqa: E731
                known = [r for r in held if all(v in at for v in r)]
                errors[refine].append(1 - np.mean([d(h, a) < d(h, b) for h, a, b in known]))
                gaps.append(report["certificate"]["gap"])
                ranks.append(report["certificate"]["rank"])
                seconds = report["seconds"]["fit"]
        means = {k: np.mean(v) for k, v in errors.items()}
        published = PUBLISHED.get(name)
        rows.append([name, len(all_rows), f"{means['no']:.4f}", f"{means['yes']:.4f}", published or "", f"{max(gaps):.0e}",
                     f"{min(ranks)}-{max(ranks)}", f"{seconds:.1f}"])
        print("  ", rows[-1], file=sys.stderr, flush=True)
        if published:
            claims.append(claim(f"{name}: 2-D held-out error, refined", f"≤ {published}", f"{means['yes']:.4f}",
                                bool(means["yes"] <= published)))
    head = ["set", "triplets", "projected", "refined", "published", "largest gap", "ranks", "s of the last fit"]
    return out + [markdown.table(head, rows), ""], claims


def pairs(data, folder):
    """PSDE where pairs come from the triplets: an object is like those it was found nearer to more often than not."""
    out = ["## Pairs (PSDE, 2 dimensions)", "",
           "Pairs of next_fruit: two fruits are alike if, of the answers that show both with one of them as the head, the other was",
           "chosen more often than not; one answer in five held out as triplets, the pairs made of the others, slack 1 / pairs times 10.",
           "*Error* is that of the held-out triplets on the map, which PSDE was never shown as such; GNMDS on the same training answers",
           "beside it.", ""]
    rows = []
    for name, all_rows, _ in sets(data):
        if name != "next_fruit":
            continue
        order = np.random.default_rng(1).permutation(len(all_rows)) % FOLDS
        for k in range(FOLDS):
            train = [r for r, f in zip(all_rows, order) if f != k]
            held = [r for r, f in zip(all_rows, order) if f == k]
            votes = {}
            for h, a, b in train:
                votes[h, a] = votes.get((h, a), 0) + 1
                votes[h, b] = votes.get((h, b), 0) - 1
            said = [(a, b, int(v > 0)) for (a, b), v in votes.items() if v]
            file = written(folder / "pairs.csv", "from,to,label", said)
            report, at = embed(folder, file, "--kind", "pairs", "--directed", "--method", "psde", "--slack", f"{10 / len(said)}",
                               "--refine", "yes")
            triples = written(folder / "train.csv", "head,near,far", train)
            other, beside = embed(folder, triples, "--kind", "triplets", "--method", "gnmds")
            error = lambda m: 1 - np.mean([((m[h] - m[a]) ** 2).sum() < ((m[h] - m[b]) ** 2).sum() for h, a, b in held])  # noqa: E731
            c = report["certificate"]
            rows.append([k + 1, len(said), f"{report['agreement']:.3f}", f"{error(at):.4f}", f"{error(beside):.4f}",
                         f"{c['gap']:.0e}", c["rank"]])
    return out + [markdown.table(["fold", "pairs", "agreement", "error PSDE", "error GNMDS", "gap", "rank"], rows), ""], []


def unfolding(data, folder):
    """MVU beside Isomap, on the faces and on a swiss roll of which the truth is known."""
    from sklearn.manifold import Isomap, trustworthiness
    out = ["## Unfolding (MVU) beside Isomap", "",
           "6 neighbours each, dimension 2 (faces also 3), Isomap by scikit-learn. *Trustworthiness* with 12 neighbours against the pixels",
           "or coordinates given. *Truth*: for each true parameter the multiple correlation with the coordinates of the map.", ""]
    faces = np.loadtxt(next((data / "isomap_faces").glob("*1024*.csv*")), delimiter=",", ndmin=2)
    faces = faces if len(faces) == 698 else faces.T
    truth = np.loadtxt(data / "isomap_faces" / "dataT_698x3.csv", delimiter=",", ndmin=2)
    truth = truth if len(truth) == 698 else truth.T
    rng = np.random.default_rng(0)
    t = 1.5 * np.pi * (1 + 2 * rng.random(1000))
    high = 21 * rng.random(1000)
    roll = np.stack([t * np.cos(t), high, t * np.sin(t)], 1)
    along = 0.5 * (t * np.sqrt(1 + t * t) + np.arcsinh(t))
    rows = []
    for name, x, true, dim in [("faces", faces, truth, 2), ("faces", faces, truth, 3),
                               ("swiss roll, 1000", roll, np.stack([along, high], 1), 2)]:
        file = written(folder / "x.csv", "id," + ",".join(f"f{k}" for k in range(x.shape[1])),
                       [(f"o{i}", *(f"{v:.9g}" for v in row)) for i, row in enumerate(x)])
        report, at = embed(folder, file, "--kind", "features", "--method", "mvu", "--dim", str(dim))
        ours = np.array([at[f"o{i}"] for i in range(len(x))])
        theirs = Isomap(n_neighbors=6, n_components=dim).fit_transform(x)
        for who, y, more in [("mvu", ours, f"{report['certificate']['gap']:.0e}"), ("isomap", theirs, "")]:
            rows.append([name, dim, who, f"{trustworthiness(x, y, n_neighbors=12):.4f}",
                         " ".join(f"{multiple(y, true[:, k]):.3f}" for k in range(true.shape[1])), more,
                         f"{report['seconds']['fit']:.1f}" if who == "mvu" else ""])
            print("  ", rows[-1], file=sys.stderr, flush=True)
    return out + [markdown.table(["set", "dim", "method", "trustworthiness", "truth", "gap", "s"], rows), ""], []


def multiple(y, target):
    """The multiple correlation of a target with the columns of y."""
    a = np.column_stack([y, np.ones(len(y))])
    fit = a @ np.linalg.lstsq(a, target, rcond=None)[0]
    return float(np.corrcoef(fit, target)[0, 1])


if __name__ == "__main__":
    sys.exit(main())
