"""Counts judgements with `nearer check` and holds the counts against what is known of real sets.

    bench/.venv/bin/python bench/counts.py --data DIR

DIR holds the folders of the sets. The figures of the column `known` were counted by other programs from the same files
(contradictory queries, minority answers and cyclic triples by majority, as its README defines them).
"""
import argparse
import csv
import json
import sys
import tempfile
from pathlib import Path

import markdown
from cells import NEARER, run

# set, arguments of `nearer check`, what is known of it
PLAIN = [
    ("musicians", ["musicians_aset400/music_triplets.csv"], {"rows": 9107, "self": 17, "contradictory": 0, "objects": 400,
                                                             "triads": (38, 0)}),
    ("next_fruit", ["next_fruit/responses.csv"], {"rows": 20086, "queries": 8105, "repeated": 4446, "contradictory": 1711,
                                                  "minority": 2836, "people": 416, "triads": (969, 41), "objects": 30}),
    ("fleming_shapes", ["fleming_shapes/responses.csv"], {"rows": 9140, "queries": 7979, "repeated": 305, "people": 49,
                                                          "contradictory": 135, "minority": 365, "triads": (10, 1)}),
    ("social_videos", ["social_videos_ooo/all_triplets.csv"], {"rows": 49484, "self": 2358, "people": 215, "objects": 250,
                                                               "contradictory": 4194}),
    ("mlds kk1", ["mlds/kk1.csv"], {"rows": 330, "queries": 330, "repeated": 0, "objects": 11}),
    ("mlds kk2", ["mlds/kk2.csv"], {"rows": 330, "queries": 330, "repeated": 0, "objects": 11}),
    ("mlds AutumnLab", ["mlds/AutumnLab.csv"], {"rows": 210, "queries": 210, "repeated": 0, "objects": 10}),
    ("mlds kktriad", ["mlds/kktriad.csv"], {"rows": 165, "queries": 165, "repeated": 0, "objects": 11}),
    ("taxonomy cifar100", ["taxonomy_cifar100/cifar.parent-child.txt", "--kind", "taxonomy"], {"objects": 100, "nodes": 163}),
    ("taxonomy cub balanced", ["taxonomy_cub/cub_balanced.parent-child.txt", "--kind", "taxonomy"],
     {"objects": 200, "nodes": 421}),
    ("taxonomy cub flat", ["taxonomy_cub/cub_flat.parent-child.txt", "--kind", "taxonomy"], {"objects": 200, "nodes": 368}),
    ("taxonomy cub wikispecies", ["taxonomy_cub/cub_wikispecies.parent-child.txt", "--kind", "taxonomy"],
     {"objects": 200, "nodes": 383}),
    ("taxonomy imagenet", ["taxonomy_imagenet/wordnet.parent-child.mintree.txt", "--kind", "taxonomy"],
     {"objects": 1000, "nodes": 1785}),
]

# palette and task: contradictory queries, queries (known of two), minority answers, answers, cyclic triples
PALETTES = {"color-tm": (291, 360, 607, 2400, 6), "color-td": (248, None, 508, 2400, 3),
            "shape-tm": (261, None, 485, 2400, 0), "shape-td": (84, None, 97, 2400, 0),
            "shapecolor-tm": (1046, 1680, 1851, 11200, 0), "shapecolor-td": (444, None, 633, 11200, 0),
            "sizecolor-tm": (902, None, 1590, 11200, 0), "sizecolor-td": (813, None, 1603, 11200, 2)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="the folder of the sets")
    data = Path(parser.parse_args().data)
    rows, bad = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name, args, known in [*PLAIN, *palettes(data, Path(folder)), *materials(data, Path(folder))]:
            found = check(data / args[0], args[1:])
            wrong = [k for k, v in known.items() if found.get(k) != v]
            bad += bool(wrong)
            rows.append([name, words(known), "equal" if not wrong else "**DIFFERENT:** " + words({k: found.get(k) for k in wrong}),
                         words({k: found[k] for k in ("cycles", "implied", "floor") if found.get(k) is not None})])
            print(f"  {name}", file=sys.stderr)
    text = "\n".join(["# Counts of judgements, known and ours", "",
                      f"`python3 bench/run.py --only counts --data DIR`, {markdown.today()}", "",
                      markdown.table(["set", "known", "nearer check", "also found"], rows), "",
                      f"{len(rows)} sets, {bad} disagreements."])
    markdown.write(text, f"counts-{markdown.today()}.md")
    return 1 if bad else 0


def check(file, args):
    done = run([NEARER, "check", file, "--json", *args])
    if done["code"] != 0:
        sys.exit(f"nearer check {file} failed: {done['err'].strip()}")
    report = json.loads(done["out"])
    found = dict(report)
    found["triads"] = tuple(report.get("triads", {}).values()) or None
    found["cyclic"] = report.get("triads", {}).get("cyclic")
    found["people"] = len(report.get("panel", {}).get("participants", []))
    found["floor"] = round(report["noise"]["floor"], 4) if "noise" in report else None
    found["cycles"] = report.get("cycles", {}).get("components")
    return found


def words(counts):
    return ", ".join(f"{k} {v if not isinstance(v, tuple) else '/'.join(map(str, v))}" for k, v in counts.items())


def palettes(data, folder):
    """The perceptual kernels: one line a subject, training stimuli first, checks inside."""
    for name, (contradictory, queries, minority, answers, cyclic) in PALETTES.items():
        pair = name.startswith(("shapecolor", "sizecolor"))
        shift, training = (6, 24) if pair else (4, 8)
        file = folder / f"{name}.csv"
        with open(file, "w", newline="") as f:
            out = csv.writer(f)
            out.writerow(["head", "near", "far", "participant"])
            for who, line in enumerate((data / f"perceptual_kernels/raw/{name}.txt").read_text().split()):
                numbers = [int(v) for v in line.split(",")]
                triplets = list(zip(*[iter(numbers)] * 3))[training:]
                out.writerows([*(v - shift for v in t), f"s{who + 1}"] for t in triplets)
        known = {"contradictory": contradictory, "minority": minority, "rows": answers + 200, "self": 200, "cyclic": cyclic}
        yield f"perceptual {name}", [file], known | ({"queries": queries} if queries else {})


def materials(data, folder):
    """Votes of the material sets, one row each."""
    for part, queries, votes, split, tied in (("train", 22801, 92892, 11382, 1395), ("test", 3000, 11800, 1479, 262)):
        answers = json.loads((data / f"material_lagunas/answers_processed_{part}.json").read_text())
        file = folder / f"materials-{part}.csv"
        with open(file, "w", newline="") as f:
            out = csv.writer(f)
            out.writerow(["head", "near", "far"])
            for (head, a, b), (for_a, for_b) in zip(answers["answers"], answers["agreement"]):
                out.writerows([[head, a, b]] * int(for_a) + [[head, b, a]] * int(for_b))
        yield f"materials {part}", [file], {"rows": votes, "queries": queries, "contradictory": split, "tied": tied}


if __name__ == "__main__":
    sys.exit(main())
