#!/usr/bin/env python3
"""Maps of manifolds on the same graph as scikit-learn's, on real data, of objects held out, and the dimension of the data.

    python3 bench/manifolds_data.py --python PY [--data DIR] [--binary PATH] [-o FILE]

PY is a Python with numpy, scikit-learn and scikit-dimension. Everything goes through the command. The first table holds our maps against
scikit-learn's column by column: the largest difference, up to sign and, where a method leaves it free, scale, as a share of the largest
coordinate. --data DIR adds the faces of Tenenbaum et al. (`isomap_faces`), COIL-20 and the digits (`coil20`, `sklearn_small`).
"""
import argparse
import json
import sys
import tempfile
from pathlib import Path

import markdown
from cells import ROOT, run

AGREE = r'''
import sys
import numpy as np
from sklearn.datasets import make_swiss_roll
from sklearn.decomposition import PCA, KernelPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.manifold import Isomap, LocallyLinearEmbedding, SpectralEmbedding
from sklearn.neighbors import kneighbors_graph
folder, n = sys.argv[1], int(sys.argv[2])
x, t = make_swiss_roll(n, random_state=0)
kind = np.digitize(t, np.quantile(t, [0.25, 0.5, 0.75]))
save = lambda name, y: np.save(f"{folder}/{name}.npy", y)
np.save(f"{folder}/x.npy", x)
with open(f"{folder}/x.csv", "w") as out:
    out.write("object,f0,f1,f2,kind\n")
    out.writelines(f"o{i:05},{a!r},{b!r},{c!r},k{k}\n" for i, ((a, b, c), k) in enumerate(zip(x.tolist(), kind)))
save("isomap", Isomap(n_neighbors=10).fit_transform(x))
for form, k in [("standard", 10), ("modified", 10), ("hessian", 6), ("ltsa", 10)]:
    save(f"lle {form}", LocallyLinearEmbedding(n_neighbors=k, method=form, eigen_solver="dense").fit_transform(x))
near = kneighbors_graph(x, 10)
save("laplacian-eigenmaps", SpectralEmbedding(affinity="precomputed", eigen_solver="arpack", eigen_tol=1e-13, random_state=0).fit_transform(near.maximum(near.T).toarray()))
save("pca", PCA(2, svd_solver="full").fit_transform(x))
save("kernel-pca", KernelPCA(2, kernel="rbf", gamma=1 / (2 * 5.0**2), eigen_solver="dense").fit_transform(x))
save("lda", LinearDiscriminantAnalysis(n_components=2).fit(x, kind).transform(x))
'''

OURS = {
    "isomap": (["x.npy", "--kind", "features", "-m", "isomap"], False),
    "lle standard": (["x.npy", "--kind", "features", "-m", "lle", "--form", "standard"], True),
    "lle modified": (["x.npy", "--kind", "features", "-m", "lle", "--form", "modified"], True),
    "lle hessian": (["x.npy", "--kind", "features", "-m", "lle", "--form", "hessian", "--neighbours", "6"], True),
    "lle ltsa": (["x.npy", "--kind", "features", "-m", "lle", "--form", "ltsa"], True),
    "laplacian-eigenmaps": (["x.npy", "--kind", "features", "-m", "laplacian-eigenmaps"], True),
    "pca": (["x.npy", "--kind", "features", "-m", "pca"], False),
    "kernel-pca": (["x.csv", "--classes", "kind", "-m", "kernel-pca", "--kernel", "rbf,width=5:x.csv#f*"], True),
    "lda": (["x.csv", "--classes", "kind", "-m", "lda"], False),
}

APART = r'''
import json, sys
import numpy as np
ours, theirs, scaled = np.load(sys.argv[1]), np.load(sys.argv[2]), sys.argv[3] == "True"
worst = 0.0
for a, b in zip(ours.T, theirs.T):
    f = (a @ b) / (a @ a)
    worst = max(worst, np.abs(b - a * (f if scaled else np.sign(f))).max() / np.abs(b).max())
print(json.dumps(worst))
'''

HELD = r'''
import json, sys
import numpy as np
from sklearn.manifold import trustworthiness
what, folder = sys.argv[1:3]
if what == "make":
    rng = np.random.default_rng(1)
    t = 1.5 * np.pi * (1 + 2 * rng.random(2000)); h = 21 * rng.random(2000)
    x = np.c_[t * np.cos(t), h, t * np.sin(t)]
    s = 0.5 * (t * np.sqrt(1 + t * t) + np.arcsinh(t))
    new = np.arange(2000) % 5 == 0
    np.save(f"{folder}/truth.npy", np.r_[np.c_[s, h][~new], np.c_[s, h][new]])
    for name, rows in [("old", ~new), ("new", new)]:
        with open(f"{folder}/{name}.csv", "w") as out:
            out.write("object,f0,f1,f2\n")
            out.writelines(f"o{i:05},{a!r},{b!r},{c!r}\n" for i, (a, b, c) in zip(np.flatnonzero(rows), x[rows].tolist()))
else:
    truth = np.load(f"{folder}/truth.npy")
    old, new = np.load(f"{folder}/y.npy"), np.load(f"{folder}/z.npy")
    fit, all = trustworthiness(truth[:len(old)], old, n_neighbors=10), trustworthiness(truth, np.r_[old, new], n_neighbors=10)
    print(json.dumps([fit, all]))
'''

