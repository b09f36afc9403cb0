#!/usr/bin/env python3
"""Manifold methods beside scikit-learn and tapkee: time, memory, and how well a rolled-up sheet is unrolled.

    python3 bench/manifolds.py --python PY [--sizes 1000,5000,10000] [--threads] [--large 100000 [--search exact]] [--binary PATH] [-o FILE]

PY is a Python with numpy and scikit-learn (and tapkee, for landmark-isomap). Every program runs in a fresh process on one thread; CPU
seconds count, since they hang less on what else the machine does: of the whole process for us, reading and writing included,
and of the call for the peers. R2 is the share of the true coordinates (along the roll, across it) that an affine function of the map
explains, by the same numpy code for all. The rolls are those that the peers' figures were asked on (`default_rng(2000 + n)`). What is said of
maps on real data is in `manifolds_data.py`.

--threads runs isomap on two threads. On a shared machine its wall time says nothing, so the CPU time of each thread is read as it goes: the
first thread and the busiest of the others, one after the other, are what it would take with two cores to itself.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import markdown
from cells import ROOT, run

PEER = r'''
import json, resource, sys, time
import numpy as np
kind, x, out = sys.argv[1], np.load(sys.argv[2]), sys.argv[3]
from sklearn.manifold import Isomap, LocallyLinearEmbedding, SpectralEmbedding
def cpu():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return u.ru_utime + u.ru_stime
begin = cpu()
if kind == "isomap": y = Isomap(n_neighbors=10).fit_transform(x)
elif kind == "laplacian-eigenmaps": y = SpectralEmbedding(affinity="nearest_neighbors", n_neighbors=11, random_state=0).fit_transform(x)
elif kind == "landmark-isomap":
    import tapkee
    y = np.asarray(tapkee.embed(np.ascontiguousarray(x.T), method="l-isomap", target_dimension=2, num_neighbors=10, landmark_ratio=float(sys.argv[4]), eigen_method="dense"))
    y = y if len(y) == len(x) else y.T
else: y = LocallyLinearEmbedding(n_neighbors=10, method=kind.split()[1], random_state=0).fit_transform(x)
print(json.dumps({"cpu": cpu() - begin}))
np.save(out, y)
'''

SCORE = r'''
import json, sys
import numpy as np
y, t = np.load(sys.argv[1]), np.load(sys.argv[2])
y, t = y - y.mean(0), t - t.mean(0)
u = np.linalg.svd(y, full_matrices=False)[0]
rest = t - u @ (u.T @ t)
print(json.dumps((1 - (rest**2).sum(0) / (t**2).sum(0)).tolist()))
'''

MAKE = r'''
import sys
import numpy as np
n, wide, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
rng = np.random.default_rng(2000 + n)
t = 1.5 * np.pi * (1 + 2 * rng.random(n)); h = 21 * rng.random(n)
x = np.c_[t * np.cos(t), h, t * np.sin(t)]
if wide > 3:
    x = x @ np.linalg.qr(rng.normal(size=(wide, 3)))[0].T + 0.01 * rng.normal(size=(n, wide))
s = 0.5 * (t * np.sqrt(1 + t * t) + np.arcsinh(t))
np.save(f"{folder}/truth.npy", np.c_[s, h]); np.save(f"{folder}/x.npy", x)
'''

KINDS = {
    "isomap": ["-m", "isomap"],
    "landmark-isomap": ["-m", "landmark-isomap"],
    "lle standard": ["-m", "lle", "--form", "standard"],
    "lle modified": ["-m", "lle", "--form", "modified"],
    "lle hessian": ["-m", "lle", "--form", "hessian"],
    "lle ltsa": ["-m", "lle", "--form", "ltsa"],
    "laplacian-eigenmaps": ["-m", "laplacian-eigenmaps"],
}


def ours(binary, folder, flags, threads=1, limit=1200):
    done = run([binary, "embed", folder / "x.npy", "--kind", "features", "-q", "--json", "--threads", str(threads),
                "-o", folder / "y.npy", *flags], limit=limit)
    if done["code"] != 0:
        raise SystemExit(f"nearer {flags}: {done['err'].strip()[-300:]}")
    return done, json.loads(done["out"])




def by_thread(command):
    """CPU seconds of each thread of a command, the first one first."""
    tick, seen = os.sysconf("SC_CLK_TCK"), {}
    child = subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while child.poll() is None:
        for task in Path(f"/proc/{child.pid}/task").glob("*/stat"):
            try:
                fields = task.read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            seen[task.parent.name] = (int(fields[11]) + int(fields[12])) / tick
        time.sleep(0.02)
    if child.returncode != 0:
        raise SystemExit(f"{command}: exit {child.returncode}")
    return [seen.pop(str(child.pid), 0.0), *sorted(seen.values(), reverse=True)]


def two_threads(binary, folder, n):
    command = [binary, "embed", folder / "x.npy", "--kind", "features", "-q", "-o", folder / "y.npy", *KINDS["isomap"]]
    alone = sum(by_thread([*command, "--threads", "1"]))
    first, *others = by_thread([*command, "--threads", "2"])
    both = first + max(others, default=0.0)
    return (f"isomap of {n} objects, two threads: {first:.1f} CPU s of the first thread, then {', '.join(f'{t:.1f}' for t in others[:2])} of the "
            f"others; {alone:.1f} s on one thread, {alone / both:.2f} times as fast with two cores to itself.")


def growth(rows):
    """How CPU time grows from size to size: the exponent of n."""
    said = []
    for kind in dict.fromkeys(r[0] for r in rows):
        own = [(r[1], float(r[2])) for r in rows if r[0] == kind]
        steps = [f"n^{math.log(b[1] / a[1]) / math.log(b[0] / a[0]):.2f} from {a[0]} to {b[0]}" for a, b in zip(own, own[1:]) if min(a[1], b[1]) >= 0.05]
        if steps:
            said.append(f"{kind} {', '.join(steps)}")
    return "CPU time grows as: " + "; ".join(said) + "." if said else ""


def large(binary, folder, n, py, search):
    """Landmark-isomap of many objects with 50 features: what it was to take, what it took, and the same bits on two threads."""
    assert py(MAKE, n, 50, folder)["code"] == 0
    told = run([binary, "check", folder / "x.npy", "--kind", "features", "--json", "-q"], limit=1800)
    methods = json.loads(told["out"])["methods"] if told["code"] == 0 else []
    announced = next((m["memory"] for m in methods if m["method"] == "landmark-isomap"), None)
    flags = [*KINDS["landmark-isomap"], "--search", search]
    done, report = ours(binary, folder, flags, limit=7200)
    r2 = json.loads(py(SCORE, folder / "y.npy", folder / "truth.npy")["out"])
    one = (folder / "y.npy").read_bytes()
    both, _ = ours(binary, folder, flags, threads=2, limit=7200)
    same = "the same bits" if one == (folder / "y.npy").read_bytes() else "OTHER BITS"
    size = (folder / "x.npy").stat().st_size
    announced = f" (announced: {announced / 1e6:.0f})" if announced and search == "auto" else ""
    recall = report["figures"].get("recall")
    found = report["resolved"].get("search") + (f", {100 * recall:.1f} % of the nearest found" if recall else "")
    return (f"landmark-isomap of {n} objects x 50 features ({size / 1e6:.0f} MB), 100 landmarks, search {search} ({found}): {done['cpu']:.0f} CPU s on one "
            f"thread, {done['peak'] / 1e6:.0f} MB at most{announced}, R2 {' '.join(f'{r:.4f}' for r in r2)}; on two threads {both['cpu']:.0f} CPU s in "
            f"{both['wall']:.0f} s, {both['peak'] / 1e6:.0f} MB, {same}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--sizes", default="1000,5000,10000")
    parser.add_argument("--large", type=int, default=0, help="objects of 50 features for landmark-isomap alone")
    parser.add_argument("--search", default="auto", help="how neighbours are looked for in those: auto, exact, approximate")
    parser.add_argument("--only", default="", help="some methods, as isomap,lle ltsa")
    parser.add_argument("--binary")
    parser.add_argument("--threads", action="store_true", help="isomap on two threads as well")
    parser.add_argument("-o", "--output", type=Path, help="write the page here")
    args = parser.parse_args()
    binary = args.binary or str(ROOT / "target/release/nearer")
    if not args.binary:
        subprocess.run(["cargo", "build", "--release", "-p", "nearer-cli"], cwd=ROOT, check=True)
    kinds = [k for k in args.only.split(",") if k] or list(KINDS)
    rows, extra = [], []
    py = lambda code, *more: run([args.python, "-c", code, *more], limit=1200)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for n in [int(s) for s in args.sizes.split(",") if s]:
            assert py(MAKE, n, 3, folder)["code"] == 0
            for kind in kinds:
                flags = KINDS[kind] + (["--landmarks", str(n // 20)] if kind == "landmark-isomap" else [])
                done, told = ours(binary, folder, flags)
                r2 = json.loads(py(SCORE, folder / "y.npy", folder / "truth.npy")["out"])
                peer = py(PEER, kind, folder / "x.npy", folder / "z.npy", 0.05)
                good = peer["code"] == 0
                theirs = json.loads(peer["out"].strip().splitlines()[-1])["cpu"] if good else float("nan")
                other = json.loads(py(SCORE, folder / "z.npy", folder / "truth.npy")["out"]) if good else []
                who = "tapkee" if kind == "landmark-isomap" else "scikit-learn"
                rows.append([kind, n, f"{done['cpu']:.2f}", f"{done['peak'] / 1e6:.0f}", " ".join(f"{r:.4f}" for r in r2), who,
                             f"{theirs:.2f}", f"{peer['peak'] / 1e6:.0f}", " ".join(f"{r:.4f}" for r in other), f"{theirs / done['cpu']:.2f}"])
                print(rows[-1], file=sys.stderr)
            if args.threads:
                extra.append(two_threads(binary, folder, n))
        if args.large:
            extra.append(large(binary, folder, args.large, py, args.search))
    head = ["method", "n", "CPU s", "MB", "R2", "peer", "CPU s", "MB", "R2", "times as fast"]
    text = "# Manifolds\n\nSwiss roll, 10 neighbours, one thread; `python3 bench/manifolds.py`.\n\n" + markdown.table(head, rows) + "\n\n" + "\n\n".join([*filter(None, [growth(rows)]), *extra]) + "\n"
    print(text)
    if args.output:
        args.output.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
