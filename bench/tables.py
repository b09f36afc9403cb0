"""Tables against SciPy and vegan, in one run: seconds of processor time (user and system), one thread, best of two.

    python3 bench/tables.py path/to/nearer        (needs numpy and scipy; Rscript with vegan for the second part)

Prints markdown for bench/results. Both sides pay for reading: SciPy has its table in memory, nearer starts, reads the `.npy`, and
writes the whole square; R's seconds are those of the test alone, nearer's those of the whole command.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy.spatial.distance import pdist

nearer = os.path.abspath(sys.argv[1])
rng = np.random.default_rng(1)


def spent(command):
    """Processor seconds, peak memory in MiB and standard output of one command."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode()
    assert child.returncode == 0, command
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text


def least(command, times=2):
    return min(spent(command)[0] for _ in range(times))


def distances():
    counts = rng.poisson(rng.gamma(0.5, 4.0, size=(5000, 500))).astype(float)
    counts[:, 0] += 1
    shares = rng.gamma(0.5, 4.0, size=(5000, 500))
    for name, x in [("counts", counts), ("shares", shares)]:
        np.save("x.npy", x)
        for ours, theirs in [("bray-curtis", "braycurtis"), ("euclidean", "euclidean"), ("canberra", "canberra"), ("manhattan", "cityblock")]:
            peer = []
            for _ in range(2):
                start = time.process_time()
                wanted = pdist(x, theirs)
                peer.append(time.process_time() - start)
            own = least([nearer, "distances", "x.npy", "--measure", ours, "-o", "d.npy", "--threads", "1", "-q"])
            found = np.load("d.npy", mmap_mode="r")
            worst = max(np.abs(found[i, i + 1:] - wanted[i * (2 * len(x) - i - 1) // 2:][:len(x) - i - 1]).max() for i in range(0, len(x) - 1, 7))
            same = all(np.array_equal(found[i], found[:, i]) for i in range(0, len(x), 97))
            print(f"| {ours}, 5000 x 500 {name}, largest difference {worst:.1e}, {'symmetric' if same else 'NOT SYMMETRIC'} | {min(peer):.2f} | {own:.2f} | {min(peer) / own:.1f} |", flush=True)


R = """suppressMessages(library(vegan)); x <- read.csv('y.csv', row.names = 1); g <- factor(read.csv('g.csv')$g); d <- vegdist(x);
m <- cmdscale(d, 2); n <- as.matrix(read.csv('n.csv', row.names = 1)); e <- read.csv('e.csv', row.names = 1)
t <- function(e) { s <- system.time(force(e)); s[['user.self']] + s[['sys.self']] }
a <- t(adonis2(d ~ g, permutations = 999)); b <- t(anosim(d, g, permutations = 999)); c <- t(permutest(betadisper(d, g), permutations = 999))
f <- t(envfit(n, e, permutations = 999)); p <- t(protest(m, n, permutations = 999)); cat(a, b, c, f, p)"""


def permutations(n):
    y = rng.poisson(rng.gamma(0.5, 4.0, size=(n, 40)))
    y[:, 0] += 1
    np.savetxt("y.csv", np.column_stack([np.arange(1, n + 1), y]), fmt="%d", delimiter=",", header="id," + ",".join(f"s{k}" for k in range(40)), comments="")
    with open("g.csv", "w") as f:
        f.write("id,g\n" + "".join(f"{i + 1},g{i % 5}\n" for i in range(n)))
    for name, columns in [("n.csv", 2), ("e.csv", 5)]:
        np.savetxt(name, np.column_stack([np.arange(1, n + 1), rng.normal(size=(n, columns))]), fmt=["%d"] + ["%.8f"] * columns, delimiter=",",
                   header="id," + ",".join(f"x{k + 1}" for k in range(columns)), comments="")
    adonis, anosim, disper, fit, protest = (float(v) for v in spent(["Rscript", "-e", R])[2].split())
    quiet = ["--threads", "1", "-q"]
    own, _, told = spent([nearer, "groups", "y.csv", "--measure", "bray", "--by", "g", "--metadata", "g.csv", "--json", *quiet])
    f = json.loads(told)["permanova"]["f"]
    theirs = adonis + anosim + disper
    print(f"| adonis2 {adonis:.2f} + anosim {anosim:.2f} + betadisper {disper:.2f}, n = {n}, 999 shuffles (F {f:.4f}) | {theirs:.2f} | {own:.2f} | {theirs / own:.1f} |", flush=True)
    own = least([nearer, "plot", "n.csv", "--metadata", "e.csv", "--arrows", "all", "--labels", "none", "-o", "n.svg", *quiet])
    print(f"| envfit, 5 columns, n = {n} | {fit:.2f} | {own:.2f} | {fit / own:.1f} |", flush=True)
    spent([nearer, "embed", "y.csv", "--measure", "bray", "--method", "classical-mds", "-o", "m.csv", *quiet])
    own = least([nearer, "align", "m.csv", "n.csv", *quiet])
    print(f"| protest, n = {n} | {protest:.2f} | {own:.2f} | {protest / own:.1f} |", flush=True)


MANY = """suppressMessages(library(vegan)); m <- as.matrix(read.csv('m.csv', row.names = 1)); n <- as.matrix(read.csv('n.csv', row.names = 1))
e <- read.csv('e.csv', row.names = 1); t <- function(e) { s <- system.time(force(e)); s[['user.self']] + s[['sys.self']] }
cat(t(protest(m, n, permutations = 9999)), t(envfit(n, e, permutations = 9999)))"""


def many(n):
    """The two quick tests with so many shuffles that they take vegan seconds: at 999 the start of a command is most of its time."""
    m = rng.normal(size=(n, 2))
    turned = m @ np.array([[0.8, 0.6], [-0.6, 0.8]]) + rng.normal(size=(n, 2))
    for name, x in [("m.csv", m), ("n.csv", turned), ("e.csv", rng.normal(size=(n, 5)))]:
        np.savetxt(name, np.column_stack([np.arange(1, n + 1), x]), fmt=["%d"] + ["%.8f"] * x.shape[1], delimiter=",",
                   header="id," + ",".join(f"x{k + 1}" for k in range(x.shape[1])), comments="")
    protest, fit = (float(v) for v in spent(["Rscript", "-e", MANY])[2].split())
    quiet = ["--threads", "1", "-q"]
    own = least([nearer, "align", "m.csv", "n.csv", "--permutations", "9999", *quiet])
    print(f"| protest, n = {n}, 9,999 shuffles | {protest:.2f} | {own:.2f} | {protest / own:.1f} |", flush=True)
    own = least([nearer, "plot", "n.csv", "--metadata", "e.csv", "--arrows", "all", "--arrow-permutations", "9999", "--labels", "none", "-o", "n.svg", *quiet])
    print(f"| envfit, 5 columns, n = {n}, 9,999 shuffles | {fit:.2f} | {own:.2f} | {fit / own:.1f} |", flush=True)


def large():
    np.save("big.npy", rng.poisson(1.0, size=(20000, 30)).astype(np.float64) + 1)
    seconds, peak, _ = spent([nearer, "distances", "big.npy", "--measure", "bray", "-o", "big-d.npy", "-q"])
    size = os.path.getsize("big-d.npy") / 2**30
    print(f"\nn = 20,000 x 30 to .npy: {size:.1f} GiB written, peak memory {peak:.0f} MiB, {seconds:.1f} s of processor time.")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    print("| what | peer, s | nearer, s | ratio |\n|---|---|---|---|")
    distances()
    for n in (100, 400, 1000):
        permutations(n)
    for n in (400, 5000):
        many(n)
    large()
