#!/usr/bin/env python3
"""Two builds of the command side by side: CPU seconds of every method on the instances of threads.py.

    python3 bench/versions.py OLD NEW [--objects 600] [--only gnmds,mvu] [--repeats 5] [--allowed 1.10]

Needs nothing but python3. Both run in turn on one thread, a fresh process each time; the least of the repeats counts, for what
disturbs a run only makes it longer. The whole process is counted, reading and writing too. The exit code is 1 where the new build
takes more than the allowed share of the old one's time, and at least a twentieth of a second more.
"""
import argparse
import json
import sys
import tempfile
from pathlib import Path

import markdown
from cells import run
from threads import RUNS, instances, parted


def seconds(binary, folder, method):
    """CPU seconds of a run and what it told; none if it failed."""
    files, flags = parted(RUNS[method])
    words = [str(folder / f) for f in files]
    # A kernel names its file behind a colon.
    flags = [f"{f.split(':')[0]}:{folder / f.split(':')[1]}" if f.endswith(".csv") else f for f in flags]
    done = run([binary, "embed", *words, "-m", method, *flags, "--seed", "3", "--threads", "1", "--json",
                "-o", folder / "map.csv"])
    return (done["cpu"], json.loads(done["out"])) if done["code"] == 0 else (None, done["err"].strip()[-200:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old"), parser.add_argument("new")
    parser.add_argument("--objects", type=int, default=600)
    parser.add_argument("--only", default="", help="some methods")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--allowed", type=float, default=1.10, help="of the old build's time")
    args = parser.parse_args()
    only = [m for m in args.only.split(",") if m] or list(RUNS)
    slower, lines = [], []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        instances(folder, args.objects)
        for method in only:
            best, told = [float("inf")] * 2, [None, None]
            for k in range(args.repeats):
                for side, binary in enumerate((args.old, args.new)):
                    cpu, told[side] = seconds(binary, folder, method)
                    best[side] = min(best[side], float("inf") if cpu is None else cpu)
                # What takes long is little disturbed.
                if min(best) > 10 or None in told:
                    break
            if max(best) == float("inf"):
                lines.append(f"| {method} | | | | failed: {[t for t in told if isinstance(t, str)]} |")
                slower.append(method)
                continue
            ratio = best[1] / best[0]
            late = ratio > args.allowed and best[1] - best[0] > 0.05
            slower += [method] * late
            stop = " / ".join(dict.fromkeys(str(t.get("stop")) for t in told))
            lines.append(f"| {method} | {best[0]:.2f} | {best[1]:.2f} | {'**' * late}{ratio:.2f}{'**' * late} | {stop} |")
            print(lines[-1], file=sys.stderr)
    text = "\n".join([
        "# Two builds side by side", "",
        f"`python3 bench/versions.py OLD NEW --objects {args.objects}`, {markdown.today()}. CPU seconds of a whole process on one thread,",
        f"the least of up to {args.repeats}.", "",
        "| method | old | new | new / old | stop |", "|---|---|---|---|---|", *lines, "",
        f"More than {args.allowed:.2f} of the old build's time: {', '.join(slower) or 'none'}.", ""])
    print(text)
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
