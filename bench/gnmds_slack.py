"""The default slack of `gnmds`: held-out error, time, rank and gap at multiples of the noise scale, on real answers.

    python3 bench/gnmds_slack.py --data DIR [--nearer target/release/nearer] [--limit 60] [--only fruit]

DIR holds the public sets by folder (next_fruit, fleming_shapes, perceptual_kernels, material_lagunas, musicians_aset400); those that
are not there are left out. Four fifths of the answers are fitted, the rest are asked of the map in the plane. The sets are dealt
into two halves: the multiple is chosen on the first, and the second shows what the choice is worth.
"""

import argparse
import csv
import json
import math
import pathlib
import random
import subprocess
import tempfile

MULTIPLES = [1, 2, 4, 8, 16]


def fruit(data):
    rows = list(csv.DictReader(open(data / "next_fruit" / "responses.csv")))
    return [(r["head"], r["near"], r["far"]) for r in rows]


def fleming(data):
    rows = list(csv.DictReader(open(data / "fleming_shapes" / "responses.csv")))
    return [(r["head"], r["winner"], r["loser"]) for r in rows]


def palette(name):
    def read(data):
        out = []
        for line in open(data / "perceptual_kernels" / "raw" / f"{name}.txt"):
            v = [x for x in line.strip().split(",") if x]
            first = 24 if name.startswith(("shapecolor", "sizecolor", "shapesize")) else 8
            triples = [tuple(v[k : k + 3]) for k in range(0, len(v) - 2, 3)]
            out += [t for t in triples[first:] if len(set(t)) == 3]
        return out

    return read


def materials(data):
    said = json.load(open(data / "material_lagunas" / "answers_processed_train.json"))
    rows = []
    for (ref, a, b), (more, less) in zip(said["answers"], said["agreement"]):
        rows += [(str(ref), str(a), str(b))] * int(more) + [(str(ref), str(b), str(a))] * int(less)
    random.Random(3).shuffle(rows)
    return rows[:30000]


def musicians(data):
    rows = list(csv.reader(open(data / "musicians_aset400" / "music_triplets.csv")))
    return [tuple(r) for r in rows if r[0].strip().isdigit() and len(set(r)) == 3]


def planted(_):
    """500 points of a plane, a tenth of the answers wrong: what large programs cost, whatever DIR holds."""
    rng = random.Random(1)
    points = [(rng.gauss(0, 1), rng.gauss(0, 1)) for _ in range(500)]
    rows = []
    for _ in range(125_000):
        head, *others = rng.sample(range(500), 3)
        near, far = sorted(others, key=lambda k: math.dist(points[head], points[k]))
        rows.append((f"o{head}", *((f"o{far}", f"o{near}") if rng.random() < 0.1 else (f"o{near}", f"o{far}"))))
    return rows


SETS = {
    "fruit": ("choose", fruit),
    "shapecolor-tm": ("choose", palette("shapecolor-tm")),
    "materials": ("choose", materials),
    "fleming": ("report", fleming),
    "sizecolor-tm": ("report", palette("sizecolor-tm")),
    "musicians": ("report", musicians),
    "planted": ("time", planted),
}


def embed(nearer, file, flags, out):
    command = [nearer, "embed", str(file), "--method", "gnmds", "--json", "-o", str(out), *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.stdout:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def held_out(path, rows):
    at = {r[0]: [float(v) for v in r[1:]] for r in list(csv.reader(open(path)))[1:]}
    d = lambda a, b: sum((x - y) ** 2 for x, y in zip(at[a], at[b]))
    known = [r for r in rows if all(v in at for v in r)]
    return sum(d(h, n) >= d(h, f) for h, n, f in known) / len(known)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--nearer", default="target/release/nearer")
    parser.add_argument("--limit", default="60")
    parser.add_argument("--only", default="")
    parser.add_argument("--noise", type=float, default=16, help="the multiple that the binary has as its default")
    asked = parser.parse_args()
    data = pathlib.Path(asked.data)
    print("| half | set | objects | fitted | multiple | held-out error | seconds | gap | rank |\n|---|---|---|---|---|---|---|---|---|")
    for name, (half, read) in SETS.items():
        if asked.only not in name:
            continue
        try:
            rows = [r for r in read(data) if len(set(r)) == 3]
        except FileNotFoundError:
            continue
        random.Random(1).shuffle(rows)
        cut = len(rows) * 4 // 5
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            file, out = folder / "t.csv", folder / "map.csv"
            with open(file, "w") as f:
                f.write("head,near,far\n" + "".join(",".join(r) + "\n" for r in rows[:cut]))
            first = embed(asked.nearer, file, ["--gap", "1", "--refine", "no", "--time-limit", "1"], out)
            noise = first["resolved"]["slack"] / asked.noise
            for times in MULTIPLES:
                flags = ["--slack", repr(times * noise), "--time-limit", asked.limit]
                said = embed(asked.nearer, file, flags, out)
                c = said["certificate"]
                print(
                    f"| {half} | {name} | {said['objects']} | {cut} | {times} | {held_out(out, rows[cut:]):.4f} | "
                    f"{said['seconds']['fit']:.1f} | {'none' if c['gap'] is None else format(c['gap'], '.1e')} | {c['rank']} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
