#!/usr/bin/env python3
"""The same bits on 1, 2 and 4 threads: every method of `nearer methods --json` on an instance of 600 objects or more.

    python3 bench/threads.py [--objects 600] [--only gnmds,mvu] [--limit 300] [--binary PATH]

Needs nothing but python3 and cargo. The maps and the model files of the runs are compared byte for byte. No run is ended by a
clock, for that would make the result depend on the machine: long ones are ended by a number of steps or a wide gap. The exit code is
1 where bytes differ, where a run ends by the clock, or where a method has no instance.
"""
import argparse
import hashlib
import json
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import markdown

ROOT = Path(__file__).resolve().parent.parent
THREADS = (1, 2, 4)

# What each method is run on, and what keeps it short without a clock.
RUNS = {
    "metric-mds": ["distances.csv", "--starts", "3"],
    "nonmetric-mds": ["distances.csv", "--starts", "2", "--max-iter", "60"],
    "classical-mds": ["distances.csv"],
    "constant-shift": ["noisy.csv"],
    "nearest-edm": ["noisy.csv", "--max-iter", "4"],
    "sstress": ["distances.csv", "--starts", "2", "--max-iter", "60"],
    "robust-mds": ["noisy.csv", "--gap", "0.05"],
    "landmark-mds": ["distances.csv", "--landmarks", "60"],
    "metricmap": ["distances.csv", "--landmarks", "60"],
    "fastmap": ["distances.csv"],
    "indscal": ["ann.csv", "bob.csv", "eva.csv", "--starts", "2", "--max-iter", "60"],
    "unfolding": ["rated.csv", "--kind", "rows", "--starts", "2", "--max-iter", "60"],
    "asymmetric-mds": ["sided.csv", "--kind", "rows", "--starts", "2", "--max-iter", "60"],
    "pca": ["features.csv"],
    "kernel-pca": ["features.csv"],
    "lda": ["classed.csv", "--classes", "class"],
    "isomap": ["distances.csv"],
    "landmark-isomap": ["features.csv", "--landmarks", "60"],
    "lle": ["features.csv"],
    "laplacian-eigenmaps": ["distances.csv", "--weights", "heat"],
    "mvu": ["distances.csv", "--neighbours", "6"],
    "lore": ["comparisons.csv", "--max-iter", "60"],
    "naive-order": ["comparisons.csv"],
    "line": ["line.csv", "--dim", "1"],
    "psde": ["pairs.csv", "--slack", "1", "--gap", "0.05"],
    "multiple-maps": ["pairs.csv", "--starts", "2", "--max-iter", "60"],
    "choice": ["comparisons.csv", "--max-iter", "60"],
    "ste": ["comparisons.csv", "--starts", "2", "--max-iter", "60"],
    "t-ste": ["comparisons.csv", "--starts", "2", "--max-iter", "60"],
    "ckl": ["comparisons.csv", "--starts", "2", "--max-iter", "60"],
    "soe": ["comparisons.csv", "--starts", "2", "--max-iter", "60"],
    "gnmds": ["comparisons.csv", "--gap", "0.05"],
    "convex-ste": ["comparisons.csv", "--gap", "0.05"],
    "partial-order": ["comparisons.csv", "--gap", "0.05"],
    "kpsde": ["pairs.csv", "--kernel", "rbf:features.csv", "--basis", "60", "--gap", "0.05"],
    "kernel-gnmds": ["comparisons.csv", "--kernel", "rbf:features.csv", "--basis", "60", "--gap", "0.05"],
    "kernel-partial-order": ["comparisons.csv", "--kernel", "linear:features.csv", "--slack", "1", "--weights", "diagonal", "--basis", "60"],
    "svm-metric": ["comparisons.csv", "--kernel", "linear:features.csv", "--over", "features"],
    "rca": ["classed.csv", "--classes", "class"],
    "nca": ["classed.csv", "--classes", "class", "--max-iter", "60"],
    "lmnn": ["classed.csv", "--classes", "class", "--gap", "0.05"],
    "mmc": ["features.csv", "pairs.csv", "--gap", "0.05"],
    "mcml": ["classed.csv", "--classes", "class", "--gap", "0.05"],
    "itml": ["features.csv", "pairs.csv", "--max-iter", "60"],
    "local-metric": ["classed.csv", "--classes", "class", "--max-iter", "60"],
    "pola": ["features.csv", "pairs.csv"],
}


def parted(words):
    """The files of a run, and its flags."""
    files = next((k for k, w in enumerate(words) if w.startswith("--")), len(words))
    return words[:files], words[files:]


