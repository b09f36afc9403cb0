"""Ellipses of free sorts beside a script that draws the assessors itself.

    python3 bench/sorts_bootstrap.py --nearer target/release/nearer SORTS.csv

The script draws the columns of the table anew, has a map made of each draw, lays it over the map of all by Procrustes (numpy) and takes the area of the 95 % ellipse of
each object; beside it stand the areas of `--ellipses bootstrap`.
"""

import argparse
import csv
import json
import pathlib
import random
import statistics
import subprocess
import tempfile

import numpy


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sorts")
    parser.add_argument("--nearer", default="target/release/nearer")
    parser.add_argument("--method", default="nmds")
    parser.add_argument("--replicates", type=int, default=100)
    asked = parser.parse_args()
    head, *rows = list(csv.reader(open(asked.sorts)))
    folder = pathlib.Path(tempfile.mkdtemp())

    def embed(columns, *more):
        with (folder / "s.csv").open("w") as out:
            csv.writer(out).writerows([["object", *(f"J{k}" for k in range(len(columns)))],
                                       *([r[0], *(r[c] for c in columns)] for r in rows)])
        command = [str(pathlib.Path(asked.nearer).resolve()), "embed", "s.csv", "--kind", "sorts", "-m", asked.method, "-o", "m.csv", *more]
        told = subprocess.run([*command, "--json", "-q"], cwd=folder, check=True, capture_output=True, text=True)
        table = list(csv.reader((folder / "m.csv").open()))[1:]
        order = {label: k for k, (label, *_) in enumerate(table)}
        return numpy.array([[float(v) for v in table[order[r[0]]][1:3]] for r in rows]), json.loads(told.stdout)

    everybody = list(range(1, len(head)))
    base, told = embed(everybody, "--ellipses", "bootstrap", "--replicates", str(asked.replicates))
    own = [numpy.pi * numpy.prod(o["ellipse"]["half_axes"]) for o in told["stability"]["per_object"]]
    rng = random.Random(1)
    laid = []
    for _ in range(asked.replicates):
        points, _ = embed([rng.choice(everybody) for _ in everybody])
        a, b = points - points.mean(0), base - base.mean(0)
        u, s, vt = numpy.linalg.svd(a.T @ b)
        laid.append(a @ u @ vt * s.sum() / (a ** 2).sum() + base.mean(0))
    laid = numpy.array(laid)
    outside = [numpy.pi * 5.991 * numpy.sqrt(numpy.linalg.det(numpy.cov(laid[:, i].T))) for i in range(len(rows))]
    print(f"median area: nearer {statistics.median(own):.4f}, assessors drawn by the script {statistics.median(outside):.4f}")


if __name__ == "__main__":
    main()
