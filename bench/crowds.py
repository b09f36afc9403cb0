"""Planted crowds: who is called careless, following another rule, reversed, and who is not.

    python3 bench/crowds.py --nearer target/release/nearer --sets 8

In each crowd of 40 people and 30 objects in the plane, a tenth answers at random, a tenth weighs the same axes 4 : 1, a tenth looks at
a third axis that the others ignore, a twentieth has the key reversed, and everybody errs by the logistic noise of a distance. Told for each number of
answers a person: the share of each kind that is given each word.
"""

import argparse
import collections
import csv
import math
import pathlib
import random
import subprocess
import tempfile

KINDS = ["attentive", "weights", "axis", "careless", "reversed"]


def crowd(seed, people, objects, answers):
    """Rows of triplets, and the kind of each person."""
    rng = random.Random(seed)
    points = [[rng.gauss(0, 1) for _ in range(3)] for _ in range(objects)]
    kinds = {}
    rows = []
    for person in range(people):
        share = person / people
        kind = ("careless" if share < 0.1 else "weights" if share < 0.2 else "axis" if share < 0.3
                else "reversed" if share < 0.35 else "attentive")
        name = f"p{person:03d}"
        kinds[name] = kind
        weights = {"weights": (1.6, 0.4, 0.0), "axis": (0.0, 0.0, 2.0)}.get(kind, (1.0, 1.0, 0.0))
        if kind == "weights" and person % 2:
            weights = (0.4, 1.6, 0.0)

        def apart(i, j):
            return math.sqrt(sum(w * (points[i][k] - points[j][k]) ** 2 for k, w in enumerate(weights)))

        for _ in range(answers):
            head, a, b = rng.sample(range(objects), 3)
            near = 1 / (1 + math.exp(4 * (apart(head, a) - apart(head, b))))
            if kind == "careless":
                near = 0.5
            if kind == "reversed":
                near = 1 - near
            if rng.random() >= near:
                a, b = b, a
            rows.append((f"o{head}", f"o{a}", f"o{b}", name))
    rng.shuffle(rows)
    return rows, kinds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nearer", default="target/release/nearer")
    parser.add_argument("--sets", type=int, default=8)
    parser.add_argument("--people", type=int, default=40)
    parser.add_argument("--objects", type=int, default=30)
    parser.add_argument("--answers", default="20,40,60,100,200,400")
    asked = parser.parse_args()
    total = collections.Counter()
    for answers in map(int, asked.answers.split(",")):
        words = collections.Counter()
        for seed in range(asked.sets):
            rows, kinds = crowd(1000 * answers + seed, asked.people, asked.objects, answers)
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder)
                (path / "t.csv").write_text("head,near,far,participant\n" + "".join(",".join(r) + "\n" for r in rows))
                command = [str(pathlib.Path(asked.nearer).resolve()), "-q", "embed", "t.csv", "-m", "choice", "-o", "t.people.csv"]
                subprocess.run(command, cwd=folder, check=True)
                for row in csv.DictReader((path / "t.people.csv").open()):
                    words[kinds[row["participant"]], row["verdict"]] += 1
        print(f"{answers} answers a person, {asked.sets} crowds")
        for kind in KINDS:
            own = {word: n for (k, word), n in words.items() if k == kind}
            all_of = sum(own.values())
            print(f"  {kind:<10}", ", ".join(f"{word} {n / all_of:.3f}" for word, n in sorted(own.items())))
        total.update(words)
    innocent = [(k, w) for k, w in total if k not in ("careless", "reversed")]
    accused = sum(total[k, w] for k, w in innocent if w == "careless")
    print(f"attentive people called careless: {accused} of {sum(total[kw] for kw in innocent)}")


if __name__ == "__main__":
    main()
