"""The results as one Markdown page: the machine, the claims, the lines behind them."""
import datetime
import os
import platform
import subprocess
import sys
from pathlib import Path

from cells import NEARER, PYTHON, ROOT, has_r, run

QUALITY = {"strain": "strain", "stress": "stress-1 (best scale)", "kruskal": "Kruskal stress-1",
           "landmark": "off the formula"}


def today():
    return datetime.date.today().isoformat()


def machine():
    """What it ran on: pairs of a name and a value, and a short name for the file."""
    info = Path("/proc/cpuinfo")
    text = info.read_text() if info.exists() else ""
    cpu = next((line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith("model name")),
               platform.processor() or platform.machine())
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    pairs = [("date", today()), ("processor", cpu), ("cores", str(cores)), ("memory", f"{memory:.0f} GiB"),
             ("system", f"{distribution()}, Linux {platform.release().split('-')[0]}"),
             ("nearer", said([NEARER, "--version"]) + " at " + said(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"])),
             ("rustc", said(["rustc", "--version"])), ("python", platform.python_version())]
    versions = ("import importlib.metadata as m\nfor p in ('numpy','scipy','scikit-learn','tapkee'):\n"
                " try: print(p, m.version(p), end='  ')\n except Exception: pass")
    pairs.append(("packages", said([PYTHON, "-c", versions])))
    if has_r():
        pairs.append(("R", said(["Rscript", "-e", 'cat(R.version.string, "MASS", as.character(packageVersion("MASS")), '
                                 '"BLAS", basename(extSoftVersion()["BLAS"]))'])))
    floor = run(["true"])["peak"] / 1e6
    pairs.append(("memory floor", f"{floor:.0f} MB: no peak below the size of the starting process can be seen"))
    word = "".join(c if c.isalnum() else "-" for c in cpu.lower().replace("(r)", "").replace("(tm)", ""))
    return pairs, "-".join(p for p in word.split("-") if p)[:40].strip("-") + f"-{cores}core"


def distribution():
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return platform.system()


def said(command):
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
        return done.stdout.strip() or done.stderr.strip().splitlines()[-1] if done.returncode == 0 else "?"
    except (FileNotFoundError, IndexError):
        return "?"


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
                     + ["| " + " | ".join(str(c) for c in r) + " |" for r in rows])


def verdict(holds):
    return {True: "yes", False: "**no**", None: "not run"}[holds]


def claims(lines):
    return table(["claim", "wanted", "measured", "holds?"],
                 [[c["claim"], c["wanted"], c["measured"], verdict(c["holds"])] for c in lines])


def cells(lines):
    """The lines of a group; `x` is the time of a line over ours of the same size."""
    quality = next((q for c in lines for q in QUALITY if q in c), None)
    base = {(c["method"], c["n"]): c["fit"] for c in reversed(lines) if c["program"] == "nearer" and "error" not in c}
    rows = []
    for c in lines:
        if "error" in c:
            rows.append([c["n"], c["program"], c["error"], "", "", ""] + [""] * bool(quality))
            continue
        us = base.get((c["method"], c["n"]))
        judged = [f"{c[quality]:.3g}" if quality == "landmark" else f"{c[quality]:.7f}"] if c.get(quality) is not None else [""]
        rows.append([f"{c['n']:,}", c["program"] if quality else f"{c['method']}, {c['program']}", f"{c['fit']:.4g}",
                     f"{c['fit'] / us:.2f}" if us else "", f"{c['peak'] / 1e6:.0f}", c["iterations"] or ""]
                    + judged * bool(quality))
    judge = [QUALITY[quality]] if quality else []
    return table(["n", "program", "fit s", "x ours", "peak MB", "iterations", *judge], rows)


def page(groups, how):
    pairs, name = machine()
    parts = ["# Measured against the peers", "", f"`{how}`", "",
             "Same data, same run, one thread each unless said, every line alone in a fresh process. Time is the fit",
             "alone (reading and writing files is not in it); where it is under two seconds, the median of three. Peak",
             "memory is that of the whole process, interpreter and input included. The last column is computed by the",
             "same numpy code for all, from the coordinates.", "", table(["", ""], pairs), "", "## Claims", "",
             claims([c for _, _, cs in groups for c in cs]), ""]
    for title, lines, _ in groups:
        parts += [f"## {title}", "", cells(lines), ""]
    return "\n".join(parts), name


def write(text, name):
    folder = Path(__file__).resolve().parent / "results"
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(text + "\n")
    print(text)
    print(f"\nbench: written to bench/results/{name}", file=sys.stderr)
