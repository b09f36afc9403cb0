"""Every measure beside SciPy and vegan, and vegan's tests of groups, arrows and two maps on four of its own sets.

    python3 bench/tables_agree.py path/to/nearer        (needs numpy, scipy, and Rscript with vegan)

Sets: dune (20 x 30, Management), varespec (24 x 44, halves by N), mite (35 x 70, Shrub) and BCI (50 x 225, Habitat). Prints markdown for bench/results.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
from scipy.spatial.distance import pdist, squareform

nearer = os.path.abspath(sys.argv[1])

R = r"""
suppressMessages(library(vegan)); set.seed(1)
data(dune); data(dune.env); data(varespec); data(varechem); data(mite); data(mite.env); data(BCI); data(BCI.env)
sets <- list(dune = list(dune, dune.env$Management, dune.env['A1']),
             varespec = list(varespec, factor(varechem$N > median(varechem$N), labels = c('low', 'high')), varechem),
             mite = list(mite, mite.env$Shrub, mite.env[, 1:2]),
             BCI = list(BCI, BCI.env$Habitat, BCI.env[, c('UTM.EW', 'EnvHet')]))
num <- function(x) format(x, digits = 17)
for (name in names(sets)) {
  x <- sets[[name]][[1]]; g <- sets[[name]][[2]]; e <- sets[[name]][[3]]
  rownames(x) <- paste0('s', seq_len(nrow(x)))
  write.csv(x, paste0(name, '.csv'))
  write.csv(data.frame(group = g, e, row.names = rownames(x)), paste0(name, '-env.csv'))
  for (m in c('manhattan','euclidean','canberra','clark','bray','kulczynski','jaccard','gower','altGower','morisita','horn','binomial','cao','chisq','chord','hellinger','aitchison','robust.aitchison')) {
    d <- tryCatch(as.matrix(if (m == 'aitchison') vegdist(x, m, pseudocount = 1) else vegdist(x, m)), error = function(e) NULL)
    if (!is.null(d)) write.table(apply(d, 1, num), paste0(name, '.', m, '.txt'), row.names = FALSE, col.names = FALSE, quote = FALSE)
  }
  d <- vegdist(x); a <- adonis2(d ~ g, permutations = 9999); o <- anosim(d, g, permutations = 9999)
  b <- betadisper(d, g); p <- permutest(b, permutations = 9999)
  map <- cmdscale(d, k = 2); other <- cmdscale(vegdist(x, 'jaccard'), k = 2)
  other[, 1] <- other[, 1] + 0.3 * sin(seq_len(nrow(x)))
  for (w in c('map', 'other')) write.csv(setNames(as.data.frame(get(w)), c('x', 'y')), paste0(name, '-', w, '.csv'))
  f <- envfit(map, e, permutations = 9999)$vectors; t <- protest(map, other, permutations = 9999)
  cat(name, 'permanova', num(a$F[1]), a$`Pr(>F)`[1], '\n'); cat(name, 'anosim', num(o$statistic), o$signif, '\n')
  cat(name, 'betadisper', num(p$tab$F[1]), p$tab$`Pr(>F)`[1], '\n'); cat(name, 'protest', num(t$t0), t$signif, '\n')
  for (k in seq_along(f$r)) cat(name, paste0('envfit:', names(f$r)[k]), num(f$r[k]), f$pvals[k], '\n')
}
"""
VEGAN = {"manhattan": "manhattan", "euclidean": "euclidean", "canberra": "mean-canberra", "clark": "clark", "bray": "bray-curtis", "kulczynski": "kulczynski",
         "jaccard": "ruzicka", "gower": "gower", "altGower": "alt-gower", "morisita": "morisita", "horn": "horn", "binomial": "binomial", "cao": "cao",
         "chisq": "chi-square", "chord": "chord", "hellinger": "hellinger", "aitchison": "aitchison:1", "robust.aitchison": "robust-aitchison"}
SCIPY = {"euclidean": "euclidean", "sqeuclidean": "squared-euclidean", "cityblock": "manhattan", "chebyshev": "chebyshev", "canberra": "canberra", "cosine": "cosine",
         "correlation": "correlation", "braycurtis": "bray-curtis", "seuclidean": "standardised-euclidean", "jensenshannon": "jensen-shannon", "hamming": "hamming"}
PRESENCE = {"jaccard": "jaccard", "dice": "sorensen", "rogerstanimoto": "rogers-tanimoto", "russellrao": "russell-rao", "sokalsneath": "sokal-sneath", "yule": "yule"}


def run(*command):
    done = subprocess.run([nearer, *command], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def ours(name, measure):
    run("distances", f"{name}.csv", "--measure", measure, "-o", "d.npy", "-q")
    return np.load("d.npy")


def apart(a, b):
    both = ~(np.isnan(a) | np.isnan(b))
    size = np.maximum(1.0, np.abs(b[both]))
    return float((np.abs(a[both] - b[both]) / size).max())


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    told = subprocess.run(["Rscript", "-e", R], check=True, capture_output=True, text=True).stdout
    names = ["dune", "varespec", "mite", "BCI"]
    print("| measure | beside | largest difference (relative above 1) |\n|---|---|---|")
    for theirs, own in VEGAN.items():
        worst = []
        for name in names:
            if os.path.exists(f"{name}.{theirs}.txt"):
                try:
                    worst.append(f"{apart(ours(name, own), np.loadtxt(f'{name}.{theirs}.txt')):.1e} {name}")
                except RuntimeError as e:
                    worst.append(f"{name} refused: {str(e).split(': ', 2)[-1][:90]}")
        print(f"| {own} | vegan {theirs} | {', '.join(worst)} |")
    for group, table in ((False, SCIPY), (True, PRESENCE)):
        for theirs, own in table.items():
            worst = []
            for name in names:
                x = np.loadtxt(f"{name}.csv", delimiter=",", skiprows=1, usecols=range(1, len(next(csv.reader(open(f"{name}.csv"))))))
                wanted = squareform(pdist(x > 0, theirs) if group else pdist(x, theirs))
                worst.append(apart(ours(name, own), wanted))
            print(f"| {own} | SciPy {theirs} | {max(worst):.1e} |")
    print("\n| set | statistic | vegan | nearer | p vegan | p nearer |\n|---|---|---|---|---|---|")
    found = {}
    for name in names:
        g = json.loads(run("groups", f"{name}.csv", "--measure", "bray", "--by", "group", "--metadata", f"{name}-env.csv", "--permutations", "9999", "--json", "-q"))
        found[name, "groups"] = g
        a = json.loads(run("align", f"{name}-map.csv", f"{name}-other.csv", "--permutations", "9999", "--json", "-q"))
        found[name, "align"] = a
        run("plot", f"{name}-map.csv", "--metadata", f"{name}-env.csv", "--arrows", "all", "--arrow-permutations", "9999", "-o", "f.svg", "--figure-data", f"{name}-f.csv", "-q")
        found[name, "arrows"] = {r["name"]: (float(r["r2"]), float(r["p"])) for r in csv.DictReader(open(f"{name}-f.csv")) if r["what"] == "arrow"}
    for line in told.splitlines():
        name, what, value, p = line.split()
        g, a = found[name, "groups"], found[name, "align"]
        own = {"permanova": lambda: (g["permanova"]["f"], g["permanova"]["p"]), "anosim": lambda: (g["anosim"]["r"], g["anosim"]["p"]),
               "betadisper": lambda: (g["dispersion"]["f"], g["dispersion"]["p"]), "protest": lambda: (a["correlation"], a["p"])}
        try:
            v, q = own[what]() if what in own else found[name, "arrows"][what.split(":")[1]]
            print(f"| {name} | {what} | {float(value):.10g} | {v:.10g} | {float(p):.4f} | {q:.4f} |")
        except KeyError as e:
            print(f"| {name} | {what} | {float(value):.10g} | no {e} in {sorted(g) if what not in ('protest',) else sorted(a)} | | |")