def instances(folder, n):
    """Files about n points: two and a half dimensions, so that no map is exact, and answers that agree with them."""
    rng = random.Random(1)
    points = [(rng.gauss(0, 1), rng.gauss(0, 1), rng.gauss(0, 0.5)) for _ in range(n)]
    names = [f"p{k}" for k in range(n)]
    far = lambda a, b: math.dist(points[a], points[b])

    def square(name, value):
        rows = [",".join(["label", *names])]
        cells = [[0.0] * n for _ in range(n)]
        for a in range(n):
            for b in range(a):
                cells[a][b] = cells[b][a] = value(a, b)
        rows += [",".join([names[a], *map(repr, cells[a])]) for a in range(n)]
        (folder / name).write_text("\n".join(rows) + "\n")

    square("distances.csv", far)
    square("noisy.csv", lambda a, b: far(a, b) * math.exp(0.1 * rng.gauss(0, 1)))
    others = random.Random(2)
    # People who heed the axes differently, sides that differ by a flow along the first one, and some columns of distances.
    for person, heed in (("ann", (1, 1, 1)), ("bob", (1.6, 0.6, 1)), ("eva", (0.5, 1.5, 0.8))):
        seen = [tuple(w * x for w, x in zip(heed, point)) for point in points]
        square(f"{person}.csv", lambda a, b: math.dist(seen[a], seen[b]) * math.exp(0.05 * others.gauss(0, 1)))
    rows = [",".join(["label", *names])]
    rows += [",".join([names[a], *(repr(far(a, b) * math.exp(0.2 * math.tanh(points[b][0] - points[a][0]))) for b in range(n))])
             for a in range(n)]
    (folder / "sided.csv").write_text("\n".join(rows) + "\n")
    rows = [",".join(["label", *(f"to{b}" for b in range(20))])]
    rows += [",".join([names[a], *(repr(far(a, b) * math.exp(0.1 * others.gauss(0, 1))) for b in range(20))]) for a in range(20, n)]
    (folder / "rated.csv").write_text("\n".join(rows) + "\n")
    rows = ["head,near,far"]
    # Every object is the head of some, so that nothing falls apart.
    for k in range(8 * n):
        head, one, two = k % n, *rng.sample(range(n), 2)
        if head not in (one, two):
            near, other = sorted((one, two), key=lambda b: far(head, b))
            rows.append(f"{names[head]},{names[near]},{names[other]}")
    (folder / "comparisons.csv").write_text("\n".join(rows) + "\n")
    rows = ["head,near,far"]
    # Whether a dozen objects fit on a line is searched for; many dozens that know nothing of each other are searched at once.
    for first in range(0, n - 11, 12):
        group = sorted(names[first:first + 12], key=lambda name: points[int(name[1:])][0])
        for triple in zip(group, group[1:], group[2:]):
            rows += [",".join(triple), ",".join(reversed(triple))]
    (folder / "line.csv").write_text("\n".join(rows) + "\n")
    rows = ["from,to,label"]
    for k in range(6 * n):
        a, b = k % n, rng.randrange(n)
        if a != b:
            rows.append(f"{names[a]},{names[b]},{int(far(a, b) < 1.2)}")
    (folder / "pairs.csv").write_text("\n".join(rows) + "\n")
    rows = ["label,u,v,w,noise"]
    rows += [",".join([names[k], *map(repr, points[k]), repr(rng.gauss(0, 1))]) for k in range(n)]
    (folder / "features.csv").write_text("\n".join(rows) + "\n")
    classes = [int(p[0] > 0) + 2 * int(p[1] > 0) for p in points]
    rows = [f"{rows[0]},class"] + [f"{row},c{c}" for row, c in zip(rows[1:], classes)]
    (folder / "classed.csv").write_text("\n".join(rows) + "\n")


def once(binary, folder, method, threads, limit):
    """One run: what it told, and the hash of the map and the model."""
    files, flags = parted(RUNS[method])
    outputs = [folder / "map.csv", folder / "map.nearer"]
    for o in outputs:
        o.unlink(missing_ok=True)
    command = [binary, "embed", *files, "-m", method, *flags, "--seed", "3", "--threads", str(threads), "--json"]
    command += [w for o in outputs for w in ("-o", o.name)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=limit)
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip().splitlines() or ["no word"])[-1])
    told = json.loads(done.stdout)
    digest = hashlib.sha256(b"".join(o.read_bytes() for o in outputs)).hexdigest()
    return told, digest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=int, default=600)
    parser.add_argument("--only", default="", help="some methods")
    parser.add_argument("--limit", type=float, default=300, help="seconds after which a run is given up")
    parser.add_argument("--binary", help="the command, if it is not to be built")
    args = parser.parse_args()
    binary = args.binary or str(ROOT / "target/release/nearer")
    if not args.binary:
        subprocess.run(["cargo", "build", "--release", "-p", "nearer-cli"], cwd=ROOT, check=True)
    methods = [m["name"] for m in json.loads(subprocess.run([binary, "methods", "--json"], capture_output=True, check=True).stdout)]
    only = [m for m in args.only.split(",") if m] or methods
    lines, failed = [], [m for m in only if m not in RUNS]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        instances(folder, args.objects)
        for method in [m for m in only if m in RUNS]:
            print(f"bench: {method}", file=sys.stderr)
            words = " ".join(f"`{w}`" if w.startswith("--") else w for w in RUNS[method])
            try:
                runs = [once(binary, folder, method, t, args.limit) for t in THREADS]
                same = len({digest for _, digest in runs}) == 1
                told = runs[0][0]
                clock = told.get("stop") == "time-limit"
                seconds = " / ".join(f"{t['seconds']['fit']:.2f}" for t, _ in runs)
                verdict = "**no**" if not same else "ended by the clock" if clock else "yes"
                lines.append(f"| {method} | {words} | {told['objects']} | {told.get('stop')} | {seconds} | {verdict} |")
                failed += [method] * (not same or clock)
            except (RuntimeError, subprocess.TimeoutExpired) as why:
                lines.append(f"| {method} | {words} | | | | failed: {str(why)[:120]} |")
                failed.append(method)
    text = "\n".join([
        "# The same bits on any number of threads",
        "",
        f"`python3 bench/threads.py --objects {args.objects}`, {markdown.today()}. Maps and model files of 1, 2 and 4 threads, byte for byte.",
        "",
        "| method | run | objects | stop | seconds on 1 / 2 / 4 threads | same bytes |",
        "|---|---|---|---|---|---|",
        *lines,
        "",
        f"{len(only) - len(failed)} of {len(only)} methods give the same bytes." + (f" Not: {', '.join(failed)}." if failed else ""),
        "",
    ])
    print(text)
    if not args.only:
        markdown.write(text, f"{markdown.today()}-threads.md")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
