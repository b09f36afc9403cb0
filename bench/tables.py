"""Tables against SciPy and vegan, in one run: seconds of user time, one thread, best of three.

    python3 bench/tables.py path/to/nearer        (needs numpy and scipy; Rscript with vegan for the second part)

Prints markdown for bench/results.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy.spatial.distance import pdist

nearer = os.path.abspath(sys.argv[1])
rng = np.random.default_rng(1)


def user(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime, after.ru_maxrss / 1024, done


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    print("| what | peer, s | nearer, s | ratio |\n|---|---|---|---|")
    x = rng.poisson(rng.gamma(0.5, 4.0, size=(5000, 500))).astype(float)
    x[:, 0] += 1
    np.save("x.npy", x)
    for ours, theirs in [("bray-curtis", "braycurtis"), ("euclidean", "euclidean"), ("canberra", "canberra"), ("jensen-shannon", "jensenshannon")]:
        peer = []
        for _ in range(2):
            start = time.process_time()
            wanted = pdist(x, theirs)
            peer.append(time.process_time() - start)
        own = min(user([nearer, "distances", "x.npy", "--measure", ours, "-o", "d.npy", "--threads", "1", "-q"])[0] for _ in range(2))
        found = np.load("d.npy", mmap_mode="r")
        worst = np.abs(found[0, 1:] - wanted[:4999]).max()
        print(f"| {ours}, 5000 x 500, largest difference {worst:.1e} | {min(peer):.2f} | {own:.2f} | {min(peer) / own:.1f} |")
    n = 400
    y = rng.poisson(rng.gamma(0.5, 4.0, size=(n, 40)))
    np.savetxt("y.csv", np.column_stack([np.arange(1, n + 1), y]), fmt="%d", delimiter=",", header="id," + ",".join(f"s{k}" for k in range(40)), comments="")
    with open("g.csv", "w") as f:
        f.write("id,g\n" + "".join(f"{i + 1},g{i % 5}\n" for i in range(n)))
    r = ("suppressMessages(library(vegan)); x <- read.csv('y.csv', row.names = 1); g <- factor(read.csv('g.csv')$g); d <- vegdist(x);"
         "t <- function(e) { s <- system.time(force(e)); s[['user.self']] };"
         "a <- t(adonis2(d ~ g, permutations = 999)); b <- t(anosim(d, g, permutations = 999));"
         "c <- t(permutest(betadisper(d, g), permutations = 999)); cat(a, b, c)")
    parts = [float(v) for v in user(["Rscript", "-e", r])[2].stdout.split()]
    own, _, done = user([nearer, "groups", "y.csv", "--measure", "bray", "--by", "g", "--metadata", "g.csv", "--threads", "1", "--json", "-q"])
    f = json.loads(done.stdout)["permanova"]["f"]
    print(f"| adonis2 + anosim + betadisper, n = {n}, 999 shuffles (F {f:.4f}) | {sum(parts):.2f} | {own:.2f} | {sum(parts) / own:.1f} |")
    big = rng.poisson(1.0, size=(20000, 30)).astype(np.float64) + 1
    np.save("big.npy", big)
    seconds, peak, _ = user([nearer, "distances", "big.npy", "--measure", "bray", "-o", "big-d.npy", "-q"])
    size = os.path.getsize("big-d.npy") / 2**30
    print(f"\nn = 20,000 to .npy: {size:.1f} GiB written, peak memory {peak:.0f} MiB, {seconds:.0f} s of user time.")
