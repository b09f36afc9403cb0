"""What is lost where pairs that are alike or not become comparisons, C+ x C-: each pair alike nearer than each pair not alike.

    python3 bench/reduction.py --data DIR [--nearer target/release/nearer] [--only zoo]

For each set: four fifths of the pairs are fitted as pairs (`psde`) and as the comparisons they imply (`gnmds`, `choice`), and the
rest are asked of the map in the plane: the share on the right side of one radius for all objects, and of the best radius for each.
A tenth of the fitted answers are turned round. The sets: whether two animals of zoo are of one type, two flowers of iris of one
species, and whether two points of a bent sheet are among each other's six nearest, of which none knows a class.
DIR holds zoo and sklearn_small; what is not there is left out.
"""

import argparse
import csv
import json
import math
import pathlib
import random
import re
import subprocess
import tempfile


def classed(rows, rng, most=60):
    rng.shuffle(rows)
    rows = rows[:most]
    return len(rows), lambda i, j: rows[i] == rows[j]


def zoo(data, rng):
    return classed([r["type"] for r in csv.DictReader(open(data / "zoo" / "Zoo.csv"))], rng)


def iris(data, rng):
    return classed([r[-1] for r in list(csv.reader(open(data / "sklearn_small" / "iris.csv")))[1:]], rng)


def sheet(_, rng):
    points = []
    for _ in range(60):
        t = 1.5 * math.pi * (1 + 2 * rng.random())
        points.append((t * math.cos(t), 21 * rng.random(), t * math.sin(t)))
    near = [set(sorted(range(60), key=lambda j: math.dist(points[i], points[j]))[1:7]) for i in range(60)]
    return 60, lambda i, j: j in near[i] or i in near[j]


SETS = {"zoo": zoo, "iris": iris, "sheet": sheet}
WAYS = {
    "pairs, psde": ["--method", "psde", "--slack", "0.01"],
    "pairs, psde, one radius": ["--method", "psde", "--slack", "0.01", "--radii", "one"],
    "comparisons, gnmds": ["--method", "gnmds"],
    "comparisons, choice": ["--method", "choice"],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--nearer", default="target/release/nearer")
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", default="60")
    asked = parser.parse_args()
    print("| set | pairs | way | comparisons | held out: one radius | each its own | seconds |\n|---|---|---|---|---|---|---|")
    for name, make in SETS.items():
        if asked.only not in name:
            continue
        rng = random.Random(1)
        try:
            n, alike = make(pathlib.Path(asked.data), rng)
        except FileNotFoundError:
            continue
        pairs = [(i, j, int(alike(i, j))) for i in range(n) for j in range(i + 1, n)]
        rng.shuffle(pairs)
        cut = len(pairs) * 4 // 5
        fitted = [(i, j, 1 - s if rng.random() < 0.1 else s) for i, j, s in pairs[:cut]]
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for file, rows in [("fitted.csv", fitted), ("rest.csv", pairs[cut:])]:
                (folder / file).write_text("from,to,label\n" + "".join(f"o{i:02d},o{j:02d},{s}\n" for i, j, s in rows))

            def run(*command):
                done = subprocess.run([asked.nearer, *command, "--json"], capture_output=True, text=True, cwd=folder)
                if done.returncode != 0:
                    raise SystemExit(done.stderr)
                counted = re.search(r"(\d+) comparisons", done.stderr)
                return json.loads(done.stdout), counted.group(1) if counted else "-"

            for way, flags in WAYS.items():
                said, several = run("embed", "fitted.csv", *flags, "--time-limit", asked.limit, "-o", "map.csv")
                held = run("eval", "map.csv", "rest.csv")[0]["pairs"]
                print(
                    f"| {name} | {cut} | {way} | {several} | {held['common']['share']:.4f} | {held['share']:.4f} | "
                    f"{said['seconds']['fit']:.1f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