POSES = r'''
import json, sys
import numpy as np
y, t = np.load(sys.argv[1]), np.loadtxt(sys.argv[2], delimiter=",")
y, t = y - y.mean(0), t - t.mean(0)
u = np.linalg.svd(y, full_matrices=False)[0]
print(json.dumps(np.sqrt(1 - ((t - u @ (u.T @ t))**2).sum(0) / (t**2).sum(0)).tolist()))
'''

DIMENSIONS = r'''
import gzip, json, sys, warnings
import numpy as np
warnings.simplefilter("ignore")
import skdim
name, data, out = sys.argv[1:4]
load = lambda path: np.loadtxt(gzip.open(f"{data}/{path}", "rt"), delimiter=",")
if name == "faces": x = load("isomap_faces/faces_698x1024.csv.gz")
elif name == "COIL-20": x = load("coil20/COIL20_uint8.csv.gz")[:, 1:]
elif name == "digits": x = load("sklearn_small/digits.csv.gz")[:, :64]
else:
    dim = int(name.split()[1])
    rng = np.random.default_rng(dim)
    x = rng.normal(size=(2000, dim)) @ np.linalg.qr(rng.normal(size=(12, dim)))[0].T
np.save(out, x)
x = np.unique(x, axis=0)
found = [skdim.id.TwoNN(discard_fraction=0.1).fit(x).dimension_, skdim.id.MLE(K=10).fit(x, n_neighbors=10).dimension_, skdim.id.CorrInt(k1=10, k2=20).fit(x).dimension_]
print(json.dumps([float(v) for v in found]))
'''

ESTIMATORS = ["two_nn", "likelihood", "correlation"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--binary", default=str(ROOT / "target/release/nearer"))
    parser.add_argument("--objects", type=int, default=1000)
    parser.add_argument("-o", "--output", type=Path, help="write the page here")
    args = parser.parse_args()

    def py(code, *more):
        done = run([args.python, "-c", code, *more], limit=1200)
        if done["code"] != 0:
            raise SystemExit(done["err"][-800:])
        return json.loads(done["out"].strip().splitlines()[-1]) if done["out"].strip() else None

    def nearer(*more):
        done = run([args.binary, *more, "-q", "--json"], limit=1200)
        if done["code"] != 0:
            raise SystemExit(f"nearer {' '.join(map(str, more))}: {done['err'].strip()[-400:]}")
        return json.loads(done["out"])

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        at = lambda flags: [f.replace("x.npy", str(folder / "x.npy")).replace("x.csv", str(folder / "x.csv")) for f in flags]
        py(AGREE, folder, args.objects)
        agree = []
        for method, (flags, scaled) in OURS.items():
            nearer("embed", *at(flags), "-o", folder / "y.npy")
            agree.append([method, "sign and scale" if scaled else "sign", f"{py(APART, folder / 'y.npy', folder / f'{method}.npy', scaled):.1e}"])
        held = []
        py(HELD, "make", folder)
        for method in ["isomap", "landmark-isomap", "lle", "laplacian-eigenmaps"]:
            nearer("embed", folder / "old.csv", "-m", method, "-o", folder / "m.nearer", "-o", folder / "y.npy")
            nearer("place", folder / "m.nearer", folder / "new.csv", "-o", folder / "z.npy")
            fit, both = py(HELD, "score", folder)
            held.append([method, f"{fit:.4f}", f"{both:.4f}", f"{fit - both:.4f}"])
        said, planted = "", [f"Gaussian {d} of 12" for d in range(1, 7)]
        if args.data:
            planted += ["faces", "COIL-20", "digits"]
            py(DIMENSIONS, "faces", args.data, folder / "d.npy")
            nearer("embed", folder / "d.npy", "--kind", "features", "-m", "isomap", "--dim", "3", "--neighbours", "6", "-o", folder / "y.npy")
            poses = py(POSES, folder / "y.npy", args.data / "isomap_faces/dataT_698x3.csv")
            said = f"\n\nFaces (698 of 1024 pixels), isomap in 3 dimensions, 6 neighbours: multiple correlations with the poses {' '.join(f'{r:.3f}' for r in poses)}."
        dims = []
        for which in planted:
            theirs = py(DIMENSIONS, which, args.data or ".", folder / "d.npy")
            ours = nearer("check", folder / "d.npy", "--kind", "features")["dimension"]
            one = lambda e: f"{ours[e]['value']:.3f} ({ours[e]['low']:.2f} to {ours[e]['high']:.2f})"
            dims.append([which, *(cell for e, t in zip(ESTIMATORS, theirs) for cell in (one(e), f"{t:.3f}"))])
    text = "\n\n".join([
        "# Manifolds: agreement, placing, dimension\n\n`python3 bench/manifolds_data.py`.",
        f"Swiss roll of {args.objects} objects, the same graph as scikit-learn's; difference as a share of the largest coordinate.",
        markdown.table(["method", "up to", "difference"], agree),
        "Swiss roll of 2000, a fifth held out and placed; trustworthiness at 10 neighbours against the true sheet.",
        markdown.table(["method", "fitted", "with those placed", "lost"], held),
        "Intrinsic dimension, ours with 95 % intervals beside scikit-dimension's, 10 neighbours (10 and 20 for the correlation).",
        markdown.table(["data", "two nearest", "theirs", "likelihood", "theirs", "correlation", "theirs"], dims)]) + said + "\n"
    print(text)
    if args.output:
        args.output.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
