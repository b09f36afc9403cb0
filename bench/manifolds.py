#!/usr/bin/env python3
"""Manifold methods beside scikit-learn and tapkee: time, memory, and how well a rolled-up sheet is unrolled.

    python3 bench/manifolds.py --python PY [--sizes 1000,5000,10000] [--large 100000] [--data DIR] [--binary PATH]

PY is a Python with numpy and scikit-learn (and tapkee, for landmark-isomap). Every program runs alone in a fresh process on one thread; CPU
seconds count, since they do not hang on what else the machine does: of the whole process for us, reading and writing included,
and of the call for the peers. R2 is the share of the true coordinates (along the roll, across it) that an affine function of the map
explains, by the same numpy code for all. --data DIR adds the faces of Tenenbaum et al. (`isomap_faces`).
"""
import argparse
import json
import subprocess
import sys
import tempfile
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
rng = np.random.default_rng(0)
t = 1.5 * np.pi * (1 + 2 * rng.random(n)); h = 21 * rng.random(n)
x = np.c_[t * np.cos(t), h, t * np.sin(t)]
if wide > 3:
    x = x @ np.linalg.qr(rng.normal(size=(wide, 3)))[0].T + 0.01 * rng.normal(size=(n, wide))
s = 0.5 * (t * np.sqrt(1 + t * t) + np.arcsinh(t))
np.save(f"{folder}/truth.npy", np.c_[s, h]); np.save(f"{folder}/x.npy", x)
'''

FACES = r'''
import csv, gzip, json, sys
import numpy as np
what, folder, place = sys.argv[1:4]
if what == "make":
    x = np.loadtxt(gzip.open(f"{folder}/faces_698x1024.csv.gz", "rt"), delimiter=",", skiprows=0)
    np.save(f"{place}/x.npy", x)
else:
    y, t = np.load(f"{place}/y.npy"), np.loadtxt(f"{folder}/dataT_698x3.csv", delimiter=",")
    y, t = y - y.mean(0), t - t.mean(0)
    u = np.linalg.svd(y, full_matrices=False)[0]
    print(json.dumps(np.sqrt(1 - ((t - u @ (u.T @ t))**2).sum(0) / (t**2).sum(0)).tolist()))
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


def ours(binary, folder, flags, threads=1):
    done = run([binary, "embed", folder / "x.npy", "--kind", "features", "-q", "--json", "--threads", str(threads),
                "-o", folder / "y.npy", *flags], limit=1200)
    if done["code"] != 0:
        raise SystemExit(f"nearer {flags}: {done['err'].strip()[-300:]}")
    return done, json.loads(done["out"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--sizes", default="1000,5000,10000")
    parser.add_argument("--large", type=int, default=0, help="objects of 50 features for landmark-isomap alone")
    parser.add_argument("--only", default="", help="some methods, as isomap,lle ltsa")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--binary")
    parser.add_argument("--threads", action="store_true", help="isomap on two threads as well, by wall time")
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
            if args.threads and "isomap" in kinds:
                one, two = (ours(binary, folder, KINDS["isomap"], t)[0]["wall"] for t in (1, 2))
                extra.append(f"isomap of {n} objects: {one:.2f} s on one thread, {two:.2f} s on two, {one / two:.2f} times as fast.")
        if args.large:
            assert py(MAKE, args.large, 50, folder)["code"] == 0
            done, told = ours(binary, folder, KINDS["landmark-isomap"])
            r2 = json.loads(py(SCORE, folder / "y.npy", folder / "truth.npy")["out"])
            extra.append(f"landmark-isomap of {args.large} objects x 50 features, 100 landmarks: {done['cpu']:.0f} CPU s, "
                         f"{done['peak'] / 1e6:.0f} MB, R2 {' '.join(f'{r:.4f}' for r in r2)}.")
        if args.data:
            at = args.data / "isomap_faces"
            assert py(FACES, "make", at, folder)["code"] == 0
            ours(binary, folder, ["-m", "isomap", "--dim", "3", "--neighbours", "6"])
            pose = json.loads(py(FACES, "score", at, folder)["out"])
            extra.append(f"faces, isomap in 3 dimensions, 6 neighbours: multiple correlations with the three poses {' '.join(f'{r:.3f}' for r in pose)}.")
    head = ["method", "n", "CPU s", "MB", "R2", "peer", "CPU s", "MB", "R2", "times as fast"]
    text = "# Manifolds\n\nSwiss roll, 10 neighbours, one thread; `python3 bench/manifolds.py`.\n\n" + markdown.table(head, rows) + "\n\n" + "\n\n".join(extra) + "\n"
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
