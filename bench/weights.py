#!/usr/bin/env python3
"""Weight programs at the size of the experiment they exist for, beside HiGHS on the same program.

    python3 bench/weights.py [--data DIR] [--rows 3000,10000,30000] [--all] [--limit SECONDS]

100 objects in a tree of two levels, five kinds of features; all comparisons of the tree are 237,000, of which some are drawn.
Without DIR the features are made here; with it they are those of COIL-20 (the folder coil20 of DIR). `--all` takes all comparisons
too. HiGHS gets the linear program with the distances as unknowns, without which it would not fit into memory; what it does not
finish in time is told, and our bound is held against what it has. A claim that does not hold ends with 1.
"""
import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import markdown
import setup_peers
from cells import HERE, NEARER, PYTHON, run
from groups import claim

EVERY = 237000
NEAR = 1e-5
# What is asked, and what the peer solves: flags, its name there.
PROGRAMS = [("kernel-partial-order", ["--weights", "diagonal"], "order"), ("svm-metric", ["--form", "trace"], "trace")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="the folder of the sets")
    parser.add_argument("--rows", default="3000,10000,30000", help="how many comparisons, several times")
    parser.add_argument("--all", action="store_true", help="all comparisons too")
    parser.add_argument("--limit", type=float, default=900, help="seconds that HiGHS may take (900)")
    args = parser.parse_args()
    setup_peers.python()
    setup_peers.build()
    counts = [int(v) for v in args.rows.split(",")] + ([EVERY] if args.all else [])
    lines, claims = [], []
    with tempfile.TemporaryDirectory() as folder:
        for count in counts:
            subprocess.run([PYTHON, HERE / "weights_peer.py", "write", str(count), folder, *([args.data] if args.data else [])],
                           check=True)
            for method, flags, program in PROGRAMS:
                some, settled = measure(method, flags, program, count, Path(folder), args.limit)
                lines += some
                claims += settled
    pairs, machine = markdown.machine()
    source = "COIL-20" if args.data else "made here"
    text = "\n".join([
        "# Weight programs beside HiGHS", "", f"`{shlex.join(['python3', 'bench/weights.py', *('DIR' if a == args.data else a for a in sys.argv[1:])])}`", "",
        f"100 objects, 500 weights (features: {source}); every pair of objects and every comparison is a row. Ours: `seconds.fit`",
        "of `nearer embed --json --threads 1`. HiGHS: CPU seconds of its interior-point method with crossover, distances as",
        "unknowns. *Off*: how far our objective is from theirs, as a share of it; *wrong side*: by how much our bound passes it.", "",
        markdown.table(["", ""], pairs), "", "## Claims", "", markdown.claims(claims), "", "## Lines", "",
        markdown.table(["method", "comparisons", "program", "seconds", "objective", "bound", "gap", "off", "said"], lines), ""])
    markdown.write(text, f"{markdown.today()}-{machine}-weights{'-coil' if args.data else ''}.md")
    return 1 if any(c["holds"] is False for c in claims) else 0


def measure(method, flags, program, count, folder, limit):
    command = [NEARER, "embed", folder / "tree.csv", "--method", method, *flags, "--gap", "1e-6", "--threads", "1", "--json", "--quiet",
               "-o", folder / "map.csv"]
    for kernel in json.loads((folder / "kernels.json").read_text()):
        command += ["--kernel", kernel]
    got = run(command, limit=3600)
    name = f"{method}, {count} comparisons"
    if got["code"] != 0:
        return [[method, count, "nearer", "", "", "", "", "", got["err"].strip()[-120:]]], [claim(name, "an answer", "none", False)]
    report = json.loads(got["out"])
    c, used = report["certificate"], report["settings"] | report.get("resolved", {})
    # What is not proved is absent.
    ours, bound, gap = c["primal"], c.get("bound", float("nan")), c.get("gap", float("inf"))
    asked = [str(used["slack"]), str(used.get("trace", 0)), str(used.get("bound", 0))]
    them = run([PYTHON, HERE / "weights_peer.py", "run", program, str(count), folder, *asked, str(limit)], limit=2 * limit + 120)
    line = [method, count, "nearer", f"{report['seconds']['fit']:.2f}", f"{ours:.8g}", f"{bound:.8g}", f"{gap:.1e}"]
    claims = [claim(f"{name}: certified gap", "≤ 1e-4", f"{gap:.1e}", gap <= 1e-4)]
    if them["code"] != 0:
        return [[*line, "", report["stop"]], [method, count, "HiGHS", "", "", "", "", "", them["err"].strip()[-120:]]], claims
    peer = json.loads(them["out"].strip().splitlines()[-1])
    other = [method, count, "HiGHS", f"{peer['cpu']:.1f}", "" if peer["objective"] is None else f"{peer['objective']:.8g}", "", "", "",
             peer["said"]]
    if peer["finished"]:
        # What their weights attain, which a row broken by a tolerance cannot make better than it is.
        best = peer["attained"]
        off = abs(ours - best) / abs(best)
        wrong = (best - bound if c["sense"] == "maximise" else bound - best) / abs(best)
        claims.append(claim(f"{name}: the optimum of HiGHS", f"within {NEAR:g}", f"{off:.1e}", off <= NEAR))
        # HiGHS is good to its own tolerance of 1e-7.
        claims.append(claim(f"{name}: bound on the right side", "≤ 1e-7", f"{wrong:.1e}", wrong <= 1e-7))
        line += [f"{off:.1e}"]
    else:
        line += [""]
    return [[*line, report["stop"]], other], claims


if __name__ == "__main__":
    sys.exit(main())
