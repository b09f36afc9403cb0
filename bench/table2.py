#!/usr/bin/env python3
"""Table 2 of McFee and Lanckriet (2009): how many comparisons of a taxonomy hold before and after learning, kernel by kernel, in
the product space, with one weight for each kernel, and with a metric for each kernel.

    python3 bench/table2.py TAXONOMY --kernel NAME=KIND:FILE …
    bench/.venv/bin/python bench/table2.py --data DIR

TAXONOMY is any file that `nearer embed` takes for one (parent,child; object,path; Newick), and kernels are written as there; each
is centred and normalised. With DIR it is the experiment on COIL-20 (its folder coil20): ten objects in three groups, ten views
each, five kinds of features. Every line is a fit of `nearer embed --method kernel-partial-order` on all comparisons; the release
binary must be there (`cargo build --release`), and numpy for COIL-20.
"""
import argparse
import json
import shlex
import sys
import tempfile
from pathlib import Path

import markdown
from cells import NEARER, run


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("taxonomy", nargs="?", help="a tree of the objects")
    parser.add_argument("--kernel", action="append", default=[], help="as in nearer embed")
    parser.add_argument("--data", help="the folder of the sets, for COIL-20")
    parser.add_argument("--full", action="store_true", help="whole matrices too: slow")
    args = parser.parse_args()
    if bool(args.taxonomy) == bool(args.data) or (args.taxonomy and not args.kernel):
        parser.error("give a taxonomy with kernels, or --data")
    with tempfile.TemporaryDirectory() as folder:
        tree, specs = (args.taxonomy, args.kernel) if args.taxonomy else coil(args.data, Path(folder))
        rows = [line for plan in plans(specs, args.full) for line in [fitted(tree, *plan, Path(folder))]]
    head = ["kernels", "metric", "before", "after", "weights", "gap", "s"]
    pairs, machine = markdown.machine()
    text = "\n".join([
        "# Comparisons of a taxonomy before and after learning", "", f"`{shlex.join(command(args))}`", "",
        f"{rows[0][-1]} comparisons, all of them trained on and counted. *Before*: share that holds in the distances of the kernels as",
        "they are; *after*: in all dimensions of what was learned. *Product*: the sum of the kernels, each centred and normalised.",
        "*Weights*: those above zero. The paper has .7628 -> .7674 for the product and .9483 for diagonal metrics, 42 of 500 weights.",
        "", markdown.table(head, [r[:-1] for r in rows]), "", "## Where", "", markdown.table(["", ""], pairs), ""])
    print(text)
    if args.data:
        markdown.write(text, f"{markdown.today()}-{machine}-table2.md")
    return 0


def command(args):
    """As it is to be typed, wherever the sets are."""
    of = ["bench/.venv/bin/python", "bench/table2.py", "--data", "DIR"] if args.data else ["python3", "bench/table2.py", args.taxonomy]
    return of + [a for k in args.kernel for a in ("--kernel", k)] + ["--full"] * args.full


def plans(specs, full):
    """Name, kernels, metric."""
    specs = [normalised(s) for s in specs]
    names = [s.split("=", 1)[0] for s in specs]
    product = [*specs, "product=sum:" + "+".join(names)]
    for name, spec in zip(names, specs):
        yield name, [spec], "diagonal"
    yield "product", product, "diagonal"
    yield "all", specs, "kernel"
    yield "**all**", specs, "diagonal"
    if full:
        yield "product", product, "full"
        yield "**all**", specs, "full"


def normalised(spec):
    head, file = spec.split(":", 1)
    return spec if "normalise=" in head else f"{head},normalise=yes:{file}"


def fitted(tree, name, specs, metric, folder):
    kernels = [a for s in specs for a in ("--kernel", s)]
    got = run([NEARER, "embed", tree, *kernels, "--method", "kernel-partial-order", "--weights", metric, "--json", "--quiet", "-o",
               folder / "map.csv"], limit=3600)
    if got["code"] != 0:
        raise RuntimeError(got["err"].strip()[-300:])
    report = json.loads(got["out"])
    k, c = report["kernels"], report["certificate"]
    of = len(k["landmarks"]) * len(k["kernels"])
    weights = {"kernel": f"{sum(one['nonzero'] > 0 for one in k['kernels'])} of {len(k['kernels'])}",
               "diagonal": f"{sum(one['nonzero'] for one in k['kernels'])} of {of}", "full": ""}[metric]
    last = report["rounds"][-1]["rows"] if report.get("rounds") else ""
    line = [name, metric, f"{k['native']:.4f}", f"{k['learned']:.4f}", weights, f"{c['gap']:.0e}", f"{report['seconds']['fit']:.1f}"]
    print("  ", line, file=sys.stderr, flush=True)
    pairs = report["objects"] * (report["objects"] - 1) // 2
    return [*line, last - pairs if metric != "full" and last else "all"]


def coil(data, folder):
    import kernels_data

    labels, paths, kinds = kernels_data.coil_tree(Path(data))
    work = kernels_data.Work(folder)
    edges = sorted({("all", a) for a, _ in paths} | {p for p in paths} | {(p[1], label) for p, label in zip(paths, labels)})
    tree = work.rows("tree.csv", "parent,child", edges)
    return tree, [f"{name}={kind}:{work.table(f'{name}.csv', labels, x, name)}" for name, (kind, x) in kinds.items()]


if __name__ == "__main__":
    sys.exit(main())
