"""Maps of comparisons beside cblearn, on the same folds and the same thread: held-out error on real sets, clean error on planted
ones, and time.

    python3 bench/ordinal.py --python VENV/bin/python [--data DIR] [--only planted,real,speed,growth] [--known FILE] [--out FILE]

VENV has cblearn 0.4; without it only our own lines are made. DIR holds the public sets as they were published (named in each
reader below). Time is CPU seconds on one thread: of our whole command, reading and writing included, and around the call of `fit` there."""
import argparse
import csv
import json
import math
import os
import random
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


# Objects, dimensions, answers, share of wrong ones: 40 answers a coordinate and more, then 10 and 20.
CASES = [(200, 2, 20000, wrong) for wrong in (0.0, 0.05, 0.1, 0.2)] + [(100, 3, 12000, 0.1), (100, 4, 16000, 0.1), (100, 5, 20000, 0.1)]
CASES += [(100, 2, 4000, 0.1), (100, 2, 2000, 0.1), (100, 4, 4000, 0.1)]


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

    return [[r] for r in draw(answers, flips)], draw(20000, 0.0)


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


# Of a process that a small one starts: a large one would hand its own memory down.
WATCHED = """
import json, os, subprocess, sys
_, status, used = os.wait4(subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL).pid, 0)
print(json.dumps([used.ru_utime, used.ru_maxrss / 1024]))
sys.exit(os.waitstatus_to_exitcode(status))
"""


def ours(binary, method, trials, dim, extra=(), threads=1):
    """A map by the command, of whole trials (two rows are an odd-one-out), its CPU seconds and its most memory in MB."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = f"{folder}/answers.csv", f"{folder}/map.csv"
        rows, odd = [t[0] for t in trials], len(trials[0]) == 2
        people = any(r[3] for r in rows)
        with open(path, "w") as f:
            f.write(("other1,other2,odd" if odd else "head,near,far") + (",participant\n" if people else "\n"))
            f.writelines(",".join(r if people else r[:3]) + "\n" for r in rows)
        command = [binary, "embed", path, "--method", method, "--dim", str(dim), "--threads", str(threads), "-o", out, *extra]
        done = subprocess.run([sys.executable, "-c", WATCHED, *command], env=ONE, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        seconds, megabytes = json.loads(done.stdout)
        with open(out) as f:
            points = {r[0]: [float(v) for v in r[1:]] for r in list(csv.reader(f))[1:]}
        return points, seconds, megabytes


THEIRS = """
import json, sys, time
import numpy as np
from cblearn import embedding
made = {"SOE": lambda dim, starts: embedding.SOE(dim, random_state=0, n_init=starts), "t-STE": lambda dim, _: embedding.TSTE(dim, random_state=0),
        "STE": lambda dim, _: embedding.STE(dim, random_state=0), "CKL": lambda dim, _: embedding.CKL(dim, mu=0.05, random_state=0)}
for line in sys.stdin:
    name, dim, starts, rows = json.loads(line)
    labels = sorted({v for r in rows for v in r[:3]}); number = {v: k for k, v in enumerate(labels)}
    t = np.array([[number[v] for v in r[:3]] for r in rows])
    start = time.process_time()
    x = made[name](dim, starts).fit(t, n_objects=len(labels)).embedding_
    print(json.dumps({"seconds": time.process_time() - start, "points": {l: list(map(float, p)) for l, p in zip(labels, x)}}), flush=True)
