#!/usr/bin/env python3
"""Measures kpsde against its prototype, and how the kernel methods grow with objects, basis, kernels and rows.

    python3 bench/kpsde.py --engine DIR [--quick]

DIR holds instances.py and kpsde_proto.py. The instance is a cylinder of views, 18 x 9 or 36 x 18, an eighth of them left out,
with an rbf kernel over 20 features that bend it; slack and trace are the same for both. The objects of the basis are drawn at
random by each.
"""
import argparse
import json
import shlex
import subprocess
import sys
from pathlib import Path

import convex
import markdown
import setup_peers
from cells import HERE, NEARER, PYTHON
from groups import claim, slope

CACHE = HERE / "cache"
GAP, TRACE, SLACK = 1e-5, 1e-3, 0.05
# around, along, basis, times faster than the prototype
FULL = [(18, 9, 100, 2), (36, 18, 200, 10)]
QUICK = [(12, 6, 30, None)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", required=True, help="the folder of instances.py and kpsde_proto.py")
    parser.add_argument("--quick", action="store_true", help="a small instance, nothing is claimed")
    args = parser.parse_args()
    engine = Path(args.engine).resolve()
    setup_peers.python()
    if not setup_peers.imports("numba"):
        setup_peers.pip("numba", check=True)
    setup_peers.build()
    CACHE.mkdir(exist_ok=True)
    convex.one_thread(CACHE)
    lines, claims = [], []
    for around, along, basis, factor in QUICK if args.quick else FULL:
        name = f"kpsde-{around}x{along}-{basis}"
        folder = write(engine, around, along, basis)
        us = ours(name, folder, basis)
        command = [PYTHON, Path(__file__), "peer", engine, around, along, basis]
        got, them = convex.repeated(name, "prototype", command, lambda out: convex.told(out)["cpu"], limit=900)
        lines += [us, {**them, **convex.told(got["out"])} if "error" not in them else them]
        claims.append(claim(f"{name}: certified gap", f"≤ {GAP:g}", f"{us['gap']:.1e}", us["gap"] <= GAP))
        if "error" not in them:
            ratio = lines[-1]["ratio"] = lines[-1]["cpu"] / us["fit"]
            if factor:
                claims.append(claim(f"{name}: faster than the prototype", f"≥ {factor} x", f"{ratio:.1f} x", ratio >= factor))
    growth = [] if args.quick else grown(engine)
    pairs, machine = markdown.machine()
    text = "\n".join([
        "# KPSDE against its prototype, and how kernel methods grow", "",
        f"`{shlex.join(['python3', 'bench/kpsde.py', '--engine', 'DIR', *['--quick'] * args.quick])}`", "",
        "Same instances, same run, one thread each, every line alone in a fresh process. Ours is `seconds.fit` of",
        "`nearer embed --json --threads 1`, kernel and proof included; of the prototype the call that solves, in CPU seconds,",
        "compiled before. Under two seconds the median of three counts.", "",
        markdown.table(["", ""], pairs), "", "## Claims", "", markdown.claims(claims), "", "## Lines", "",
        convex.table(lines), "", *growth])
    markdown.write(text, f"{markdown.today()}-{machine}-kpsde{'-quick' if args.quick else ''}.md")
    return 1 if any(c["holds"] is False for c in claims) else 0


def write(engine, around, along, basis):
    folder = CACHE / f"kpsde-{around}x{along}-{basis}"
    if not (folder / "pairs.csv").exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([PYTHON, Path(__file__), "write", engine, str(around), str(along), str(basis), folder], check=True)
    return folder


def ours(name, folder, basis):
    about = json.loads((folder / "about.json").read_text())
    command = [NEARER, "embed", folder / "pairs.csv", "--method", "kpsde", "--basis", basis, "--trace", repr(TRACE), "--slack",
               repr(SLACK / about["n"]), "--kernel", f"k=rbf,centre=no,width={about['width']!r}:{folder / 'features.csv'}", "--gap",
               f"{GAP:g}", "--threads", "1", "--json", "-o", CACHE / "kpsde-map.npy"]
    got, line = convex.repeated(name, "nearer", command, lambda out: json.loads(out)["seconds"]["fit"])
    if "error" in line:
        raise RuntimeError(line["error"])
    c = json.loads(got["out"])["certificate"]
    return dict(line, fit=line["time"], whole=got["cpu"], objective=c["primal"], gap=c["gap"], finished=c["gap"] <= GAP,
                said=c["proof"])


def grown(engine):
    """Our own times against one thing at a time."""
    rows = []
    for what, sizes in [("objects, basis 60", [(12, 9, 60), (18, 9, 60), (36, 9, 60), (36, 18, 60)]),
                        ("basis, 567 objects", [(36, 18, 50), (36, 18, 100), (36, 18, 200), (36, 18, 400)])]:
        points = []
        for around, along, basis in sizes:
            folder = write(engine, around, along, basis)
            n = json.loads((folder / "about.json").read_text())["n"]
            points.append((n if what.startswith("objects") else basis, ours(f"kpsde-{n}-{basis}", folder, basis)["fit"]))
        rows.append(["kpsde", what, ", ".join(f"{x}: {t:.2f} s" for x, t in points), f"{slope(points):.2f}"])
    import kernels
    for what, sizes in [("objects, 5 kernels, 5,000 comparisons", [(50, 5, 5000), (100, 5, 5000), (200, 5, 5000)]),
                        ("kernels, 100 objects, 5,000 comparisons", [(100, 2, 5000), (100, 5, 5000), (100, 10, 5000)]),
                        ("comparisons, 100 objects, 5 kernels", [(100, 5, 2000), (100, 5, 10000), (100, 5, 50000)])]:
        points = []
        for k, (n, count, rows_) in enumerate(sizes):
            folder = CACHE / f"kernels-{n}-{count}-{rows_}"
            if not (folder / "comparisons.csv").exists():
                folder.mkdir(parents=True, exist_ok=True)
                subprocess.run([PYTHON, HERE / "kernels_peer.py", "write", str(n), str(count), str(rows_), folder], check=True)
            x = (n, count, rows_)[("objects", "kernels", "comparisons").index(what.split(",")[0].split(" ")[0])]
            points.append((x, kernels.ours(f"kernels-{n}-{count}-{rows_}", folder, n, count, rows_)["fit"]))
        rows.append(["kernel-partial-order, diagonal", what, ", ".join(f"{x}: {t:.2f} s" for x, t in points),
                     f"{slope(points):.2f}"])
    return ["## Growth", "", "Seconds of the fit; the last column is the power of what grows that fits best.", "",
            markdown.table(["method", "against", "seconds", "power"], rows), ""]


def instance(engine, around, along, basis):
    """The instance of the prototype's own main, with the features kept."""
    import numpy as np

    sys.path.insert(0, str(engine))
    from instances import psde_cyl

    s = psde_cyl(around, along)
    n = len(s)
    angle, high = np.repeat(np.arange(around), along) * 2 * np.pi / around, np.tile(np.arange(along), around) / along
    rng = np.random.default_rng(0)
    bent = [np.cos(angle), np.sin(angle), np.cos(2 * angle), np.sin(3 * angle) * high, high, high * high]
    f = np.stack(bent, 1) @ rng.standard_normal((6, 20)) + 0.1 * rng.standard_normal((n, 20))
    squared = ((f[:, None] - f[None]) ** 2).sum(2)
    middle = float(np.median(squared))
    some = np.sort(rng.choice(n, max(n - n // 8, basis), replace=False))
    chosen = np.sort(rng.choice(len(some), min(basis, len(some)), replace=False))
    kernel = np.exp(-squared / middle)[np.ix_(some, some)]
    return s[np.ix_(some, some)], kernel, f[some], chosen, middle


def inside(task, engine, around, along, basis, *rest):
    """What runs inside bench/.venv: writing an instance, or the prototype on it."""
    s, kernel, f, chosen, middle = instance(engine, int(around), int(along), int(basis))
    n = len(s)
    if task == "write":
        folder = Path(rest[0])
        rows = [f"o{i},o{j},{int(s[i, j] > 0)}" for i in range(n) for j in range(i + 1, n) if s[i, j] != 0]
        (folder / "features.csv").write_text("id," + ",".join(f"f{k}" for k in range(20)) + "\n" + "".join(
            f"o{i}," + ",".join(repr(float(v)) for v in row) + "\n" for i, row in enumerate(f)))
        (folder / "about.json").write_text(json.dumps(dict(n=n, width=(middle / 2) ** 0.5)))
        (folder / "pairs.csv").write_text("from,to,label\n" + "\n".join(rows) + "\n")
        return
    import kpsde_proto

    kpsde_proto.solve(s, kernel, chosen, TRACE, SLACK, verbose=0, tmax=0.5)
    got = kpsde_proto.solve(s, kernel, chosen, TRACE, SLACK, verbose=0, gap=GAP, tmax=300)
    print(json.dumps(dict(cpu=float(got["cpu"]), objective=float(got["ub"]), gap=float(got["gap"]),
                          finished=bool(got["gap"] <= GAP))))


if __name__ == "__main__":
    if sys.argv[1:2] in (["write"], ["peer"]):
        sys.exit(inside(*sys.argv[1:]))
    sys.exit(main())
