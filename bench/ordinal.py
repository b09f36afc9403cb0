"""Maps of comparisons beside cblearn, on the same folds and the same thread: held-out error on real sets, clean error on planted
ones, and time.

    python3 bench/ordinal.py --python VENV/bin/python [--data DIR] [--only planted,real,speed] [--out FILE]

VENV has cblearn 0.4; without it only our own lines are made. DIR holds the public sets as they were published (named in each
reader below). Time is CPU seconds on one thread: of our whole command, reading and writing included, and around the call of `fit` there."""
import argparse
import csv
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

ONE = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
PEERS = ["cblearn SOE", "cblearn t-STE", "cblearn CKL"]
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


# Real sets: rows (head, near, far, participant or ""); an odd-one-out is two rows of one trial.

def musicians(data):
    with open(f"{data}/musicians_aset400/music_triplets.csv") as f:
        rows = [(r["head"], r["near"], r["far"], "") for r in csv.DictReader(f)]
    return [[r] for r in rows if len(set(r[:3])) == 3]


def next_fruit(data):
    with open(f"{data}/next_fruit/responses.csv") as f:
        return [[(r["head"], r["near"], r["far"], r["participant"])] for r in csv.DictReader(f)]


def fleming(data):
    with open(f"{data}/fleming_shapes/responses.csv") as f:
        return [[(r["head"], r["winner"], r["loser"], r["puid"])] for r in csv.DictReader(f)]


def materials(data):
    with open(f"{data}/material_lagunas/answers_processed_train.json") as f:
        known = json.load(f)
    rows = []
    for (head, a, b), (for_a, for_b) in zip(known["answers"], known["agreement"]):
        rows += [[(str(head), str(a), str(b), "")]] * for_a + [[(str(head), str(b), str(a), "")]] * for_b
    return rows


def videos(data):
    with open(f"{data}/social_videos_ooo/all_triplets.csv") as f:
        rows = [([r[f"stim{k}_name"] for k in (1, 2, 3)], r["choice"], r["participation"]) for r in csv.DictReader(f)]
    trials = []
    for shown, odd, who in rows:
        a, b, c = [v for v in shown if v != odd] + [odd] if len(set(shown)) == 3 and odd in shown else (None,) * 3
        if a is not None:
            trials.append([(a, b, c, who), (b, a, c, who)])
    return trials


def kernels(name):
    def read(data):
        first = 4 if name in ("color", "shape") else 6
        training = 8 if first == 4 else 24
        rows = []
        with open(f"{data}/perceptual_kernels/raw/{name}-tm.txt") as f:
            for who, line in enumerate(f):
                ids = [int(v) for v in line.strip().strip(",").split(",")]
                for k in range(3 * training, len(ids) - 2, 3):
                    t = ids[k:k + 3]
                    if len(set(t)) == 3:
                        rows.append([tuple(str(v - first) for v in t) + (f"p{who}",)])
        return rows
    return read


SETS = {
    "musicians": musicians,
    "next_fruit": next_fruit,
    "fleming_shapes": fleming,
    "materials": materials,
    "social_videos_ooo": videos,
    "kernels color-tm": kernels("color"),
    "kernels shape-tm": kernels("shape"),
    "kernels shapecolor-tm": kernels("shapecolor"),
    "kernels sizecolor-tm": kernels("sizecolor"),
}


def planted(objects, dim, answers, flips, seed):
    """Triplets about normal points, a share of them wrong, and clean ones to test with."""
    r = random.Random(seed)
    x = [[r.gauss(0, 1) for _ in range(dim)] for _ in range(objects)]

    def draw(count, wrong):
        rows = []
        while len(rows) < count:
            h, a, b = r.randrange(objects), r.randrange(objects), r.randrange(objects)
            if h == a or h == b or a == b:
                continue
            near = sum((p - q) ** 2 for p, q in zip(x[h], x[a])) < sum((p - q) ** 2 for p, q in zip(x[h], x[b]))
            if near == (r.random() < wrong):
                a, b = b, a
            rows.append((str(h), str(a), str(b), ""))
        return rows

    return draw(answers, flips), draw(20000, 0.0)


def error(points, rows):
    """The share of answers that a map gets wrong; a tie is half."""
    wrong = 0.0
    for head, near, far, _ in rows:
        if head not in points or near not in points or far not in points:
            wrong += 0.5
            continue
        h = points[head]
        d = [sum((p - q) ** 2 for p, q in zip(h, points[k])) for k in (near, far)]
        wrong += 1.0 if d[0] > d[1] else 0.5 if d[0] == d[1] else 0.0
    return wrong / len(rows)


def ours(binary, method, rows, dim, extra=()):
    with tempfile.TemporaryDirectory() as folder:
        path, out = f"{folder}/answers.csv", f"{folder}/map.csv"
        people = any(r[3] for r in rows)
        with open(path, "w") as f:
            f.write("head,near,far,participant\n" if people else "head,near,far\n")
            f.writelines(",".join(r if people else r[:3]) + "\n" for r in rows)
        command = [binary, "embed", path, "--method", method, "--dim", str(dim), "--threads", "1", "--json", "-o", out, *extra]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run(command, env=ONE, capture_output=True, text=True)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        if done.returncode:
            sys.exit(done.stderr)
        with open(out) as f:
            points = {r[0]: [float(v) for v in r[1:]] for r in list(csv.reader(f))[1:]}
        return points, seconds, json.loads(done.stdout)