"""
WORKER = []


def theirs(python, name, trials, dim, starts=10):
    """A map by cblearn, in a process that is started once: importing it takes longer than many a fit."""
    if not WORKER:
        WORKER.append(subprocess.Popen([python, "-c", THEIRS], env=ONE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
    rows = [r[:3] for t in trials for r in t]
    WORKER[0].stdin.write(json.dumps([name.removeprefix("cblearn "), dim, starts, rows]) + "\n")
    WORKER[0].stdin.flush()
    told = WORKER[0].stdout.readline()
    if not told:
        sys.exit("cblearn ended early")
    told = json.loads(told)
    return told["points"], told["seconds"]


def mean(values):
    m = sum(values) / len(values)
    return m, (sum((v - m) ** 2 for v in values) / (len(values) - 1) / len(values)) ** 0.5 if len(values) > 1 else 0.0


class Known:
    """Errors and seconds that are known from an earlier run of the same folds, in a file."""

    def __init__(self, path):
        self.path, self.cells = path, {}
        if path and os.path.exists(path):
            with open(path) as f:
                self.cells = json.load(f)

    def of(self, key, measure):
        if key not in self.cells:
            self.cells[key] = measure()
            if self.path:
                with open(self.path, "w") as f:
                    json.dump(self.cells, f)
        return self.cells[key]


def real(o, dim, page):
    page.append(f"\n## Held out: error in {dim} dimensions, {o.folds} of 5 folds of {o.seeds} shuffles (mean ± standard error; seconds a fit)\n")
    page.append("Behind: our `choice` less the best of theirs, fold by fold (mean ± standard error).\n")
    names = [n for n in ["choice", "soe", "t-ste", "ckl"] if not o.methods or n in o.methods] + (PEERS if o.python else [])
    page.append("| set | answers | " + " | ".join(n if n in PEERS else f"`{n}`" for n in names) + " | behind |")
    page.append("|---" * (len(names) + 3) + "|")
    known = Known(o.known)
    for name, read in SETS.items():
        if o.sets and name not in o.sets:
            continue
        trials = read(o.data)
        splits = []
        for seed in range(o.seeds):
            random.Random(seed).shuffle(trials)
            splits += [(seed, fold, *([t for k, t in enumerate(trials) if (k % 5 == fold) == held] for held in (False, True))) for fold in range(o.folds)]
        cells, errors = [], {}
        for n in names:
            def fold(train, test):
                points, s = theirs(o.python, n, train, dim) if n in PEERS else ours(o.binary, n, train, dim)[:2]
                return error(points, [r for t in test for r in t]), s

            measure = lambda seed, k, train, test: known.of(f"{name}, {dim}, {seed}, {k}, {n}", lambda: fold(train, test)) if n in PEERS else fold(train, test)
            found, seconds = zip(*(measure(*split) for split in splits))
            errors[n] = found
            m, se = mean(found)
            cells.append(f"{m:.4f} ± {se:.4f}; {mean(seconds)[0]:.1f}")
            print(name, dim, n, cells[-1], flush=True)
        cells.append(behind(errors))
        page.append(f"| {name} | {len(trials)} | " + " | ".join(cells) + " |")


def behind(errors):
    """The difference to the peer that is best in the mean."""
    peers = [n for n in errors if n in PEERS]
    if not peers or "choice" not in errors:
        return ""
    best = min(peers, key=lambda n: mean(errors[n])[0])
    m, se = mean([a - b for a, b in zip(errors["choice"], errors[best])])
    return f"{m:+.4f} ± {se:.4f} ({best.removeprefix('cblearn ')})"


def clean(o, page):
    page.append("\n## Planted: error on 20,000 clean questions (seconds)\n")
    names = ["choice", "ste", "soe"] + (PEERS if o.python else [])
    page.append("| objects, dim, answers, wrong | " + " | ".join(n if n in PEERS else f"`{n}`" for n in names) + " |")
    page.append("|---" * (len(names) + 1) + "|")
    for case in CASES:
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


def growth(o, page):
    """Time and memory where objects and answers double together, 250 answers a coordinate."""
    page.append("\n## Growth: 250 answers a coordinate in the plane, a twentieth wrong, one thread\n")
    page.append("| objects, answers | " + " | ".join(f"{what}: CPU s, MB" for what, _, _ in GROWN) + " |")
    page.append("|---" * (len(GROWN) + 1) + "|")
    seen = []
    for objects in (250, 500, 1000, 2000):
        train, _ = planted(objects, 2, 500 * objects, 0.05, 1)
        seen.append([ours(o.binary, method, train, 2, extra)[1:] for _, method, extra in GROWN])
        page.append(f"| {objects}, {500 * objects} | " + " | ".join(f"{s:.2f}, {mb:.0f}" for s, mb in seen[-1]) + " |")
        print(page[-1], flush=True)
    rise = [[math.log(b[k] / a[k]) / math.log(8) for k in (0, 1)] for a, b in zip(seen[0], seen[-1])]
    page.append("| grows as answers to the power | " + " | ".join(f"{s:.2f}, {mb:.2f}" for s, mb in rise) + " |")
    print(page[-1], flush=True)


GROWN = [("`soe`", "soe", ()), ("`choice`, link and precision given", "choice", ("--link", "distance", "--precision", "0"))]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--binary", default=f"{ROOT}/target/release/nearer")
    p.add_argument("--python")
    p.add_argument("--data")
    p.add_argument("--dims", type=lambda t: [int(d) for d in t.split(",")], default=[2, 4], help="of the maps of real sets")
    p.add_argument("--folds", type=int, default=5, help="so many of the five folds")
    p.add_argument("--seeds", type=int, default=1, help="so many shuffles before the folds are cut")
    p.add_argument("--methods", type=lambda t: t.split(","), help="only these of ours on real sets")
    p.add_argument("--known", help="a file that keeps what was measured of cblearn, for the next run of the same folds")
    p.add_argument("--sets", type=lambda t: t.split(","))
    p.add_argument("--only", default="planted,real,speed,growth")
    p.add_argument("--out")
    o = p.parse_args()
    page = [f"# Maps of comparisons, {time.strftime('%Y-%m-%d')}", "", __doc__.split("\n\n")[0]]
    if "planted" in o.only:
        clean(o, page)
    if "real" in o.only and o.data:
        for dim in o.dims:
            real(o, dim, page)
    if "speed" in o.only:
        speed(o, page)
    if "growth" in o.only:
        growth(o, page)
    text = "\n".join(page) + "\n"
    print(text)
    if o.out:
        with open(o.out, "w") as f:
            f.write(text)


main()
