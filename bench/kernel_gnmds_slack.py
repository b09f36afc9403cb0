"""The default slack of `kernel-gnmds`: held-out error, time, rank and gap at multiples of the noise scale.

    python3 bench/kernel_gnmds_slack.py --data DIR [--nearer target/release/nearer] [--limit 30] [--only wine]

DIR holds the public sets by folder (sklearn_small, zoo); those that are not there are left out. Up to 80 objects of a set have their
features, and answers that their classes give (one of the same class is nearer than one of another), a tenth of them turned round.
Four fifths of the answers are fitted, the rest, not turned, are asked of the map in the plane. The sets are dealt into two halves:
the multiple is chosen on the first, and the second shows what the choice is worth.
"""

import argparse
import csv
import gzip
import json
import pathlib
import random
import subprocess
import tempfile

from gnmds_slack import held_out

MULTIPLES = [1, 2, 4, 8, 16, 32]


def table(rows, label):
    return [([float(v) for k, v in enumerate(r) if k != label % len(r)], r[label]) for r in rows]


def counted(name):
    """scikit-learn's csv: a first line of counts, the class last."""
    return lambda data: table(list(csv.reader(open(data / "sklearn_small" / name)))[1:], -1)


def digits(data):
    return table(list(csv.reader(gzip.open(data / "sklearn_small" / "digits.csv.gz", "rt"))), -1)


def zoo(data):
    rows = list(csv.reader(open(next((data / "zoo").glob("*.csv")))))
    number = {"TRUE": "1", "FALSE": "0"}
    return table([[number.get(v.upper(), v) for v in r[1:]] for r in rows[1:]], -1)


SETS = {
    "iris": ("choose", counted("iris.csv")),
    "digits": ("choose", digits),
    "zoo": ("choose", zoo),
    "wine": ("report", counted("wine_data.csv")),
    "breast cancer": ("report", counted("breast_cancer.csv")),
    "digits, others": ("report", lambda data: digits(data)[900:]),
}


def answers(classes, count, rng):
    rows = []
    while len(rows) < count:
        head, near, far = rng.sample(range(len(classes)), 3)
        if classes[head] == classes[near] != classes[far]:
            rows.append((head, near, far))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--nearer", default="target/release/nearer")
    parser.add_argument("--limit", default="30")
    parser.add_argument("--only", default="")
    parser.add_argument("--noise", type=float, default=16, help="the multiple that the binary has as its default")
    asked = parser.parse_args()
    data = pathlib.Path(asked.data)
    print("| half | set | objects | fitted | multiple | held-out error | seconds | gap | rank |\n|---|---|---|---|---|---|---|---|---|")
    for name, (half, read) in SETS.items():
        if asked.only not in name:
            continue
        try:
            whole = read(data)
        except (FileNotFoundError, StopIteration):
            continue
        rng = random.Random(1)
        rng.shuffle(whole)
        some = whole[:80]
        label = [f"o{k:02d}" for k in range(len(some))]
        rows = answers([c for _, c in some], 2000, rng)
        cut = len(rows) * 4 // 5
        named = [tuple(label[v] for v in r) for r in rows]
        fitted = [(h, f, n) if rng.random() < 0.1 else (h, n, f) for h, n, f in named[:cut]]
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            judged, features, out = folder / "t.csv", folder / "f.csv", folder / "map.csv"
            judged.write_text("head,near,far\n" + "".join(",".join(r) + "\n" for r in fitted))
            width = len(some[0][0])
            head = "label," + ",".join(f"f{k}" for k in range(width)) + "\n"
            features.write_text(head + "".join(f"{n}," + ",".join(map(repr, x)) + "\n" for n, (x, _) in zip(label, some)))

            def embed(*flags):
                kernel = ["--method", "kernel-gnmds", "--kernel", f"rbf,standardise=yes:{features}"]
                done = subprocess.run(
                    [asked.nearer, "embed", str(judged), *kernel, "--json", "-o", str(out), *flags], capture_output=True, text=True
                )
                if done.returncode != 0:
                    raise SystemExit(done.stderr or done.stdout)
                return json.loads(done.stdout)

            noise = embed("--gap", "1", "--refine", "no", "--time-limit", "1")["resolved"]["slack"] / asked.noise
            for times in MULTIPLES:
                said = embed("--slack", repr(times * noise), "--time-limit", asked.limit)
                c = said["certificate"]
                print(
                    f"| {half} | {name} | {said['objects']} | {cut} | {times} | {held_out(out, named[cut:]):.4f} | "
                    f"{said['seconds']['fit']:.1f} | {'none' if c['gap'] is None else format(c['gap'], '.1e')} | {c['rank']} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
