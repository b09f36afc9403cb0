"""The instances of the convex bench, the general solvers and the prototypes on them; runs inside bench/.venv.

    convex_peer.py ENGINE write WORKLOAD FILE           the evidence as a file for `nearer embed`
    convex_peer.py ENGINE run WORKLOAD PROGRAM SECONDS  one JSON line: CPU seconds of the solve, objective, gap if told

ENGINE is a folder with instances.py (the generators), anchors.py (the cone forms) and the prototypes. Building the
matrices and compiling are not timed; what is timed is the call that solves.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ENGINE = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(ENGINE))
import instances  # noqa: E402


def workload(name):
    """psde-162, gnmds-55-13049-1, mvu-400 or robust-500: the kind, the size, what else."""
    kind, n, *rest = name.split("-")
    return kind, int(n), [float(r) for r in rest]


def triplets(n, rest):
    return instances.gnmds(n, int(rest[0]), seed=1), rest[1]


def write(name, path):
    kind, n, rest = workload(name)
    with open(path, "wb" if kind == "robust" else "w") as f:
        if kind == "psde":
            near = instances.psde_cyl(*instances.PSDE_SIZES[n])
            f.write("from,to,label\n")
            for i in range(n):
                f.write("".join(f"o{i},o{j},{int(near[i, j] > 0)}\n" for j in range(i + 1, n)))
        elif kind == "gnmds":
            rows, _ = triplets(n, rest)
            assert (rows[:, 0] == rows[:, 2]).all()
            f.write("head,near,far\n" + "".join(f"o{h},o{a},o{b}\n" for h, a, _, b in rows))
        elif kind == "mvu":
            points, _, _ = instances.swiss(n)
            f.write("id,x,y,z\n" + "".join(f"o{i},{x:.17g},{y:.17g},{z:.17g}\n" for i, (x, y, z) in enumerate(points)))
        else:
            _, squared = instances.ree(n)
            np.save(f, np.sqrt(squared))


def timed(call):
    begin = time.process_time()
    got = call()
    return time.process_time() - begin, got


def general(program, kind, n, rest, limit):
    """SCS, Clarabel or CSDP on the whole program; CSDP also round by round with the rows that are broken."""
    import anchors
    if program == "CSDP, rows generated":
        env = {**os.environ, "TL": str(limit)}
        done = subprocess.run([sys.executable, ENGINE / "psde_cg_anchor.py", "csdp", str(n)], env=env, cwd=ENGINE,
                              capture_output=True, text=True)
        rounds = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        if not rounds:
            raise RuntimeError(done.stderr.strip()[-200:])
        last = rounds[-1]
        return dict(cpu=last["cpu"], objective=last["obj"], finished=last["nviol"] == 0, peak=last["rss"] * 2**20)
    form = {"psde": "psde", "gnmds": "gnmds", "mvu": "mvui"}[kind]
    if kind == "psde":
        inst = anchors.rows_psde(n, *instances.PSDE_SIZES[n])
    elif kind == "gnmds":
        rows, gamma = triplets(n, rest)
        inst = (n, rows, gamma)
    else:
        inst = (n, *instances.swiss(n)[1:])
    if program == "CSDP":
        return csdp(anchors, form, inst, n, limit)
    lower = program.startswith("SCS")
    size, count, c, a, b, zero, cone = anchors.cone_problem(form, inst, lower)
    if lower:
        import scs
        eps = 1e-5 if program.endswith("1e-5") else 1e-6

        def solve():
            solver = scs.SCS(dict(A=a, b=b, c=c), dict(z=zero, l=cone, s=[size]), eps_abs=eps, eps_rel=eps,
                             max_iters=1_000_000, time_limit_secs=limit, verbose=False)
            got = solver.solve()
            return got["x"], got["info"]["status"]
    else:
        import clarabel
        import scipy.sparse as sp

        def solve():
            cones = [clarabel.ZeroConeT(zero)] if zero else []
            cones += [clarabel.NonnegativeConeT(cone), clarabel.PSDTriangleConeT(size)]
            settings = clarabel.DefaultSettings()
            settings.verbose, settings.time_limit, settings.max_threads = False, float(limit), 1
            got = clarabel.DefaultSolver(sp.csc_matrix((len(c), len(c))), c, a, b, cones, settings).solve()
            return np.array(got.x), str(got.status)
    cpu, (x, status) = timed(solve)
    seen = anchors.evaluate(form, inst, anchors.unsvec(x[:count], size, lower))
    return dict(cpu=cpu, objective=seen["obj"], finished=status.lower() in ("solved", "almostsolved"), said=status)


def csdp(anchors, form, inst, n, limit):
    with tempfile.TemporaryDirectory() as folder:
        problem, answer = Path(folder) / "p.dat-s", Path(folder) / "p.out"
        if form == "mvui":
            anchors.write_mvua_P(problem, *inst, ineq=True)
        else:
            {"psde": anchors.write_psde_P, "gnmds": anchors.write_gnmds_P}[form](problem, *inst)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(["timeout", str(limit), "csdp", problem, answer], capture_output=True, text=True, cwd=folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        # 0 is solved, 3 is solved to reduced accuracy.
        told = dict(cpu=cpu, finished=done.returncode in (0, 3), said=f"exit {done.returncode}",
                    peak=after.ru_maxrss * 1024)
        if answer.exists():
            told["objective"] = anchors.evaluate(form, inst, anchors.read_csdp_G(answer, n - (form == "mvui")))["obj"]
        return told


def prototype(program, kind, n, rest, limit):
    """A prototype, after a small solve that compiles it."""
    quiet = dict(verbose=0, tmax=limit)
    if kind == "psde":
        module = __import__("psde_ipm" if program.endswith("polished") else "psde_proto")
        module.solve(instances.psde_cyl(10, 5), verbose=0, tmax=3)
        near = instances.psde_cyl(*instances.PSDE_SIZES[n])
        call = lambda: module.solve(near, gap=1e-5, **quiet)
    elif kind == "gnmds" and n < 100:
        import ipm_gspace as module
        module.solve(10, instances.gnmds(10, 30), 1.0, verbose=0)
        rows, gamma = triplets(n, rest)
        call = lambda: module.solve(n, rows, gamma, tol=1e-8, verbose=0)
    elif kind == "gnmds":
        import gnmds_dense as module
        module.solve(20, instances.gnmds(20, 200), 0.3, verbose=0, tmax=2)
        rows, gamma = triplets(n, rest)
        # Set by hand for this size by the author of the prototype.
        wide = dict(r=50, kadd=20) if n >= 1000 else {}
        call = lambda: module.solve(n, rows, gamma, gap=1e-5, **wide, **quiet)
    elif kind == "mvu":
        import mvu_ipm as module
        _, edges, squared = instances.swiss(60)
        module.solve(60, edges, squared, verbose=0)
        _, edges, squared = instances.swiss(n)
        call = lambda: module.solve(n, edges, squared, gap=1e-5, **quiet)
    else:
        import ree_proto as module
        module.solve(20, *instances.ree(20), verbose=0, tmax=1)
        pairs, squared = instances.ree(n)
        call = lambda: module.solve(n, pairs, squared, gap=1e-5, **quiet)
    cpu, got = timed(call)
    best = got["lb"] if kind == "mvu" else got["ub"]
    return dict(cpu=cpu, objective=float(best), gap=float(got["gap"]), finished=bool(got["gap"] <= 1e-5))


def main():
    task, name, what = sys.argv[2:5]
    if task == "write":
        return write(name, what)
    kind, n, rest = workload(name)
    solve = prototype if what.startswith("prototype") else general
    print(json.dumps(solve(what, kind, n, rest, float(sys.argv[5]))))


if __name__ == "__main__":
    main()
