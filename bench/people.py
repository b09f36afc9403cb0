"""How honest the figures about comparisons are: do ellipses hold the truth, is the planted dimension found, are people who answer at
random found, and do lapses of each participant predict better.

    python3 bench/people.py [--binary target/release/nearer] [--data DIR] [--only coverage,dimensions,people,lapses] [--seeds 10] [--out FILE]

Planted sets are made by the model itself (answers by the logistic function of distances, lapses at random), so that the truth is
known. DIR holds public sets of answers with participants, as bench/ordinal.py reads them. Needs numpy."""
import argparse
import csv
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COIN = -0.6931


def nearer(binary, *arguments):
    done = subprocess.run([binary, *arguments, "--json", "-q"], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(arguments)}: {done.stderr}")
    return json.loads(done.stdout)


PHI = {
    "distance": lambda d: d,
    "squared": lambda d: d * d,
    "student": lambda d: np.log1p(d * d),
    "ckl": lambda d: np.log(0.05 + d * d),
}


def planted(objects, dim, answers, seed, link="distance", size=2.0, lapses=None):
    """True points and rows (head, near, far, participant): answers by the link, lapses by participant."""
    r = np.random.default_rng(seed)
    x = size * r.normal(size=(objects, dim))
    rows, phi = [], PHI[link]
    rates = [0.0] if lapses is None else lapses
    for k in range(answers):
        h, a, b = r.choice(objects, 3, replace=False)
        who = k % len(rates)
        eta = phi(np.linalg.norm(x[h] - x[b])) - phi(np.linalg.norm(x[h] - x[a]))
        p = 0.5 if r.random() < rates[who] else 1 / (1 + np.exp(-eta))
        if r.random() >= p:
            a, b = b, a
        rows.append((f"o{h}", f"o{a}", f"o{b}", f"p{who}" if lapses else ""))
    return x, rows


def written(folder, rows):
    path = f"{folder}/answers.csv"
    people = any(r[3] for r in rows)
    with open(path, "w") as f:
        f.write("head,near,far,participant\n" if people else "head,near,far\n")
        f.writelines(",".join(r if people else r[:3]) + "\n" for r in rows)
    return path


def laid_over(truth, target, scaling):
    """The truth moved, turned and mirrored (and scaled) onto the map."""
    mt, mm = truth.mean(0), target.mean(0)
    u, s, vt = np.linalg.svd((truth - mt).T @ (target - mm))
    scale = s.sum() / ((truth - mt) ** 2).sum() if scaling else 1.0
    return scale * (truth - mt) @ (u @ vt) + mm


def inside(e, p):
    t = np.radians(float(e["angle"]))
    d = np.array([p[0] - float(e["x"]), p[1] - float(e["y"])])
    along, across = d @ [np.cos(t), np.sin(t)], d @ [-np.sin(t), np.cos(t)]
    return (along / float(e["half_axis_1"])) ** 2 + (across / float(e["half_axis_2"])) ** 2 <= 1


# What is planted, and what it is mapped by: (words, objects, dim, answers, link, lapses, flags)
EACH_OWN = [0.05] * 16 + [0.3, 0.3, 0.6, 1.0]
COVERAGE = [
    ("distance; link and precision given", 30, 2, 3000, "distance", None, ["-m", "choice", "--link", "distance", "--precision", "0", "--lapses", "none"]),
    ("distance; all chosen, 20 people who lapse", 30, 2, 3000, "distance", EACH_OWN, ["-m", "choice"]),
    ("distance; all chosen, few answers", 30, 2, 900, "distance", None, ["-m", "choice"]),
    ("distance, 3-D; all chosen", 30, 3, 5000, "distance", None, ["-m", "choice"]),
    ("squared; `ste`", 30, 2, 3000, "squared", None, ["-m", "ste"]),
    ("Student; `t-ste`", 30, 2, 3000, "student", None, ["-m", "t-ste"]),
    ("logarithm; `ckl`", 30, 2, 3000, "ckl", None, ["-m", "ckl"]),
]


