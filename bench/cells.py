"""Running one program alone in a fresh process on one workload, and what it cost.

Nothing here imports numpy: a child's peak memory as the system counts it is never less than that of the process that
started it, so the one that starts them stays small.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PYTHON = HERE / ".venv" / "bin" / "python"
NEARER = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "nearer"
LIMIT = 600

ONE_THREAD = {k: "1" for k in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")}

# What the command is asked, method by method. Everything else is its default.
NEARER_FLAGS = {
    "classical-mds": [],
    # One start, as the peers have. Our eps is a share of stress over three steps, theirs a share of the data in one: of
    # 1e-6, 1e-5 and 1e-4, tried on these data, the last ends nearest below scikit-learn's stress, at every size.
    "metric-mds": ["--starts", "1", "--eps", "1e-4", "--max-iter", "300"],
    "nonmetric-mds": ["--starts", "1"],
    "landmark-mds": [],
}


def run(command, limit=LIMIT):
    """The exit code, stdout, stderr, wall and CPU seconds and peak memory (bytes) of a command; the code is None if too slow."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begin = time.perf_counter()
        child = subprocess.Popen([str(c) for c in command], stdout=out, stderr=err, env={**os.environ, **ONE_THREAD})
        late = threading.Event()
        timer = threading.Timer(limit, lambda: (late.set(), child.kill()))
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - begin
        out.seek(0), err.seek(0)
        scale = 1 if sys.platform == "darwin" else 1024
        return dict(code=None if late.is_set() else child.returncode, out=out.read().decode(errors="replace"),
                    err=err.read().decode(errors="replace"), wall=wall, peak=usage.ru_maxrss * scale,
                    cpu=usage.ru_utime + usage.ru_stime)


def workload(kind, n):
    """The path of a seeded workload, made in a process of its own."""
    made = subprocess.run([PYTHON, HERE / "workloads.py", kind, str(n)], check=True, capture_output=True, text=True)
    return Path(made.stdout.strip())


def cell(program, method, kind, n, quality, threads=1, repeat=True):
    """One line of the table: `program` on the workload, the median of three where a fit takes under two seconds."""
    evidence = workload(kind, n)
    label = program if threads == 1 else f"{program}, {threads} threads"
    result = dict(program=label, method=method, n=n, input=evidence.stat().st_size)
    print(f"  {method} n={n} {label} …", end="", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "map.npy"
        runs = []
        while not runs or (repeat and runs[0]["fit"] < 2 and len(runs) < 3):
            got = run(command(program, method, evidence, out, threads))
            if got["code"] != 0:
                why = f"too slow, stopped at {LIMIT} s" if got["code"] is None else last_line(got["err"], got["code"])
                print(f" {why}", file=sys.stderr)
                return dict(result, error=why)
            runs.append(dict(got, **figures(program, got["out"])))
        runs.sort(key=lambda r: r["fit"])
        middle = runs[len(runs) // 2]
        if program.startswith("R "):
            to_npy(out.with_suffix(".bin"), out)
        result.update(fit=middle["fit"], wall=middle["wall"], peak=max(r["peak"] for r in runs), runs=len(runs),
                      iterations=middle.get("iterations"), bytes=out.read_bytes() if program == "nearer" else None)
        if quality:
            judged = run([PYTHON, HERE / "quality.py", quality, evidence, out])
            result[quality] = json.loads(judged["out"])[quality] if judged["code"] == 0 else None
    print(f" {result['fit']:.4g} s", file=sys.stderr)
    return result


def command(program, method, evidence, out, threads):
    if program == "nearer":
        return [NEARER, "embed", evidence, "--method", method, "--dim", "2", "--threads", threads, "--json", "-o", out,
                *NEARER_FLAGS[method]]
    if program.startswith("R "):
        return ["Rscript", HERE / "peers.R", program.split()[-1], evidence, out.with_suffix(".bin")]
    return [PYTHON, HERE / "peer.py", program, evidence, out]


def figures(program, out):
    """Fit seconds and iterations from what the program printed."""
    report = json.loads(out if program == "nearer" else out.strip().splitlines()[-1])
    if program == "nearer":
        return dict(fit=report["seconds"]["fit"], iterations=report.get("iterations") or None)
    return report


def to_npy(raw, out):
    """R wrote n x 2 doubles row by row; the same as .npy."""
    code = "import sys, numpy as np; np.save(sys.argv[2], np.fromfile(sys.argv[1]).reshape(-1, 2))"
    subprocess.run([PYTHON, "-c", code, raw, out], check=True)


def last_line(text, code):
    lines = [line for line in text.splitlines() if line.strip()]
    return f"exit {code}: {lines[-1][:160]}" if lines else f"exit {code}"


def has_r():
    return shutil.which("Rscript") is not None
