#!/usr/bin/env python3
"""Measures what `nearer check` and `nearer clean --reduce` take on comparisons, beside networkx on the same graph.

    python3 bench/judgements.py [--quick]

Answers are triplets about random points in three dimensions, a tenth of them wrong where it says noisy. Needs networkx,
which it installs into bench/.venv if no interpreter at hand has it.
"""
import argparse
import json
import random
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import markdown
import setup_peers
from cells import HERE, LIMIT, NEARER, PYTHON, last_line, run
from groups import claim, slope

CACHE = HERE / "cache"
# answers, objects: pairs grow with the answers, then a set whose answers make one large knot
CHECK = [(125_000, 707), (250_000, 1000), (500_000, 1414), (1_000_000, 2000)]
KNOT = (1_000_000, 500)
# distinct comparisons without a contradiction, objects
REDUCE = [(12_500, 50), (25_000, 71), (50_000, 100), (100_000, 142)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the answers: a minute or two")
    quick = parser.parse_args().quick
    scale = 10 if quick else 1
    setup_peers.build()
    CACHE.mkdir(exist_ok=True)
    peer = python_with_networkx()
    small = lambda sizes: [(count // scale, round(n / scale**0.5)) for count, n in sizes]

    checks = [line for size in small(CHECK) for line in check(peer, *size)]
    knot = check(peer, *small([KNOT])[0])
    reductions = [line for size in small(REDUCE) for line in reduce(peer, *size)]
    claims = [*check_claims(checks, scale), *check_claims(knot, scale, growth=False), *reduce_claims(reductions, scale)]

    pairs, name = markdown.machine()
    pairs.append(("networkx", markdown.said([peer, "-c", "import networkx; print(networkx.__version__)"])))
    text = "\n".join([
        "# Comparisons: merged, checked, reduced", "", f"`{shlex.join(['python3', 'bench/judgements.py', *sys.argv[1:]])}`", "",
        "Every line is a fresh process on one thread, and seconds are those of the whole process: reading the file is in",
        "it. `nearer check` also tries two repairs, bounds the noise and counts what is implied; networkx reads, merges,",
        "finds contradictions and strongly connected components, and in the lower table reduces: the column *task* is",
        "the time of just that. networkx takes unit margins; ours are all 1, so both reductions must be the same.", "",
        markdown.table(["", ""], pairs), "", "## Claims", "", markdown.claims(claims), "",
        "## Check, a tenth of the answers wrong", "", table(checks), "",
        "## Check, one large knot", "", table(knot), "", "## Reduction of a consistent graph", "", table(reductions), ""])
    markdown.write(text, f"{markdown.today()}-{name}-judgements{'-quick' if quick else ''}.md")
    return 1 if any(c["holds"] is False for c in claims) else 0


def check(peer, count, n):
    """`nearer check` and networkx on noisy answers."""
    path = answers(count, n, noise=0.1, distinct=False)
    ours = timed("nearer check", count, n, [NEARER, "check", path, "--json", "--threads", "1"])
    if "error" not in ours:
        report = json.loads(ours.pop("out"))
        ours.update(contradictions=report["contradictory"], knots=report["cycles"]["components"], task=None)
    return [ours, peer_line(peer, "check", count, n, path)]


def reduce(peer, count, n):
    """`nearer clean --reduce` and networkx on answers without noise."""
    path = answers(count, n, noise=0.0, distinct=True)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "reduced.csv"
        ours = timed("nearer clean --reduce", count, n,
                     [NEARER, "clean", path, "-o", out, "--reduce", "--json", "--threads", "1"])
        if "error" not in ours:
            # Counted in the file that was written, not as the program says.
            ours.update(left=sum(1 for _ in open(out)) - 1, task=None)
            del ours["out"]
    return [ours, peer_line(peer, "reduce", count, n, path)]


def peer_line(peer, task, count, n, path):
    theirs = timed("networkx", count, n, [peer, HERE / "judgements_peer.py", task, path])
    if "error" not in theirs:
        theirs.update(json.loads(theirs.pop("out").strip().splitlines()[-1]))
    return theirs


def timed(program, count, n, command):
    print(f"  {program} {count:,} answers, {n} objects …", end="", file=sys.stderr, flush=True)
    line = dict(program=program, count=count, n=n)
    runs = []
    while not runs or (runs[0]["wall"] < 2 and len(runs) < 3):
        got = run(command)
        if got["code"] != 0:
            why = f"too slow, stopped at {LIMIT} s" if got["code"] is None else last_line(got["err"], got["code"])
            print(f" {why}", file=sys.stderr)
            return dict(line, error=why)
        runs.append(got)
    runs.sort(key=lambda r: r["wall"])
    middle = runs[len(runs) // 2]
    print(f" {middle['wall']:.3g} s", file=sys.stderr)
    return dict(line, wall=middle["wall"], peak=max(r["peak"] for r in runs), out=middle["out"])


def check_claims(lines, scale, growth=True):
    ours, theirs = lines[-2:]
    if "error" in ours:
        return [claim(f"check of {ours['count']:,} answers", "runs", ours["error"], False)]
    about = f"{ours['count']:,} answers, {ours['n']:,} objects"
    seen = f"{ours['wall']:.2f} s, {ours['peak'] / 2**20:.0f} MiB"
    limit, top = (10, 1024) if growth else (60, 1024)
    claims = [claim(f"check of {about}", f"≤ {limit / scale:g} s, ≤ {top} MiB", seen,
                    ours["wall"] <= limit / scale and ours["peak"] <= top * 2**20)]
    if "error" not in theirs:
        same = all(ours[k] == theirs[k] for k in ("contradictions", "knots"))
        said = "; ".join(f"{k} {ours[k]} and {theirs[k]}" for k in ("contradictions", "knots"))
        claims.append(claim(f"check of {about}: counts are networkx's", "equal", said, same))
    good = [c for c in lines if c["program"].startswith("nearer") and "error" not in c]
    if growth and len(good) > 1:
        power = slope([(c["count"], c["wall"]) for c in good])
        claims.append(claim(f"check: time against answers, {good[0]['count']:,} to {good[-1]['count']:,}",
                            "at most N^1.3", f"N^{power:.2f}", power <= 1.3))
    return claims


def reduce_claims(lines, scale):
    ours, theirs = lines[-2:]
    if "error" in ours:
        return [claim(f"reduction of {ours['count']:,} comparisons", "runs", ours["error"], False)]
    claims = [claim(f"reduction of {ours['count']:,} comparisons, {ours['n']} objects", f"≤ {60 / scale:g} s",
                    f"{ours['wall']:.2f} s, {ours['peak'] / 2**20:.0f} MiB", ours["wall"] <= 60 / scale)]
    both = [(a, b) for a, b in zip(lines[::2], lines[1::2]) if "error" not in a and "error" not in b]
    if both:
        a, b = both[-1]
        claims.append(claim(f"reduction of {a['count']:,}: whole command against networkx's reduction alone", "≥ 1 x",
                            f"{b['task'] / a['wall']:.1f} x", b["task"] >= a["wall"]))
        claims.append(claim("reductions leave as many comparisons as networkx", "equal",
                            "; ".join(f"{a['left']:,} and {b['left']:,}" for a, b in both),
                            all(a["left"] == b["left"] for a, b in both)))
    good = [c for c in lines if c["program"].startswith("nearer") and "error" not in c]
    if len(good) > 1:
        power = slope([(c["count"], c["wall"]) for c in good])
        claims.append(claim(f"reduction: time against comparisons, {good[0]['count']:,} to {good[-1]['count']:,}",
                            "at most N^2", f"N^{power:.2f}", power <= 2))
    return claims


def table(lines):
    rows = []
    for c in lines:
        if "error" in c:
            rows.append([f"{c['count']:,}", c["n"], c["program"], c["error"], "", "", ""])
            continue
        said = ", ".join(f"{c[k]:,} {k}" for k in ("contradictions", "knots", "left") if c.get(k) is not None)
        task = f"{c['task']:.3g}" if c.get("task") is not None else ""
        rows.append([f"{c['count']:,}", c["n"], c["program"], f"{c['wall']:.3g}", task, f"{c['peak'] / 1e6:.0f}", said])
    return markdown.table(["answers", "objects", "program", "whole s", "task s", "peak MB", "found"], rows)


def answers(count, n, noise, distinct):
    """A seeded file `head,near,far` of triplets, written once."""
    path = CACHE / f"triplets-{count}-{n}-{noise:g}{'-distinct' if distinct else ''}.csv"
    if path.exists():
        return path
    rng = random.Random(f"{count} {n} {noise}")
    points = [[rng.gauss(0, 1) for _ in range(3)] for _ in range(n)]
    square = lambda a, b: sum((x - y) ** 2 for x, y in zip(points[a], points[b]))
    seen, rows = set(), []
    while len(rows) < count:
        head, a, b = rng.sample(range(n), 3)
        near, far = (a, b) if square(head, a) < square(head, b) else (b, a)
        if rng.random() < noise:
            near, far = far, near
        if distinct:
            if (head, near, far) in seen:
                continue
            seen.add((head, near, far))
        rows.append(f"o{head},o{near},o{far}\n")
    part = path.with_suffix(".part")
    part.write_text("head,near,far\n" + "".join(rows))
    part.rename(path)
    return path


def python_with_networkx():
    has = lambda python: subprocess.run([python, "-c", "import networkx"], capture_output=True).returncode == 0
    for python in (PYTHON, sys.executable):
        if Path(python).exists() and has(python):
            return python
    setup_peers.python()
    setup_peers.pip("networkx", check=True)
    return PYTHON


if __name__ == "__main__":
    sys.exit(main())