def coverage(o, page):
    page += ["\n## Ellipses: the share of objects whose true place lies in their 95 % ellipse\n",
             f"{o.seeds} planted sets each. The true points are laid over the map by moving and turning, and once more with the size set free.",
             "Expected: how often a new answer is the one that the map says, as told; found: of 5,000 new answers by the same people.\n",
             "| planted; mapped by | objects, dim, answers | held | with free size | undetermined | accuracy expected | found |", "|---|---|---|---|---|---|---|"]
    for words, n, dim, answers, link, lapses, flags in COVERAGE:
        held, free, none, expected, found = [], [], 0, [], []
        for seed in range(o.seeds):
            x, rows = planted(n, dim, answers + 5000, seed, link, 1.0 if link == "squared" else 2.0, lapses)
            test, rows = rows[answers:], rows[:answers]
            with tempfile.TemporaryDirectory() as folder:
                path, table, out = written(folder, rows), f"{folder}/e.ellipses.csv", f"{folder}/m.csv"
                told = nearer(o.binary, "embed", path, "--dim", str(dim), *flags, "--ellipses", "laplace", "-o", table, "-o", out)
                with open(out) as f:
                    map_ = {r[0]: np.array(r[1:], float) for r in list(csv.reader(f))[1:]}
                with open(table) as f:
                    ellipses = {r["label"]: r for r in csv.DictReader(f)}
            labels = sorted(map_)
            truth = np.array([x[int(v[1:])] for v in labels])
            target = np.array([map_[v] for v in labels])
            for scaling, into in ((False, held), (True, free)):
                moved = laid_over(truth, target, scaling)
                into += [inside(ellipses[v], p) for v, p in zip(labels, moved) if ellipses[v]["undetermined"] == "no"]
            none += sum(e["undetermined"] == "yes" for e in ellipses.values())
            expected.append(told["stability"]["expected_accuracy"])
            apart = lambda a, b: np.linalg.norm(map_[a] - map_[b])
            found.append(np.mean([apart(h, a) < apart(h, b) for h, a, b, _ in test]))
        page.append(f"| {words} | {n}, {dim}, {answers} | {np.mean(held):.3f} | {np.mean(free):.3f} | {none} | {np.mean(expected):.3f} | {np.mean(found):.3f} |")
        print(page[-1], flush=True)


def dimensions(o, page):
    page += ["\n## Dimensions: how often the planted number is found\n",
             f"{o.seeds} planted sets of 40 objects each, {PER} answers a coordinate. `--dim auto` takes the fewest within one standard error of the best held-out likelihood.\n",
             "| planted | answers | found | what was found | seconds a fit |", "|---|---|---|---|---|"]
    for dim in o.dims:
        found, seconds = [], []
        for seed in range(o.seeds):
            _, rows = planted(40, dim, PER * 40 * dim, 100 + seed, size=4.0 / dim ** 0.5)
            with tempfile.TemporaryDirectory() as folder:
                told = nearer(o.binary, "embed", written(folder, rows), "-m", "choice", "--dim", "auto", "-o", f"{folder}/m.csv")
            found.append(told["dim"])
            seconds.append(told["seconds"]["fit"])
        counts = ", ".join(f"{d}: {found.count(d)}" for d in sorted(set(found)))
        page.append(f"| {dim} | {PER * 40 * dim} | {found.count(dim)} of {len(found)} | {counts} | {np.mean(seconds):.1f} |")
        print(page[-1], flush=True)


PER = 60


