#!/usr/bin/env python3
"""Whether what is said about time and memory is so: `--time-limit`, and the costs that `nearer check` tells.

    python3 bench/clock.py [--limit 5] [--objects 1500] [--sizes 150,600] [--only gnmds,mvu] [--binary PATH]

Needs nothing but python3 and cargo. Two tables: every method at a size where it takes longer than the limit, with the seconds it then
took (reading and writing included; kept means within a fifth of the limit plus one second); and every method that `check` tells a
cost of, with what then happened (CPU seconds and peak memory less that of a process with nothing to do). The exit code is 1 where a
limit is not kept or a cost is off by more than a factor of three; costs below a second or below 20 MB are shown, not judged.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import markdown
from cells import ROOT, run
from threads import RUNS, parted

# What a method needs to be run at all; else its defaults, which are what `check` tells the costs of.
NEEDED = {"--dim", "--kernel", "--kind", "--classes", "--over"}
# Other ways of a method, whose limits are tried as well.
ALSO = {"kernel-partial-order": ["--slack", "1", "--weights", "diagonal"], "psde": ["--slack", "1"], "mmc": ["--form", "diagonal"]}
SMALL_SECONDS, SMALL_BYTES = 1.0, 20e6


def asked(method, folder):
    """The files and the flags without which the method cannot be run; what keeps a run short is left out."""
    files, rest = parted(RUNS[method])
    pairs = [(name, value.replace(":", f":{folder}/")) for name, value in zip(rest[::2], rest[1::2]) if name in NEEDED]
    return [folder / f for f in files], [w for pair in pairs for w in pair]


def instances(folder, n):
    """Made in a process of its own: a child's peak memory is never seen below that of the process that started it."""
    make = f"import pathlib, threads; threads.instances(pathlib.Path({str(folder)!r}), {n})"
    subprocess.run([sys.executable, "-c", make], cwd=Path(__file__).parent, check=True)


def limits(binary, folder, methods, limit):
    lines, failed = [], []
    ways = [(method, []) for method in methods] + [(m, also) for m, also in ALSO.items() if m in methods]
    for method, also in ways:
        name = " ".join([method, *(f"`{w}`" if w.startswith("--") else w for w in also)])
        print(f"bench: {name} within {limit} s", file=sys.stderr)
        files, rest = asked(method, folder)
        many = ["--starts", "200"] if method in ("metric-mds", "nonmetric-mds", "sstress") else []
        clock = ["--time-limit", str(limit), "--threads", "1", "--json", "-q"]
        done = run([binary, "embed", *files, "-m", method, *rest, *also, *many, *clock], limit=20 * limit + 60)
        told = json.loads(done["out"]) if done["code"] in (0, 1) and done["out"].startswith("{") else {}
        stop = told.get("stop", f"exit {done['code']}: {(done['err'].strip().splitlines() or [''])[-1][:80]}")
        kept = done["wall"] <= 1.2 * limit + 1
        needed = "did not need it" if done["wall"] < limit else "yes" if kept else "**no**"
        lines.append(f"| {name} | {told.get('objects', '')} | {stop} | {done['wall']:.1f} | {needed} |")
        failed += [] if kept and told else [f"{name}: {stop}, {done['wall']:.1f} s"]
    return lines, failed


def told_by_check(binary, files, rest):
    """What `check` tells of each method that takes these files as they are given."""
    done = run([binary, "check", *files, *rest, "--json", "-q"])
    if done["code"] != 0:
        return {}
    found = json.loads(done["out"])
    return {cost["method"]: cost for part in (found, found.get("together") or {}) for cost in part.get("methods", [])}


def costs(binary, folder, methods, n, idle):
    lines, failed = [], []
    for method in methods:
        files, rest = asked(method, folder)
        reading = [w for pair in zip(rest[::2], rest[1::2]) if pair[0] in ("--kernel", "--kind", "--classes") for w in pair]
        cost = told_by_check(binary, files, reading).get(method)
        if cost is None:
            lines.append(f"| {method} | {n} | | | | | **not told** |")
            failed.append(f"{method} at {n}: `check` tells nothing of it")
            continue
        print(f"bench: what {method} costs at {n}", file=sys.stderr)
        done = run([binary, "embed", *files, "-m", method, *rest, "--threads", "1", "--json", "-q"], limit=300)
        if done["code"] not in (0, 1):
            why = "more than 300 s" if done["code"] is None else (done["err"].strip().splitlines() or [""])[-1][:100]
            lines.append(f"| {method} | {n} | | | | | {why} |")
            failed += [f"{method} at {n}: {why}"] if done["code"] is not None or (cost.get("seconds") or 0) < 100 else []
            continue
        bytes_ = max(done["peak"] - idle, 1e6)
        seconds = cost.get("seconds")
        said_s = f"{seconds:.1f}" if seconds else "less than 1"
        time_off = max(seconds or SMALL_SECONDS, SMALL_SECONDS) / max(done["cpu"], SMALL_SECONDS)
        memory_off = max(cost["memory"], SMALL_BYTES) / max(bytes_, SMALL_BYTES)
        good = all(1 / 3 <= off <= 3 for off in (time_off, memory_off))
        lines.append(f"| {method} | {n} | {said_s} | {done['cpu']:.1f} | {cost['memory'] / 1e6:.1f} | {bytes_ / 1e6:.1f} | {'yes' if good else '**no**'} |")
        failed += [] if good else [f"{method} at {n}: {said_s} s said, {done['cpu']:.1f} taken; {cost['memory'] / 1e6:.0f} MB said, {bytes_ / 1e6:.0f} held"]
    return lines, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=float, default=5)
    parser.add_argument("--objects", type=int, default=1500, help="for the limits")
    parser.add_argument("--sizes", default="150,600", help="for the costs")
    parser.add_argument("--only", default="", help="some methods")
    parser.add_argument("--binary", help="the command, if it is not to be built")
    args = parser.parse_args()
    binary = args.binary or str(ROOT / "target/release/nearer")
    if not args.binary:
        subprocess.run(["cargo", "build", "--release", "-p", "nearer-cli"], cwd=ROOT, check=True)
    known = [m["name"] for m in json.loads(subprocess.run([binary, "methods", "--json"], capture_output=True, check=True).stdout)]
    methods = [m for m in args.only.split(",") if m] or known
    idle = run([binary, "--version"])["peak"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        instances(folder, args.objects)
        kept, failed = limits(binary, folder, methods, args.limit)
        costly = []
        for n in map(int, filter(None, args.sizes.split(","))):
            instances(folder, n)
            lines, wrong = costs(binary, folder, methods, n, idle)
            costly += lines
            failed += wrong
    text = "\n".join([
        "# Time limits and told costs", "",
        f"`python3 bench/clock.py --limit {args.limit:g} --objects {args.objects} --sizes {args.sizes}`, {markdown.today()}, one thread.", "",
        f"## `--time-limit {args.limit:g}` (kept: within {1.2 * args.limit + 1:g} s, reading and writing included)", "",
        "| method | objects | stop | seconds | kept |", "|---|---|---|---|---|", *kept, "",
        "## What `nearer check` tells, and what then happens", "",
        "| method | objects | seconds told | CPU seconds | MB told | MB held | within a factor of 3 |", "|---|---|---|---|---|---|---|", *costly, "",
        *(["Not so:", *(f"- {f}" for f in failed)] if failed else ["All kept."]), ""])
    print(text)
    if not args.only:
        markdown.write(text, f"{markdown.today()}-clock.md")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
