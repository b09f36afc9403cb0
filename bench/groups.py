"""What is measured: each group gives lines of a table and the claims they settle."""
import math

from cells import cell, has_r

# R smacof 2.1-7, mds(type = "ordinal", itmax = 300, eps = 1e-6), on this same seeded workload. smacof is in no
# distribution that the bench could install it from, so its stress stands here as a figure, to the digits it was noted.
SMACOF_ORDINAL = {200: 0.3183, 1000: 0.3406, 2000: 0.3421}

SIZES = {
    # group: (full, quick)
    "classical": ((500, 2000, 5000), (500, 2000)),
    "metric": ((200, 1000, 2000, 5000), (200, 1000)),
    "nonmetric": ((200, 1000, 2000), (200,)),
    "landmark": ((1_000_000,), (100_000,)),
}
THREADS = {"classical-mds": (5000, 2000), "metric-mds": (2000, 1000), "nonmetric-mds": (1000, 500)}
GROWTH = {
    "classical-mds": ((1000, 2000, 4000, 8000), (500, 1000, 2000)),
    "metric-mds": ((500, 1000, 2000, 4000), (250, 500, 1000)),
    "nonmetric-mds": ((250, 500, 1000, 2000), (125, 250, 500)),
    "landmark-mds": ((125_000, 250_000, 500_000, 1_000_000), (25_000, 50_000, 100_000)),
}


class Plan:
    """Sizes: the full ones, the quick ones, or those given by hand (to see that everything runs)."""

    def __init__(self, quick, sizes):
        self.quick, self.by_hand = quick, sizes

    def pick(self, full, quick):
        return self.by_hand or (quick if self.quick else full)


def claim(text, wanted, measured, holds):
    return dict(claim=text, wanted=wanted, measured=measured, holds=holds)


def classical(plan):
    lines = []
    for n in plan.pick(*SIZES["classical"]):
        peers = ["nearer", "scipy eigsh", "scikit-learn ClassicalMDS", "tapkee mds (exact points)"]
        lines += [cell(p, "classical-mds", "distances", n, "strain") for p in peers + ["R cmdscale"] * has_r()]
    n, us = ours(lines)
    if us is None:
        return lines, []
    claims = [faster(lines, n, us, "scipy eigsh", 1), faster(lines, n, us, "scikit-learn ClassicalMDS", 30),
              faster(lines, n, us, "R cmdscale", 30)]
    best = least(lines, n, "strain", ("scipy eigsh", "scikit-learn ClassicalMDS", "R cmdscale"))
    if best is not None:
        apart = us["strain"] - best
        claims.append(claim(f"classical n={n}: strain equals the peers'", "within 1e-6", f"{apart:+.1e}", apart <= 1e-6))
    return lines, claims + [memory("classical", us)]


def metric(plan):
    lines = []
    for n in plan.pick(*SIZES["metric"]):
        lines += [cell(p, "metric-mds", "distances", n, "stress") for p in ("nearer", "scikit-learn MDS")]
    # The claim is about n = 2000; the largest size shows the memory.
    n, us = ours(lines, 2000)
    if us is None:
        return lines, []
    claims = [faster(lines, n, us, "scikit-learn MDS", 8), lower(lines, n, us, "stress", "scikit-learn MDS", 1e-5)]
    return lines, claims + [memory("metric", ours(lines)[1])]


def nonmetric(plan):
    lines = []
    for n in plan.pick(*SIZES["nonmetric"]):
        slow = ["scikit-learn MDS non-metric"] * (n <= 200 or (n <= 1000 and not plan.quick))
        lines += [cell(p, "nonmetric-mds", "distances", n, "kruskal") for p in ["nearer"] + ["R isoMDS"] * has_r() + slow]
    n, us = ours(lines, 1000)
    if us is None:
        return lines, []
    claims = [faster(lines, n, us, "R isoMDS", 2), lower(lines, n, us, "kruskal", "R isoMDS", 0),
              lower(lines, n, us, "kruskal", "scikit-learn MDS non-metric", 1e-4)]
    if n in SMACOF_ORDINAL:
        noted = SMACOF_ORDINAL[n]
        claims.append(claim(f"non-metric n={n}: stress-1 not above R smacof's", f"≤ {noted} (4 digits)",
                            f"{us['kruskal']:.5f}", us["kruskal"] < noted + 5e-5))
    return lines, claims


