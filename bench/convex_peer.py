"""The instances of the convex bench, the general solvers and the prototypes on them; runs inside bench/.venv.

    convex_peer.py write WORKLOAD FILE                    the evidence as a file for `nearer embed`
    convex_peer.py run WORKLOAD PROGRAM SECONDS [ENGINE]  one JSON line: CPU seconds of the solve, objective, gap if told

ENGINE is a folder of prototypes, where somebody has them. Building the matrices and compiling are not timed; what is timed
is the call that solves.
"""
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import convex_instances as instances


def workload(name):
    """psde-162, gnmds-55-13049-1, mvu-400 or robust-500: the kind, the size, what else."""
    kind, n, *rest = name.split("-")
    return kind, int(n), [float(r) for r in rest]


def write(name, path):
    kind, n, rest = workload(name)
    with open(path, "wb" if kind == "robust" else "w") as f:
        if kind == "psde":
            near = instances.cylinder(n)
            f.write("from,to,label\n")
            for i in range(n):
                f.write("".join(f"o{i},o{j},{int(near[i, j] > 0)}\n" for j in range(i + 1, n)))
        elif kind == "gnmds":
            rows = instances.triplets(n, int(rest[0]))
            f.write("head,near,far\n" + "".join(f"o{h},o{a},o{b}\n" for h, a, _, b in rows))
        elif kind == "mvu":
            points, _, _ = instances.roll(n)
            f.write("id,x,y,z\n" + "".join(f"o{i},{x:.17g},{y:.17g},{z:.17g}\n" for i, (x, y, z) in enumerate(points)))
        else:
            np.save(f, np.sqrt(instances.outliers(n)[1]))


def timed(call):
    begin = time.process_time()
    got = call()
    return time.process_time() - begin, got


def general(program, kind, n, rest, limit):
    """SCS, Clarabel or CSDP on the whole program."""
    import convex_cones as cones
    if kind == "psde":
        asked = cones.Psde(n)
    elif kind == "gnmds":
        asked = cones.Gnmds(n, int(rest[0]), rest[1])
    else:
        asked = cones.Mvu(n)
    if program == "CSDP":
        return csdp(asked, limit)
    lower = program.startswith("SCS")
    cost, rows, right, linear = asked.cone(lower)
    if lower:
        import scs
        eps = 1e-5 if program.endswith("1e-5") else 1e-6

        def solve():
            solver = scs.SCS(dict(A=rows, b=right, c=cost), dict(l=linear, s=[asked.n]), eps_abs=eps, eps_rel=eps,
                             max_iters=1_000_000, time_limit_secs=limit, verbose=False)
            got = solver.solve()
            return got["x"], got["info"]["status"]
    else:
        import clarabel
        import scipy.sparse as sp

        def solve():
            over = [clarabel.NonnegativeConeT(linear), clarabel.PSDTriangleConeT(asked.n)]
            settings = clarabel.DefaultSettings()
            settings.verbose, settings.time_limit, settings.max_threads = False, float(limit), 1
            got = clarabel.DefaultSolver(sp.csc_matrix((len(cost), len(cost))), cost, rows, right, over, settings).solve()
            return np.array(got.x), str(got.status)
    cpu, (x, status) = timed(solve)
    gram = cones.matrix(x[:asked.n * (asked.n + 1) // 2], asked.n, lower)
    return dict(cpu=cpu, objective=asked.objective(gram), finished=status.lower() in ("solved", "almostsolved"), said=status)


def csdp(asked, limit):
    with tempfile.TemporaryDirectory() as folder:
        problem, answer = Path(folder) / "p.dat-s", Path(folder) / "p.out"
        asked.sdpa(problem)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(["timeout", str(limit), "csdp", problem, answer], capture_output=True, text=True, cwd=folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        # 0 is solved, 3 is solved to reduced accuracy.
        told = dict(cpu=cpu, finished=done.returncode in (0, 3), said=f"exit {done.returncode}",
                    peak=after.ru_maxrss * 1024)
        if answer.exists():
            told["objective"] = asked.objective(asked.answer(answer))
        return told


def prototype(program, kind, n, rest, limit):
    """A prototype, after a small solve that compiles it."""
    quiet = dict(verbose=0, tmax=limit)
    if kind == "psde":
        module = __import__("psde_ipm" if program.endswith("polished") else "psde_proto")
        module.solve(instances.cylinder(50), verbose=0, tmax=3)
        near = instances.cylinder(n)
        call = lambda: module.solve(near, gap=1e-5, **quiet)
    elif kind == "gnmds" and n < 100:
        import ipm_gspace as module
        module.solve(10, instances.triplets(10, 30), 1.0, verbose=0)
        rows, gamma = instances.triplets(n, int(rest[0])), rest[1]
        call = lambda: module.solve(n, rows, gamma, tol=1e-8, verbose=0)
    elif kind == "gnmds":
        import gnmds_dense as module
        module.solve(20, instances.triplets(20, 200), 0.3, verbose=0, tmax=2)
        rows, gamma = instances.triplets(n, int(rest[0])), rest[1]
        # Set by hand for this size by the author of the prototype.
        wide = dict(r=50, kadd=20) if n >= 1000 else {}
        call = lambda: module.solve(n, rows, gamma, gap=1e-5, **wide, **quiet)
    elif kind == "mvu":
        import mvu_ipm as module
        _, edges, squared = instances.roll(60)
        module.solve(60, edges, squared, verbose=0)
        _, edges, squared = instances.roll(n)
        call = lambda: module.solve(n, edges, squared, gap=1e-5, **quiet)
    else:
        import ree_proto as module
        module.solve(20, *instances.outliers(20), verbose=0, tmax=1)
        pairs, squared = instances.outliers(n)
        call = lambda: module.solve(n, pairs, squared, gap=1e-5, **quiet)
    cpu, got = timed(call)
    best = got["lb"] if kind == "mvu" else got["ub"]
    return dict(cpu=cpu, objective=float(best), gap=float(got["gap"]), finished=bool(got["gap"] <= 1e-5))


def main():
    task, name, what = sys.argv[1:4]
    if task == "write":
        return write(name, what)
    kind, n, rest = workload(name)
    if what.startswith("prototype"):
        sys.path.insert(0, sys.argv[5])
    solve = prototype if what.startswith("prototype") else general
    print(json.dumps(solve(what, kind, n, rest, float(sys.argv[4]))))


if __name__ == "__main__":
    main()
