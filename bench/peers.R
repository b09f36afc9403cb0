# One R peer, one fit.   Rscript peers.R cmdscale|isoMDS EVIDENCE.npy OUT.bin
# The header of a little-endian version 1 .npy file is 10 bytes and the length they say; a symmetric matrix has no order.
a <- commandArgs(TRUE)
con <- file(a[2], "rb")
invisible(readBin(con, "raw", 8))
header <- readChar(con, readBin(con, "integer", 1, size = 2, signed = FALSE))
n <- as.integer(sub(".*\\(([0-9]+),.*", "\\1", header))
d <- as.dist(matrix(readBin(con, "double", n * n), n))
close(con)
if (a[1] == "isoMDS") suppressPackageStartupMessages(library(MASS))
invisible(gc(FALSE))
begin <- proc.time()[[3]]
y <- if (a[1] == "cmdscale") cmdscale(d, k = 2) else isoMDS(d, k = 2, trace = FALSE, maxit = 300)$points
fit <- proc.time()[[3]] - begin
writeBin(as.vector(t(y)), a[3])
cat(sprintf('{"fit": %.4f, "iterations": null}\n', fit))
