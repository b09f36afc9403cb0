#!/usr/bin/env python3
"""Two builds of the command side by side: the time of every method's fit, and of the whole process, on the instances of threads.py.

    python3 bench/versions.py OLD NEW [--objects 600] [--only gnmds,mvu] [--seeds 5] [--repeats 3] [--allowed 1.10]
    python3 bench/versions.py OLD NEW --rows         the workloads of run.py and convex.py instead, method by method

Needs nothing but python3, and numpy and scipy in bench/.venv for the rows. Both run in turn on one thread, a fresh process each time. The fit is `seconds.fit` of `--json`, as in all
rows of this folder; the process is its CPU time, of which most is reading where a square of distances is read as text. Of
each seed the least of the repeats counts, for what disturbs a run only makes it longer; the seeds are added up, for a descent from other
starts takes other steps. The exit code is 1 where the new build's fits take more than the allowed share of the old one's time, and at least
a twentieth of a second more.
"""
import argparse
import json
import sys
import tempfile
from pathlib import Path

import convex
import markdown
from cells import NEARER_FLAGS, run, workload
from threads import RUNS, instances, parted


# The rows of run.py with the sizes that it measures, and those of convex.py.
ROWS = [
    *[("classical-mds", n) for n in (500, 2000, 5000)],
    *[("metric-mds", n) for n in (200, 1000, 2000, 5000)],
    *[("nonmetric-mds", n) for n in (200, 1000, 2000)],
    *["psde-162", "psde-2000", "gnmds-55-13049-1", "gnmds-500-100000-0.025", "mvu-400", "mvu-1000", "mvu-5000", "robust-500"],
]


def instance(method, folder):
    """What `embed` is asked on an instance of threads.py."""
    files, flags = parted(RUNS[method])
    # A kernel names its file behind a colon.
    flags = [f"{f.split(':')[0]}:{folder / f.split(':')[1]}" if f.endswith(".csv") else f for f in flags]
    return [*(str(folder / f) for f in files), "-m", method, *flags]


def row(case):
    """The name of a row, and what `embed` is asked there."""
    if isinstance(case, tuple):
        method, n = case
        return f"{method} {n}", [workload("distances", n), "-m", method, *NEARER_FLAGS[method]]
    return case, convex.asked(case, convex.workload(case), 1e-5)


def seconds(binary, folder, asked, seed):
    """Seconds of the fit and CPU seconds of the process, and why it stopped; the last words alone if it failed."""
    done = run([binary, "embed", *asked, "--seed", seed, "--threads", "1", "--json", "-o", folder / "map.csv"])
    if done["code"] != 0:
        return done["err"].strip()[-200:]
    told = json.loads(done["out"])
    return told["seconds"]["fit"], done["cpu"], told["stop"]


def both(args, folder, asked):
    """The sums over all seeds, old and new, of fits and processes, and all stops; the last words if one failed."""
    sums, stops = [[0.0, 0.0], [0.0, 0.0]], {}
    for seed in range(1, args.seeds + 1):
        least = [[float("inf")] * 2, [float("inf")] * 2]
        for _ in range(args.repeats):
            for side, binary in enumerate((args.old, args.new)):
                got = seconds(binary, folder, asked, seed)
                if isinstance(got, str):
                    return got, None
                least[side] = [min(pair) for pair in zip(least[side], got)]
                stops[got[2]] = None
            # What takes long is little disturbed.
            if least[0][1] > 10:
                break
        for side in (0, 1):
            sums[side] = [total + more for total, more in zip(sums[side], least[side])]
    return sums, " / ".join(stops)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old"), parser.add_argument("new")
    parser.add_argument("--objects", type=int, default=600)
    parser.add_argument("--only", default="", help="some methods, or some rows by how their names begin")
    parser.add_argument("--rows", action="store_true", help="the workloads of run.py and convex.py")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--allowed", type=float, default=1.10, help="of the time of the old build's fits")
    args = parser.parse_args()
    only = [m for m in args.only.split(",") if m]
    slower, lines = [], []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if args.rows:
            named = lambda case: case if isinstance(case, str) else case[0]
            cases = [row(case) for case in ROWS if not only or named(case).startswith(tuple(only))]
        else:
            instances(folder, args.objects)
            cases = [(method, instance(method, folder)) for method in only or RUNS]
        for name, asked in cases:
            sums, stops = both(args, folder, asked)
            if stops is None:
                lines.append(f"| {name} | | | | | | | failed: {sums} |")
                slower.append(name)
                continue
            (fit, process), (new_fit, new_process) = sums
            late = new_fit > args.allowed * fit and new_fit - fit > 0.05
            slower += [name] * late
            cells = [f"{fit:.3f}", f"{new_fit:.3f}", f"{'**' * late}{new_fit / fit:.2f}{'**' * late}",
                     f"{process:.2f}", f"{new_process:.2f}", f"{new_process / process:.2f}", stops]
            lines.append(f"| {name} | {' | '.join(cells)} |")
            print(lines[-1], file=sys.stderr)
    what = "--rows" if args.rows else f"--objects {args.objects}"
    text = "\n".join([
        "# Two builds side by side", "",
        f"`python3 bench/versions.py OLD NEW {what} --seeds {args.seeds} --repeats {args.repeats}`, {markdown.today()}. Seconds on one thread, the",
        f"sum over {args.seeds} seeds of the least of up to {args.repeats} runs.", "",
        "| method | fits, old | new | new / old | processes, old | new | new / old | stop |",
        "|---|---|---|---|---|---|---|---|", *lines, "",
        f"Fits of more than {args.allowed:.2f} of the old build's time: {', '.join(slower) or 'none'}.", ""])
    print(text)
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