def people(o, page):
    page += ["\n## People who answer at random or the wrong way round\n",
             f"{o.seeds} planted sets each of 30 objects and 20 people in the plane; the others lapse 5 % of the time. Precision: of those named, who should be; recall: of those who should be, who is named.\n",
             "| answers a person | random | reversed | precision | recall | named as reversed, of the reversed |", "|---|---|---|---|---|---|"]
    for each, lost, turned in [(150, 2, 0), (150, 5, 1), (60, 2, 0), (60, 5, 1), (30, 2, 0)]:
        right = named = wanted = reversed_ = 0
        for seed in range(o.seeds):
            rates = [1.0] * lost + [0.05] * (20 - lost)
            _, rows = planted(30, 2, 20 * each, 200 + seed, lapses=rates)
            out = {f"p{19 - k}" for k in range(turned)}
            rows = [(h, b, a, p) if p in out else (h, a, b, p) for h, a, b, p in rows]
            with tempfile.TemporaryDirectory() as folder:
                told = nearer(o.binary, "embed", written(folder, rows), "-m", "choice", "-o", f"{folder}/m.csv")
            verdicts = {p["participant"]: p["verdict"] for p in told["lapses"]["participants"]}
            planted_ = {f"p{k}" for k in range(lost)} | out
            found = {p for p, v in verdicts.items() if v != "usable"}
            right += len(found & planted_)
            named += len(found)
            wanted += len(planted_)
            reversed_ += sum(verdicts[p] == "reversed" for p in out)
        page.append(f"| {each} | {lost} | {turned} | {right / max(named, 1):.3f} ({right} of {named}) | {right / wanted:.3f} ({right} of {wanted}) | {reversed_} of {turned * o.seeds} |")
        print(page[-1], flush=True)


def lapses(o, page):
    ordinal = importlib.util.spec_from_file_location("ordinal", f"{ROOT}/bench/ordinal.py")
    sets = importlib.util.module_from_spec(ordinal)
    sets.__dict__["__name__"] = "ordinal"
    with open(f"{ROOT}/bench/ordinal.py") as f:
        source = f.read().rsplit("\nmain()", 1)[0]
    exec(compile(source, "ordinal.py", "exec"), sets.__dict__)
    page += ["\n## Lapses: the log-likelihood of answers held out, of people who are known\n",
             f"`choice` in the plane, five folds of answers; a coin's is {COIN}. ± is the standard error over folds.\n",
             "| set | answers, people | no lapses | one rate | a rate a participant | agreement held out: none, one, each |", "|---|---|---|---|---|---|"]
    for name, read in sets.SETS.items():
        rows = [r for trial in read(o.data) for r in trial]
        if not any(r[3] for r in rows) or (o.sets and name not in o.sets):
            continue
        cells, agree = [], []
        with tempfile.TemporaryDirectory() as folder:
            path, model = written(folder, rows), f"{folder}/m.nearer"
            nearer(o.binary, "embed", path, "-m", "choice", "-o", model)
            for how in ("none", "one", "participant"):
                told = nearer(o.binary, "eval", model, path, "--held-out", "rows", "--lapses", how)["held_out"]
                cells.append(f"{told['log_likelihood']['mean']:.4f} ± {told['log_likelihood']['standard_error']:.4f}")
                agree.append(f"{told['test']['mean']:.4f}")
        page.append(f"| {name} | {len(rows)}, {len({r[3] for r in rows})} | " + " | ".join(cells) + f" | {', '.join(agree)} |")
        print(page[-1], flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--binary", default=f"{ROOT}/target/release/nearer")
    p.add_argument("--data")
    p.add_argument("--seeds", type=int, default=10)
    p.add_argument("--dims", type=lambda t: [int(v) for v in t.split(",")], default=[1, 2, 3, 4, 5])
    p.add_argument("--sets", type=lambda t: t.split(","))
    p.add_argument("--only", default="coverage,dimensions,people,lapses")
    p.add_argument("--out")
    o = p.parse_args()
    page = [f"# Honesty about comparisons, {time.strftime('%Y-%m-%d')}", "", __doc__.split("\n\n")[0]]
    for name, part in (("coverage", coverage), ("dimensions", dimensions), ("people", people), ("lapses", lapses)):
        if name in o.only and (name != "lapses" or o.data):
            part(o, page)
    text = "\n".join(page) + "\n"
    print(text)
    if o.out:
        with open(o.out, "w") as f:
            f.write(text)


main()