THEIRS = """
import json, sys, time
import numpy as np
from cblearn import embedding
name, dim, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
with open(path) as f: rows = json.load(f)
labels = sorted({v for r in rows for v in r[:3]}); number = {v: k for k, v in enumerate(labels)}
t = np.array([[number[v] for v in r[:3]] for r in rows])
model = {"SOE": lambda: embedding.SOE(dim, random_state=0, n_init=int(sys.argv[4])), "t-STE": lambda: embedding.TSTE(dim, random_state=0),
         "STE": lambda: embedding.STE(dim, random_state=0), "CKL": lambda: embedding.CKL(dim, mu=0.05, random_state=0)}[name]()
start = time.process_time()
x = model.fit(t, n_objects=len(labels)).embedding_
print(json.dumps({"seconds": time.process_time() - start, "points": {l: list(map(float, p)) for l, p in zip(labels, x)}}))
"""


def theirs(python, name, rows, dim, starts=10):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/t.json", "w") as f:
            json.dump(rows, f)
        done = subprocess.run([python, "-c", THEIRS, name.removeprefix("cblearn "), str(dim), f"{folder}/t.json", str(starts)], env=ONE, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        told = json.loads(done.stdout)
        return told["points"], told["seconds"]


def mean(values):
    m = sum(values) / len(values)
    return m, (sum((v - m) ** 2 for v in values) / (len(values) - 1) / len(values)) ** 0.5 if len(values) > 1 else 0.0


def real(o, page):
    page.append(f"\n## Held out: error in {o.dim} dimensions, {o.folds} of 5 folds of {o.seeds} shuffles (mean ± standard error; seconds a fit)\n")
    names = [n for n in ["choice", "soe", "t-ste", "ckl"] if not o.methods or n in o.methods] + (PEERS if o.python else [])
    page.append("| set | answers | " + " | ".join(n if n in PEERS else f"`{n}`" for n in names) + " |")
    page.append("|---" * (len(names) + 2) + "|")
    for name, read in SETS.items():
        if o.sets and name not in o.sets:
            continue
        trials = read(o.data)
        splits = []
        for seed in range(o.seeds):
            random.Random(seed).shuffle(trials)
            for fold in range(o.folds):
                sides = ([t for k, t in enumerate(trials) if (k % 5 == fold) == held] for held in (False, True))
                splits.append([[r for t in side for r in t] for side in sides])
        cells = []
        for n in names:
            found, seconds = [], []
            for train, test in splits:
                points, s = theirs(o.python, n, train, o.dim) if n in PEERS else ours(o.binary, n, train, o.dim)[:2]
                found.append(error(points, test))
                seconds.append(s)
            m, se = mean(found)
            cells.append(f"{m:.4f} ± {se:.4f}; {mean(seconds)[0]:.1f}")
            print(name, n, cells[-1], flush=True)
        page.append(f"| {name} | {len(trials)} | " + " | ".join(cells) + " |")


def clean(o, page):
    page.append("\n## Planted: error on 20,000 clean questions (seconds)\n")
    names = ["choice", "ste", "soe"] + (PEERS if o.python else [])
    page.append("| objects, dim, answers, wrong | " + " | ".join(n if n in PEERS else f"`{n}`" for n in names) + " |")
    page.append("|---" * (len(names) + 1) + "|")
    for case in [(200, 2, 20000, 0.0), (200, 2, 20000, 0.05), (200, 2, 20000, 0.1), (200, 2, 20000, 0.2), (100, 3, 12000, 0.1), (100, 5, 20000, 0.1), (100, 2, 4000, 0.1)]:
        train, test = planted(*case, seed=1)
        cells = []
        for n in names:
            points, s = theirs(o.python, n, train, case[1]) if n in PEERS else ours(o.binary, n, train, case[1])[:2]
            cells.append(f"{error(points, test):.4f} ({s:.1f})")
            print(case, n, cells[-1], flush=True)
        page.append(f"| {case[0]}, {case[1]}, {case[2]}, {case[3]:.0%} | " + " | ".join(cells) + " |")


def speed(o, page):
    page.append("\n## Speed: 2,000 objects in the plane, 1,000,000 triplets, a twentieth wrong, one thread\n")
    page.append("| what | seconds | error on clean questions |")
    page.append("|---|---|---|")
    train, test = planted(2000, 2, 1000000, 0.05, 1)
    cases = [("`soe`", "soe", ()), ("`choice`, link and precision given", "choice", ("--link", "distance", "--precision", "0")), ("`choice`", "choice", ()), ("`ste`", "ste", ())]
    for what, method, extra in cases:
        points, s, _ = ours(o.binary, method, train, 2, extra)
        page.append(f"| {what} | {s:.1f} | {error(points, test):.4f} |")
        print(page[-1], flush=True)
    if o.python:
        points, s = theirs(o.python, "cblearn SOE", train, 2, 1)
        page.append(f"| cblearn SOE, n_init=1 | {s:.1f} | {error(points, test):.4f} |")
        print(page[-1], flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--binary", default=f"{ROOT}/target/release/nearer")
    p.add_argument("--python")
    p.add_argument("--data")
    p.add_argument("--dim", type=int, default=2)
    p.add_argument("--folds", type=int, default=5, help="so many of the five folds")
    p.add_argument("--seeds", type=int, default=1, help="so many shuffles before the folds are cut")
    p.add_argument("--methods", type=lambda t: t.split(","), help="only these of ours on real sets")
    p.add_argument("--sets", type=lambda t: t.split(","))
    p.add_argument("--only", default="planted,real,speed")
    p.add_argument("--out")
    o = p.parse_args()
    page = [f"# Maps of comparisons, {time.strftime('%Y-%m-%d')}", "", __doc__.split("\n\n")[0]]
    if "planted" in o.only:
        clean(o, page)
    if "real" in o.only and o.data:
        real(o, page)
    if "speed" in o.only:
        speed(o, page)
    text = "\n".join(page) + "\n"
    print(text)
    if o.out:
        with open(o.out, "w") as f:
            f.write(text)


main()
