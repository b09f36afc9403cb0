# What vegan and cluster make of small tables: measures, standardisings, tests between groups, arrows and two maps.
# Rscript tables.R > tables_r.json
suppressMessages({library(vegan); library(cluster)})
num <- function(x) paste0("[", paste(ifelse(is.na(x), "null", sprintf("%.17g", as.numeric(x))), collapse = ","), "]")
rows <- function(m) paste0("[", paste(apply(as.matrix(m), 1, num), collapse = ","), "]")
str <- function(x) paste0("[", paste(ifelse(is.na(x), "null", sprintf("\"%s\"", x)), collapse = ","), "]")
item <- function(...) { a <- list(...); paste0("{", paste(sprintf("\"%s\":%s", names(a), unlist(a)), collapse = ","), "}") }
set.seed(7)
counts <- matrix(rpois(14 * 9, rgamma(14 * 9, 0.7, 0.2)), 14, 9)
counts[, 1] <- counts[, 1] + 1
positive <- counts + 1
groups <- factor(rep(c("a", "b", "c"), c(5, 5, 4)))
out <- c()
measures <- c(bray = "bray-curtis", jaccard = "ruzicka", kulczynski = "kulczynski", canberra = "mean-canberra", clark = "clark",
  morisita = "morisita", horn = "horn", binomial = "binomial", cao = "cao", chisq = "chi-square", chord = "chord",
  hellinger = "hellinger", altGower = "alt-gower", gower = "gower", manhattan = "manhattan", euclidean = "euclidean",
  robust.aitchison = "robust-aitchison")
for (m in names(measures)) {
  d <- if (m == "chisq") suppressWarnings(vegdist(counts, m)) else vegdist(counts, m)
  out <- c(out, item(what = '"measure"', name = sprintf('"%s"', measures[[m]]), table = '"counts"', values = num(d)))
}
out <- c(out, item(what = '"measure"', name = '"aitchison"', table = '"positive"', values = num(vegdist(positive, "aitchison"))))
out <- c(out, item(what = '"measure"', name = '"aitchison:0.5"', table = '"counts"', values = num(vegdist(counts, "aitchison", pseudocount = 0.5))))
for (m in c(total = "total", max = "max", normalize = "normalise", range = "range", standardize = "z-score", hellinger = "hellinger",
            chi.square = "chi-square", pa = "presence")) {
  r <- names(which(c(total = "total", max = "max", normalize = "normalise", range = "range", standardize = "z-score", hellinger = "hellinger", chi.square = "chi-square", pa = "presence") == m))
  out <- c(out, item(what = '"standardise"', name = sprintf('"%s"', m), values = rows(decostand(counts, r))))
}
out <- c(out, item(what = '"standardise"', name = '"wisconsin"', values = rows(wisconsin(counts))))
# Numbers, words and gaps.
x <- data.frame(a = c(1.5, 2, NA, 4, 9, 3), b = c(10, NA, 30, 20, 20, 15), c = factor(c("x", "y", "x", NA, "z", "y")), d = factor(c("p", "p", "q", "q", "q", NA)))
out <- c(out, item(what = '"daisy"', a = num(x$a), b = num(x$b), c = str(as.character(x$c)), d = str(as.character(x$d)), values = num(daisy(x, metric = "gower"))))
# Euclidean distances with gaps, as R's dist scales them.
gaps <- counts; gaps[2, 3] <- NA; gaps[5, 1] <- NA; gaps[5, 9] <- NA
for (m in c("euclidean", "manhattan", "maximum")) {
  name <- c(euclidean = "euclidean", manhattan = "manhattan", maximum = "chebyshev")[[m]]
  out <- c(out, item(what = '"measure"', name = sprintf('"%s"', name), table = '"gaps"', values = num(dist(gaps, m))))
}
# Groups.
d <- vegdist(counts, "bray")
set.seed(1); a <- adonis2(d ~ groups, permutations = 9999)
set.seed(1); s <- anosim(d, groups, permutations = 9999)
med <- betadisper(d, groups); cen <- betadisper(d, groups, type = "centroid")
set.seed(1); pm <- permutest(med, permutations = 9999); set.seed(1); pc <- permutest(cen, permutations = 9999)
out <- c(out, item(what = '"groups"', f = sprintf("%.17g", a$F[1]), r2 = sprintf("%.17g", a$R2[1]), p = a$`Pr(>F)`[1],
  anosim = sprintf("%.17g", s$statistic), anosim_p = s$signif,
  median_f = sprintf("%.17g", pm$tab$F[1]), median_p = pm$tab$`Pr(>F)`[1], median = num(med$distances),
  centroid_f = sprintf("%.17g", pc$tab$F[1]), centroid_p = pc$tab$`Pr(>F)`[1], centroid = num(cen$distances)))
# Arrows and two maps.
map <- scores(cmdscale(d, k = 2)); other <- cmdscale(vegdist(counts, "euclidean"), k = 2)
env <- data.frame(depth = map[, 1] * 2 + rnorm(14, sd = 0.1), salt = rnorm(14))
set.seed(1); e <- envfit(map, env, permutations = 9999)
out <- c(out, item(what = '"arrows"', map = rows(map), depth = num(env$depth), salt = num(env$salt), arrows = rows(e$vectors$arrows), r2 = num(e$vectors$r), p = num(e$vectors$pvals)))
set.seed(1); p <- protest(map, other, permutations = 9999)
out <- c(out, item(what = '"two maps"', map = rows(map), other = rows(other), r = sprintf("%.17g", p$t0), p = p$signif))
out <- c(item(what = '"tables"', counts = rows(counts), positive = rows(positive), gaps = rows(gaps), groups = str(as.character(groups))), out)
cat("[\n", paste(out, collapse = ",\n"), "\n]\n", sep = "")
