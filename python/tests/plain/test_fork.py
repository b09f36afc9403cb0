"""A process that was forked off one that has fitted already."""

import multiprocessing
import subprocess
import sys

import pytest

CHILD = """
import multiprocessing as mp, numpy as np, nearer
P = np.random.default_rng(0).normal(size=(60, 3)); D = np.linalg.norm(P[:, None] - P[None], axis=-1)
def job(k): return nearer.embed(D, method="metric-mds", random_state=k, n_jobs=2).points.tobytes()
if __name__ == "__main__":
    here = [job(0), job(1)]
    with mp.get_context("fork").Pool(2) as pool:
        print(pool.map_async(job, range(2)).get(60) == here, job(0) == here[0])
"""


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_a_forked_child_fits_after_its_parent_did():
    done = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["True", "True"], done.stderr
