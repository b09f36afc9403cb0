#!/usr/bin/env python3
"""Measures nearer against the peers, in one run on one machine, and writes the table.

    python3 bench/run.py [--quick] [--only classical,metric,…] [--data DIR] [--engine DIR] [--n 100,200]

Needs cargo and python3; makes bench/.venv, and installs R with MASS where it is missing and may be installed.
Groups: classical, metric, nonmetric, landmark, threads, growth, judgements, convex (with --engine beside its prototypes); with
--data reference and counts.
"""
import argparse
import shlex
import subprocess
import sys

import groups
import markdown
import setup_peers
from cells import HERE, PYTHON


def main():
    with_data = {"reference": "reference.py", "counts": "counts.py"}
    names = [*groups.GROUPS, "judgements", "convex", *with_data]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller sizes: a few minutes")
    parser.add_argument("--only", default=",".join(names), help="some of " + ", ".join(names))
    parser.add_argument("--data", help="the folder of reference_mds.csv, the matrices and the sets of judgements")
    parser.add_argument("--engine", help="a folder of prototypes of the convex engines")
    parser.add_argument("--n", default="", help="these sizes instead of the plan's, to see that everything runs")
    args = parser.parse_args()
    only = [g for g in args.only.split(",") if g]
    if unknown := set(only) - set(names):
        parser.error(f"unknown group {', '.join(sorted(unknown))}; there are {', '.join(names)}")

    setup_peers.everything(only)
    plan = groups.Plan(args.quick, [int(n) for n in args.n.split(",") if n])
    done = []
    for name in only:
        if name in groups.GROUPS:
            print(f"bench: {name}", file=sys.stderr)
            done.append((name, *groups.GROUPS[name](plan)))
    failed = False
    if done:
        given = [a if not a.startswith("/") else "DIR" for a in sys.argv[1:]]
        text, machine = markdown.page(done, shlex.join(["python3", "bench/run.py", *given]))
        kind = "-by-hand" if args.n else "-quick" if args.quick else ""
        markdown.write(text, f"{markdown.today()}-{machine}{kind}.md")
        failed = any(c["holds"] is False for _, _, claims in done for c in claims)
    if "judgements" in only:
        print("bench: judgements", file=sys.stderr)
        failed |= subprocess.run([PYTHON, HERE / "judgements.py", *["--quick"] * args.quick]).returncode != 0
    if "convex" in only:
        print("bench: convex", file=sys.stderr)
        more = [*(["--engine", args.engine] if args.engine else []), *["--quick"] * args.quick]
        failed |= subprocess.run([PYTHON, HERE / "convex.py", *more]).returncode != 0
    for name in [n for n in only if n in with_data]:
        if args.data:
            failed |= subprocess.run([PYTHON, HERE / with_data[name], "--data", args.data]).returncode != 0
        elif args.only != ",".join(names):
            parser.error(f"the group {name} needs --data DIR")
        else:
            print(f"bench: {name} is left out, it needs --data DIR", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
