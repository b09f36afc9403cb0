"""The dissimilarity matrices of the reference table, each built from its own file the way its name says.

`SETS` maps the name in `reference_mds.csv` to a file and a rule. R's `as.dist` reads the lower triangle of a square
matrix, so the lower triangle counts here too, except where a file fills only the upper one.
"""
import csv
from pathlib import Path

import numpy as np

PLAIN = lambda s: s  # noqa: E731  (the file holds dissimilarities)


def minus(c):
    return lambda s: c - s


SETS = {
    "eurodist": ("r_base_distances/eurodist.csv", "lower", PLAIN),
    "UScitiesD": ("r_base_distances/UScitiesD.csv", "lower", PLAIN),
    "ekman (1-sim)": ("smacof/ekman.csv", "lower", minus(1)),
    "morse": ("smacof/morse.csv", "lower", PLAIN),
    "wish (7-sim)": ("smacof/wish.csv", "lower", minus(7)),
    "kinshipdelta": ("smacof/kinshipdelta.csv", "lower", PLAIN),
    "rectangles": ("smacof/rectangles.csv", "lower", PLAIN),
    "Guttman1965 (1-r, lower triangle)": ("smacof/Guttman1965_1.csv", "lower", minus(1)),
    "crimes (1-r)": ("smacof/crimes.csv", "lower", minus(1)),
    "helm N1": ("smacof/helm_N1.csv", "lower", PLAIN),
    "helm CD1": ("smacof/helm_CD1.csv", "lower", PLAIN),
    "watervoles": ("r_dissimilarities/watervoles.csv", "lower", PLAIN),
    "yanomama_geo": ("r_dissimilarities/yanomama_geo.csv", "lower", PLAIN),
    "yanomama_gen": ("r_dissimilarities/yanomama_gen.csv", "lower", PLAIN),
    "yanomama_ant": ("r_dissimilarities/yanomama_ant.csv", "lower", PLAIN),
    "Phonemes (1-p)": ("r_dissimilarities/Phonemes.csv", "lower", minus(1)),
    "animals_peterson (10-sim)": ("animals_peterson/simMatrix.csv", "lower", minus(10)),
    "things48": ("things48/RDM48_triplet.csv", "lower", PLAIN),
    "images92 mean": ("images92_arrangement/rdm_mean.csv", "lower", PLAIN),
}
for study in ("Barthet2010 Grey1977 Grey1978 Iverson1993_Onset Iverson1993_Remainder Iverson1993_Whole Lakatos2000_Comb "
              "McAdams1995 Patil2012_A3 Patil2012_DX4 Siedenburg2016_e2set1 Siedenburg2016_e2set2 Vahidi2020 "
              "Zacharakis2014_english").split():
    SETS[f"timbre {study}"] = (f"timbre/{study}_dissimilarity_matrix.txt", "upper", PLAIN)
for palette in ("color", "shape", "shapecolor", "sizecolor"):
    SETS[f"perceptual_kernels {palette}-tm"] = (f"perceptual_kernels/kernels/{palette}-tm.txt", "lower", PLAIN)


def table(path):
    """Labels and numbers of a square file: with a header and a first column of labels, or bare numbers."""
    text = Path(path).read_text(encoding="utf-8-sig")
    if '"' in text or "," in text:
        rows = [r for r in csv.reader(text.splitlines()) if r]
    else:
        rows = [line.split() for line in text.splitlines() if line.strip()]
    if len(rows) == len(rows[-1]) and rows[0][0] != "":
        return [str(k + 1) for k in range(len(rows))], np.array(rows, float)
    return rows[0][1:], np.array([r[1:] for r in rows[1:]], float)


def matrix(data, name):
    """Labels and the full symmetric dissimilarity matrix of a set, its zeros replaced as the reference did."""
    file, triangle, rule = SETS[name]
    labels, a = table(Path(data) / file)
    low = np.tril(a if triangle == "lower" else a.T, -1)
    d = rule(low + low.T)
    np.fill_diagonal(d, 0.0)
    off = ~np.eye(len(d), dtype=bool)
    # Only in this comparison: isoMDS refuses a zero, so R was given something small instead.
    zeros = off & (d == 0)
    d[zeros] = 0.001 * d[off & (d > 0)].min()
    return labels, d, int(zeros.sum() // 2)


def reference(data):
    """The rows of the reference table. One name holds a bare comma, so the columns are counted from the right."""
    lines = (Path(data) / "reference_mds.csv").read_text().splitlines()
    names = lines[0].split(",")
    return [dict(zip(names, line.rsplit(",", len(names) - 1))) for line in lines[1:] if line]


def eigenvalues(d):
    """All eigenvalues of the double-centred matrix, largest first."""
    b = -0.5 * d**2
    b -= b.mean(0)
    b -= b.mean(1)[:, None]
    return np.linalg.eigvalsh(b)[::-1]


def goodness(d, p=2):
    """R's GOF: the first p eigenvalues over the sum of absolute values, and over the sum of the positive ones."""
    w = eigenvalues(d)
    return w[:p].sum() / abs(w).sum(), w[:p].sum() / w[w > 0].sum()
