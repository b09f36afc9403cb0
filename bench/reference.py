"""Reproduces R's figures on real matrices with the command.

    bench/.venv/bin/python bench/reference.py --data DIR [--matrices]

DIR holds reference_mds.csv (R's cmdscale and isoMDS on 37 sets) and the files of the sets. `--matrices` checks only that
the matrices are the ones R had, by numpy, and needs no binary.
"""
import argparse
import csv
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

import markdown
import matrices
import quality
from cells import NEARER, run

SLACK = 0.001          # percentage points of stress-1: the last digit R's figures were noted to


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="the folder of reference_mds.csv")
    parser.add_argument("--matrices", action="store_true", help="check the matrices alone")
    args = parser.parse_args()
    if args.matrices:
        return check_matrices(args.data)
    rows, bad, lower = [], 0, 0
    for r in matrices.reference(args.data):
        row, fails, lows = one(args.data, r)
        rows.append(row)
        bad += fails
        lower += lows
    head = ["set", "n", "GOF, R", "GOF, ours", "negative, R", "ours", "", "2-D stress %, R", "ours", "", "3-D stress %, R",
            "ours", "", "warnings of the 2-D and 3-D map"]
    text = "\n".join([
        "# R's cmdscale and isoMDS on real matrices, and ours", "",
        f"`python3 bench/run.py --only reference --data DIR`, {markdown.today()}", "",
        "Classical: R's two goodness-of-fit figures in 2-D, equal to the printed digits. Non-metric: Kruskal's stress-1 in",
        "per cent, from the coordinates by numpy (it agrees with the reported one to 1e-6); `=` no worse than isoMDS within",
        f"{SLACK} percentage points, `lower` lower by more, `WORSE` otherwise. Zero dissimilarities were replaced as for R.", "",
        markdown.table(head, rows), "", f"{len(rows)} sets, {bad} disagreements, {lower} of {2 * len(rows)} maps lower than isoMDS's."])
    markdown.write(text, f"reference-{markdown.today()}.md")
    return 1 if bad else 0


def check_matrices(data):
    bad = 0
    for r in matrices.reference(data):
        labels, d, zeros = matrices.matrix(data, r["set"])
        w = matrices.eigenvalues(d)
        ours = [f"{g:.4f}" for g in matrices.goodness(d)] + [str(int((w < -1e-9 * w[0]).sum())), str(len(labels))]
        same = ours == [r["cmdscale_GOF1_2d"], r["cmdscale_GOF2_2d"], r["n_negative_eig"], r["n"]]
        bad += not same
        print(f"{'equal' if same else 'DIFFERENT':10}{r['set']:36}{' '.join(ours)}" + f"  ({zeros} zeros)" * bool(zeros))
    return 1 if bad else 0


def one(data, r):
    """A line of the table, how many of its figures disagree, and how many maps are lower than R's."""
    labels, d, _ = matrices.matrix(data, r["set"])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "matrix.csv"
        write_csv(file, labels, d)
        report, _ = embed(file, "classical-mds", 2)
        theirs = [r["cmdscale_GOF1_2d"], r["cmdscale_GOF2_2d"]]
        gof, negative = goodness(report)
        equal = gof == theirs
        row = [r["set"], r["n"], " ".join(theirs), " ".join(gof), r["n_negative_eig"], negative, "=" if equal else "**DIFFERENT**"]
        bad, lower, warnings = int(not equal), 0, []
        for dim in (2, 3):
            report, y = embed(file, "nonmetric-mds", dim)
            stress, r_stress = 100 * quality.kruskal(d, y), float(r[f"isoMDS_stress_pct_{dim}d"])
            told = abs(stress - 100 * report["stress1"]) <= 1e-4
            word = "lower" if stress < r_stress - SLACK else "=" if stress <= r_stress + SLACK else "**WORSE**"
            if not told:
                word += f" **(reported {100 * report['stress1']:.4f})**"
            bad += "**" in word
            lower += word == "lower"
            row += [f"{r_stress:.3f}", f"{stress:.3f}", word]
            warnings += [f"{dim}-D: {w}" for w in report.get("warnings", [])]
    print(f"  {r['set']}", file=sys.stderr)
    return row + ["; ".join(warnings).replace("|", "/")], bad, lower


def embed(file, method, dim):
    """The report and the coordinates."""
    out = file.with_name(f"{method}-{dim}.npy")
    done = run([NEARER, "embed", file, "--method", method, "--dim", dim, "--threads", 1, "--json", "-o", out])
    if done["code"] != 0:
        sys.exit(f"nearer {method} failed: {done['err'].strip()}")
    return json.loads(done["out"]), np.load(out)


def goodness(report):
    """R's two figures to four digits, and the number of negative eigenvalues."""
    spectrum = report["spectrum"]
    w = np.array(spectrum["eigenvalues"])
    two = report.get("goodness") or [w[:2].sum() / abs(w).sum(), w[:2].sum() / w[w > 0].sum()]
    return [f"{g:.4f}" for g in two], spectrum.get("negative", int((w < -1e-9 * w[0]).sum()))


def write_csv(path, labels, d):
    with open(path, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["", *labels])
        out.writerows([label, *map(repr, map(float, row))] for label, row in zip(labels, d))


if __name__ == "__main__":
    sys.exit(main())
