#!/usr/bin/env python3
"""Measures the convex methods against general solvers and against the prototypes, in one run on one machine.

    python3 bench/convex.py [--quick] [--only psde,gnmds,mvu,robust] [--limit SECONDS] [--engine DIR]

The instances are made here, from seeds (convex_instances.py). SCS and Clarabel come from PyPI into bench/.venv, CSDP from the
distribution where it may be installed. DIR holds the prototypes that the engines grew out of, for those who have them.
"""
import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import markdown
import setup_peers
from cells import HERE, NEARER, PYTHON, last_line, run
from groups import claim, slope

CACHE = HERE / "cache"
# What the command is asked, by kind; refinement in the dimensions of the map is no part of the comparison.
FLAGS = {
    "psde": ["--method", "psde"],
    "gnmds": ["--method", "gnmds", "--refine", "no"],
    "mvu": ["--method", "mvu", "--kind", "features", "--neighbours", "6"],
    "robust": ["--method", "robust-mds", "--kind", "condensed", "--refine", "no"],
}
SUFFIX = {"psde": "csv", "gnmds": "csv", "mvu": "csv", "robust": "npy"}
# workload, the gap that is asked of us, [(program, times faster)]; None: the ratio is told and nothing is claimed
FULL = [
    ("psde-162", 1e-5, [("SCS 1e-6", 40), ("prototype", None)]),
    ("psde-2000", 1e-5, [("prototype", 2), ("prototype, polished", 2)]),
    ("gnmds-55-13049-1", 1e-8, [("SCS 1e-6", 5), ("Clarabel", 10), ("prototype", None)]),
    ("gnmds-500-100000-0.025", 1e-5, [("SCS 1e-5", 25), ("prototype", None)]),
    ("gnmds-1000-1000000-0.0112", 1e-5, [("prototype", 2)]),
    ("mvu-400", 1e-5, [("CSDP", 50), ("prototype", None)]),
    ("mvu-1000", 1e-5, [("prototype", 2)]),
    ("mvu-5000", 1e-5, [("prototype", 2)]),
    ("mvu-20000", 1e-5, [("prototype", 2)]),
    ("robust-500", 1e-5, [("prototype", 2)]),
    ("robust-1000", 1e-5, [("prototype", None)]),
]
QUICK = [
    ("psde-50", 1e-5, [("SCS 1e-6", None), ("prototype", None)]),
    ("gnmds-30-1000-1", 1e-8, [("SCS 1e-6", None), ("Clarabel", None), ("prototype", None)]),
    ("gnmds-100-5000-0.1", 1e-5, [("SCS 1e-5", None), ("prototype", None)]),
    ("mvu-100", 1e-5, [("CSDP", None), ("prototype", None)]),
    ("mvu-200", 1e-5, [("prototype", None)]),
    ("robust-60", 1e-5, [("prototype", None)]),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", help="a folder of prototypes; without it their lines are left out")
    parser.add_argument("--quick", action="store_true", help="small instances: a few minutes, nothing is claimed")
    parser.add_argument("--only", default="psde,gnmds,mvu,robust", help="some of psde, gnmds, mvu, robust")
    parser.add_argument("--limit", type=float, default=300, help="seconds that a peer may take (300)")
    args = parser.parse_args()
    engine = Path(args.engine).resolve() if args.engine else None
    if engine and not (engine / "psde_proto.py").exists():
        parser.error(f"{engine} has no psde_proto.py")
    setup(engine)
    limit = 60 if args.quick else args.limit
    lines, claims = [], []
    for name, gap, peers in QUICK if args.quick else FULL:
        if name.split("-")[0] in args.only.split(","):
            some, settled = measure(engine, name, gap, peers, limit)
            lines += some
            claims += settled
    claims += growth(lines)
    pairs, machine = markdown.machine()
    pairs.append(("solvers", solvers()))
    given = [a if not a.startswith(("/", "..")) else "DIR" for a in sys.argv[1:]]
    text = "\n".join([
        "# Convex programs: proved optima against general solvers and prototypes", "",
        f"`{shlex.join(['python3', 'bench/convex.py', *given])}`", "",
        "Same instances, same run, one thread each, every line alone in a fresh process. Ours is `seconds.fit` of",
        "`nearer embed --json --threads 1`, proof included, reading the file not; *whole* is the CPU time of the whole",
        "command. Of the peers only the call that solves is timed, in CPU seconds: building their matrices and compiling",
        "the prototypes is not in it. Under two seconds the median of three counts. Peers stop at",
        f"{limit:g} s; where one did not finish the ratio is at least what is shown. Peak memory is that of the whole",
        "process. General solvers prove nothing: their objective is recomputed from their matrix, which may break rows a",
        "little. cvxpy would call the same SCS and Clarabel after building the same matrices, so they are called directly.",
        "", markdown.table(["", ""], pairs), "", "## Claims", "", markdown.claims(claims), "", "## Lines", "",
        table(lines), ""])
    markdown.write(text, f"{markdown.today()}-{machine}-convex{'-quick' if args.quick else ''}.md")
    return 1 if any(c["holds"] is False for c in claims) else 0


def measure(engine, name, gap, peers, limit):
    """Our line, those of the peers, and the claims."""
    us = ours(name, workload(name), gap)
    lines, claims = [us], []
    if "error" not in us:
        claims.append(claim(f"{name}: certified gap", f"≤ {gap:g}", f"{us['gap']:.1e}", us["gap"] <= gap))
    for program, factor in peers:
        if program.startswith("prototype") and engine is None:
            continue
        if program.startswith("CSDP") and shutil.which("csdp") is None:
            claims.append(claim(f"{name}: faster than {program}", f"≥ {factor} x", "not run: CSDP is not there", None))
            continue
        them = peer(engine, name, program, limit)
        lines.append(them)
        if "error" in us or "error" in them:
            if factor:
                claims.append(claim(f"{name}: faster than {program}", f"≥ {factor} x", "not run", None))
            continue
        ratio = them["cpu"] / us["fit"]
        them["ratio"] = ratio
        shown = f"{ratio:.1f} x" if them["finished"] else f"at least {ratio:.1f} x, it did not finish"
        if factor:
            claims.append(claim(f"{name}: faster than {program}", f"≥ {factor} x", shown, ratio >= factor))
    return lines, claims


def workload(name):
    """The file of an instance, which is made if it is not there."""
    evidence = CACHE / f"convex-{name}.{SUFFIX[name.split('-')[0]]}"
    if not evidence.exists():
        CACHE.mkdir(exist_ok=True)
        part = evidence.with_suffix(".part")
        subprocess.run([PYTHON, HERE / "convex_peer.py", "write", name, part], check=True)
        part.rename(evidence)
    return evidence


def asked(name, evidence, gap):
    """What `embed` is asked: the method and how far."""
    kind = name.split("-")[0]
    slack = ["--slack", name.split("-")[-1]] if kind == "gnmds" else []
    return [evidence, *FLAGS[kind], *slack, "--gap", f"{gap:g}"]


def ours(name, evidence, gap):
    command = [NEARER, "embed", *asked(name, evidence, gap), "--certified", f"{gap:g}", "--threads", "1",
               "--json", "-o", CACHE / "convex-map.npy"]
    got, line = repeated(name, "nearer", command, lambda out: json.loads(out)["seconds"]["fit"], also=(1,))
    if "error" in line:
        return line
    report = json.loads(got["out"])
    c = report["certificate"]
    return dict(line, fit=line["time"], whole=got["cpu"], objective=c["primal"], gap=c["gap"], rank=c["rank"],
                finished=c["gap"] <= gap, said=c["proof"])


def peer(engine, name, program, limit):
    command = [PYTHON, HERE / "convex_peer.py", "run", name, program, limit, *filter(None, [engine])]
    # The limit is the peer's own; beside it there are imports, the instance and compiling.
    got, line = repeated(name, program, command, lambda out: told(out)["cpu"], limit=4 * limit + 300)
    if "error" in line:
        return line
    return {**line, "cpu": line["time"], **{k: v for k, v in told(got["out"]).items() if k != "cpu"}}


def told(out):
    return json.loads(out.strip().splitlines()[-1])


def repeated(name, program, command, seconds, also=(), limit=3600):
    """Once, or thrice where it is quick: the run in the middle, and the beginning of a line."""
    print(f"  {name} {program} …", end="", file=sys.stderr, flush=True)
    line, runs = dict(name=name, program=program), []
    while not runs or (runs[0]["time"] < 2 and len(runs) < 3):
        got = run(command, limit=limit)
        if got["code"] not in (0, *also) or not got["out"].strip():
            why = f"stopped at {limit:g} s" if got["code"] is None else last_line(got["err"], got["code"])
            print(f" {why}", file=sys.stderr)
            return got, dict(line, error=why)
        runs.append(dict(got, time=seconds(got["out"])))
    runs.sort(key=lambda r: r["time"])
    middle = runs[len(runs) // 2]
    print(f" {middle['time']:.4g} s", file=sys.stderr)
    return middle, dict(line, time=middle["time"], peak=max(r["peak"] for r in runs))


def growth(lines):
    """How our time for unfolding grows with n."""
    some = [(int(c["name"].split("-")[1]), c["fit"]) for c in lines
            if c["program"] == "nearer" and c["name"].startswith("mvu-") and "error" not in c]
    some = [p for p in some if p[0] >= 1000] or some
    if len(some) < 2:
        return []
    power = slope(some)
    return [claim(f"mvu: fit time against n, {some[0][0]:,} to {some[-1][0]:,}", "below n^1.5", f"n^{power:.2f}", power < 1.5)]


def table(lines):
    rows = []
    for c in lines:
        if "error" in c:
            rows.append([c["name"], c["program"], c["error"], "", "", "", "", ""])
            continue
        state = c.get("said", "") if c["finished"] else f"**not finished** {c.get('said', '')}".strip()
        rows.append([c["name"], c["program"], f"{c['time']:.4g}" + (f" (whole {c['whole']:.4g})" if "whole" in c else ""),
                     f"{c['ratio']:.1f}" if "ratio" in c else "", f"{c['peak'] / 1e6:.0f}",
                     f"{c['objective']:.9g}" if c.get("objective") is not None else "",
                     f"{c['gap']:.1e}" if c.get("gap") is not None else "", state])
    return markdown.table(["instance", "program", "CPU s", "x ours", "peak MB", "objective", "gap", "said"], rows)


def setup(engine):
    setup_peers.python()
    wanted = ["scs", "clarabel", *(["numba"] if engine else [])]
    if not setup_peers.imports(*wanted):
        setup_peers.pip(*wanted, check=True)
    if shutil.which("csdp") is None and shutil.which("apt-get") and os.geteuid() == 0:
        setup_peers.say("installing CSDP")
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["apt-get", "update", "--quiet"], ["apt-get", "install", "--yes", "--quiet", "coinor-csdp"]):
            subprocess.run(command, env=env, capture_output=True)
    if shutil.which("csdp") is None:
        setup_peers.say("CSDP could not be installed; its lines are left out")
    setup_peers.build()
    CACHE.mkdir(exist_ok=True)
    one_thread(CACHE)


def one_thread(cache):
    """Peers compute on one thread, and what they compile is kept."""
    os.environ["NUMBA_CACHE_DIR"] = str(cache / "numba")
    for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"


def solvers():
    code = ("import importlib.metadata as m\nfor p in ('scs','clarabel','numba'):\n"
            " try: print(p, m.version(p), end='  ')\n except Exception: pass")
    csdp = "CSDP " + markdown.said(["dpkg-query", "-W", "-f", "${Version}", "coinor-csdp"])
    return markdown.said([PYTHON, "-c", code]) + "  " + (csdp if shutil.which("csdp") else "no CSDP")


if __name__ == "__main__":
    sys.exit(main())