def landmark(plan):
    lines = [cell("nearer", "landmark-mds", "rows", n, "landmark", repeat=False)
             for n in plan.pick(*SIZES["landmark"])]
    n, us = ours(lines)
    if us is None:
        return lines, []
    mib = us["peak"] / 2**20
    text = f"landmark MDS of {n:,} objects x 100 landmarks: bounded memory, objects per second"
    seen = f"{mib:.0f} MiB; {n / us['wall']:,.0f} objects/s, reading twice, placing and writing"
    return lines, [claim(text, "peak ≤ 512 MiB", seen, mib <= 512),
                   claim("landmark MDS equals its formula written again in numpy", "rms within 1e-6 of the map's size",
                         f"{us['landmark']:.1e}", us["landmark"] <= 1e-6)]


def threads(plan):
    lines, claims = [], []
    for method, (full, quick) in THREADS.items():
        for n in plan.pick((full,), (quick,)):
            one, two = (cell("nearer", method, "distances", n, None, threads=t) for t in (1, 2))
            lines += [one, two]
            if "error" in one or "error" in two:
                continue
            ratio = one["fit"] / two["fit"]
            claims.append(claim(f"{method} n={n}: 2 threads against 1", "≥ 1.6 x", f"{ratio:.2f} x", ratio >= 1.6))
            same = one["bytes"] == two["bytes"]
            claims.append(claim(f"{method} n={n}: the map of 2 threads is that of 1", "same bytes",
                                "same" if same else "different", same))
    return lines, claims


def growth(plan):
    lines, claims = [], []
    for method, sizes in GROWTH.items():
        kind = "rows" if method == "landmark-mds" else "distances"
        some = [cell("nearer", method, kind, n, None) for n in plan.pick(*sizes)]
        lines += some
        good = [c for c in some if "error" not in c]
        if len(good) < 2:
            continue
        # Landmarks are fitted once and the rest is streamed: there the whole run is what grows.
        time = "wall" if method == "landmark-mds" else "fit"
        seen = f"n^{slope([(c['n'], c[time]) for c in good]):.2f}"
        if all(c["iterations"] for c in good):
            seen += f", one iteration n^{slope([(c['n'], c['fit'] / c['iterations']) for c in good]):.2f}"
        top = 1.3 if method == "landmark-mds" else 2.4
        holds = slope([(c["n"], c[time] / (c["iterations"] or 1)) for c in good]) <= top
        text = f"{method}: fit time against n, {good[0]['n']:,} to {good[-1]['n']:,}"
        claims.append(claim(text, f"at most n^{top} a pass", seen, holds))
    return lines, claims


def ours(lines, wanted=None):
    """Our line of the wanted size, or of the largest that ran."""
    done = {c["n"]: c for c in lines if c["program"] == "nearer" and "error" not in c}
    n = wanted if wanted in done else max(done, default=None)
    return n, done.get(n)


def find(lines, n, program):
    return next((c for c in lines if c["n"] == n and c["program"] == program and "error" not in c), None)


def faster(lines, n, us, peer, factor):
    them = find(lines, n, peer)
    text, wanted = f"{us['method']} n={n}: faster than {peer}", f"≥ {factor} x"
    if them is None:
        return claim(text, wanted, "not run", None)
    ratio = them["fit"] / us["fit"]
    return claim(text, wanted, f"{ratio:.2f} x", ratio >= factor)


def lower(lines, n, us, what, peer, slack):
    them = find(lines, n, peer)
    text = f"{us['method']} n={n}: stress-1 not above {peer}'s"
    if them is None:
        return claim(text, "same or lower", "not run", None)
    wanted = f"≤ {them[what]:.5f}" + (f" (relative slack {slack:g})" if slack else "")
    return claim(text, wanted, f"{us[what]:.5f}", us[what] <= them[what] * (1 + slack))


def least(lines, n, what, peers):
    return min((c[what] for p in peers if (c := find(lines, n, p)) and c.get(what) is not None), default=None)


def memory(name, us):
    ratio = us["peak"] / us["input"]
    seen = f"{us['peak'] / 1e6:.0f} MB against {us['input'] / 1e6:.0f} MB: {100 * ratio:.0f} %"
    return claim(f"{name} n={us['n']}: peak memory of the whole process against the input", "≤ 110 %", seen, ratio <= 1.1)


def slope(points):
    """Least-squares slope of log time against log n."""
    x, y = [math.log(n) for n, _ in points], [math.log(t) for _, t in points]
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)


GROUPS = dict(classical=classical, metric=metric, nonmetric=nonmetric, landmark=landmark, threads=threads, growth=growth)
