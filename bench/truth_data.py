"""The real data sets of truth.py, and figures that only they have: held-out agreement, sorts, tables of features."""
import csv
from collections import Counter
from itertools import combinations

import numpy as np
from scipy.spatial.distance import pdist


def every(truth, data, folder):
    """All sets that are there; one that is not is said."""
    ratio = ("1-s", lambda s: 1 - s)
    for name, path, turn in (
        ("US cities", "r_base_distances/UScitiesD.csv", None),
        ("eurodist", "r_base_distances/eurodist.csv", None),
        ("kinship", "smacof/kinshipdelta.csv", None),
        ("ekman", "smacof/ekman.csv", ratio),
        ("morse", "smacof/morse.csv", None),
    ):
        if there(data / path):
            truth.distances(name, data / path, folder, turn=turn)
    if there(data / "next_fruit/responses.csv"):
        truth.judgements("next_fruit", data / "next_fruit/responses.csv", folder, methods=("gnmds",))
        held_out(truth, "next_fruit", data / "next_fruit/responses.csv", folder)
    if there(data / "musicians_aset400/music_triplets.csv"):
        truth.judgements("musicians", data / "musicians_aset400/music_triplets.csv", folder, methods=("gnmds",))
    if there(data / "r_dissimilarities/sortingWines_freeSortExperts.csv"):
        sorts(truth, "wines", data / "r_dissimilarities/sortingWines_freeSortExperts.csv")
    if there(data / "zoo/Zoo.csv"):
        features(truth, "zoo", data / "zoo/Zoo.csv", folder)


def there(path):
    if not path.exists():
        print(f"{path} is not there: left out")
    return path.exists()


def held_out(truth, name, path, folder, folds=5):
    """Answers left out as they come: other folds than the command's, maps by the command, agreement by numpy."""
    rows, _ = truth.triplets(path)
    rng = np.random.default_rng(7)
    part = rng.permutation(len(rows)) % folds
    shares = []
    for k in range(folds):
        train = folder / "train.csv"
        with open(train, "w", newline="") as f:
            csv.writer(f).writerows([("head", "near", "far")] + [r[:3] for r, p in zip(rows, part) if p != k])
        _, at, _ = truth.fitted(folder, train, "--method", "gnmds")
        touch = truth.TOUCH * (pdist(np.array(list(at.values()))) ** 2).mean()
        apart = lambda a, b: ((at[a] - at[b]) ** 2).sum()
        test = [r for r, p in zip(rows, part) if p == k]
        shares.append(np.mean([apart(h, b) - apart(h, a) > touch for h, a, b, _ in test]))
    _, _, out = truth.fitted(folder, path, "--method", "gnmds", "-o", folder / "map.nearer")
    told = truth.nearer("eval", folder / "map.nearer", path, "--held-out", "rows", "--json", "-q")["held_out"]
    mine, error = np.mean(shares), np.std(shares, ddof=1) / np.sqrt(folds)
    theirs = [f["test"] for f in told["folds"]]
    truth.same(f"{name}, gnmds: eval held-out mean and standard error, from its folds", [told["test"]["mean"], told["test"]["standard_error"]],
               [np.mean(theirs), np.std(theirs, ddof=1) / np.sqrt(len(theirs))], 1e-9)
    truth.between(f"{name}, gnmds: eval held-out agreement", mine - 4 * error, told["test"]["mean"], mine + 4 * error,
                  "other folds, four standard errors, numpy")


def sorts(truth, name, path):
    with open(path, newline="") as f:
        table = [r[1:] for r in list(csv.reader(f))[1:]]
    votes = [Counter(table[a][who] == table[b][who] for who in range(len(table[0]))) for a, b in combinations(range(len(table)), 2)]
    c = truth.nearer("check", path, "--kind", "sorts", "--json", "-q")
    truth.same(f"{name}, check: alike, not alike, questions, contradictory, minority, tied",
               [c[k] for k in ("similar", "dissimilar", "queries", "contradictory", "minority", "tied")],
               [sum(v[True] for v in votes), sum(v[False] for v in votes), len(votes), sum(min(v[True], v[False]) > 0 for v in votes),
                sum(min(v[True], v[False]) for v in votes), sum(v[True] == v[False] for v in votes)], by="a count in Python")


def features(truth, name, path, folder):
    """Its numbers and truth values as a table of numbers."""
    with open(path, newline="") as f:
        head, *rows = list(csv.reader(f))
    number = {"TRUE": "1", "FALSE": "0"}
    table = folder / "features.csv"
    kept = [r[:1] + [number.get(v, v) for v in r[1:17]] for r in rows]
    with open(table, "w", newline="") as f:
        csv.writer(f).writerows([["label"] + head[1:17]] + kept)
    c = truth.nearer("check", table, "--kind", "features", "--json", "-q")
    seen = Counter(tuple(r[1:]) for r in kept)
    truth.same(f"{name}, check: objects, columns, duplicates", [c["objects"], c["columns"], c["duplicates"]],
               [len(kept), 16, len(kept) - len(seen)], by="a count in Python")
    report, _, _ = truth.fitted(folder, table, "--method", "mvu", "--kind", "features", "--neighbours", "8")
    truth.certificate(f"{name}, mvu", report)
