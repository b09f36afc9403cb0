#!/usr/bin/env python3
"""Measures diagonal kernel weights (a linear program with generated rows) against general solvers on the full program.

    python3 bench/kernels.py [--quick] [--limit SECONDS]

The larger instance has 2,500 weights and 144,000 dense rows; what a general solver makes of it is told, not claimed.
"""
import argparse
import json
import shlex
import subprocess
import sys

import convex
import markdown
import setup_peers
from cells import HERE, NEARER, PYTHON
from groups import claim

CACHE = HERE / "cache"
GAP = 1e-5
# objects, kernels, comparisons, [(program, times faster)]; None: the ratio is told and nothing is claimed
FULL = [
    (100, 5, 2000, [("HiGHS dual simplex", 10), ("HiGHS interior point", None), ("CVXPY default", None)]),
    (500, 5, 20000, [("CVXPY default", None)]),
]
QUICK = [(50, 5, 500, [("HiGHS dual simplex", None), ("HiGHS interior point", None)])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small instance: a minute, nothing is claimed")
    parser.add_argument("--limit", type=float, default=300, help="seconds that a peer may take (300)")
    args = parser.parse_args()
    setup_peers.python()
    if not setup_peers.imports("cvxpy"):
        setup_peers.pip("cvxpy", check=True)
    setup_peers.build()
    lines, claims = [], []
    for size, kernels, count, peers in QUICK if args.quick else FULL:
        some, settled = measure(size, kernels, count, peers, args.limit)
        lines += some
        claims += settled
    pairs, machine = markdown.machine()
    text = "\n".join([
        "# Kernel weights: a linear program with generated rows", "",
        f"`{shlex.join(['python3', 'bench/kernels.py', *sys.argv[1:]])}`", "",
        "`kernel-partial-order --weights diagonal` over five kernels: a weight for each object in each kernel, a row for each",
        "pair of objects and each comparison. Same instances, same run, one thread each, every line alone in a fresh process.",
        "Ours is `seconds.fit` of `nearer embed --json --threads 1`, kernels and proof included; *whole* is the CPU time of the",
        "whole command. Of the peers only the call that solves the full program is timed, in CPU seconds. Under two seconds",
        f"the median of three counts. Peers stop at {args.limit:g} s or 12 GiB; where one did not finish the ratio is at least",
        "what is shown.",
        "", markdown.table(["", ""], pairs), "", "## Claims", "", markdown.claims(claims), "", "## Lines", "",
        convex.table(lines), ""])
    markdown.write(text, f"{markdown.today()}-{machine}-kernels{'-quick' if args.quick else ''}.md")
    return 1 if any(c["holds"] is False for c in claims) else 0


def measure(n, kernels, count, peers, limit):
    """Our line, those of the peers, and the claims."""
    name, size = f"kernels-{n}-{kernels}-{count}", [str(n), str(kernels), str(count)]
    folder = CACHE / name
    if not (folder / "comparisons.csv").exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([PYTHON, HERE / "kernels_peer.py", "write", *size, folder], check=True)
    us = ours(name, folder, n, kernels, count)
    lines, claims = [us], []
    if "error" not in us:
        claims.append(claim(f"{name}: certified gap", f"≤ {GAP:g}", f"{us['gap']:.1e}", us["gap"] <= GAP))
    for program, factor in peers:
        command = [PYTHON, HERE / "kernels_peer.py", "run", *size, program, limit]
        got, them = convex.repeated(name, program, command, lambda out: convex.told(out)["cpu"], limit=limit + 60)
        if "error" not in them:
            them = {**them, **convex.told(got["out"])}
        lines.append(them)
        if "error" in us or "error" in them:
            continue
        them["ratio"] = them["cpu"] / us["fit"]
        if them["finished"]:
            off = abs(them["objective"] - us["objective"]) / abs(us["objective"])
            claims.append(claim(f"{name}: the optimum of {program}", "within 1e-5", f"{off:.1e}", off <= 1e-5))
        if factor:
            shown = f"{them['ratio']:.1f} x" if them["finished"] else f"at least {them['ratio']:.1f} x"
            claims.append(claim(f"{name}: faster than {program}", f"≥ {factor} x", shown, them["ratio"] >= factor))
    return lines, claims


def ours(name, folder, n, kernels, count):
    # The same numbers as in the peer, by its formulas.
    slack, trace, bound = 10.0 * n * (n - 1) / 2 / count, 1.0, (4 * n + 1) * 4.0
    command = [NEARER, "embed", folder / "comparisons.csv", "--method", "kernel-partial-order", "--weights", "diagonal"]
    for k in range(kernels):
        command += ["--kernel", f"k{k}=rbf,width=1,normalise=yes:{folder / f'view{k}.csv'}"]
    command += ["--slack", repr(slack), "--trace", repr(trace), "--bound", repr(bound), "--gap", f"{GAP:g}",
                "--threads", "1", "--json", "-o", CACHE / "kernels-map.npy"]
    got, line = convex.repeated(name, "nearer", command, lambda out: json.loads(out)["seconds"]["fit"])
    if "error" in line:
        return line
    c = json.loads(got["out"])["certificate"]
    return dict(line, fit=line["time"], whole=got["cpu"], objective=c["primal"], gap=c["gap"], finished=c["gap"] <= GAP,
                said=c["proof"])


if __name__ == "__main__":
    sys.exit(main())
