"""The map is that of the command, bit for bit, for every method in the table and every way it can be fitted."""

import numpy as np
import pytest

import nearer

WAYS = [(m["name"], tuple(way)) for m in nearer.methods() for way in m["ways"]]
KERNEL = "rbf"


# Methods that not every evidence of their kind is fit for.
OWN = {"line": {"comparisons": "line"}, "asymmetric-mds": {"rows": "sides"}}


def files_of(known, method, way):
    paths = [known.file(OWN.get(method, {}).get(part, part)) for part in way if part != "kernels"]
    if "kernels" in way:
        path = known.file("kernels")
        return (paths or [path]), [f"{KERNEL}:{path}"]
    return paths, []


@pytest.mark.parametrize("parts", [["distances"], ["comparisons", "features"], ["sorts"], ["taxonomy"]], ids="+".join)
def test_same_account_of_what_the_evidence_decided(parts, known, command, tmp_path):
    paths, out = [known.file(part) for part in parts], tmp_path / "map.nearer"
    command("embed", *paths, "--seed", 3, "--quiet", "-o", out)
    fit = nearer.embed(nearer.read(*paths), random_state=3)
    theirs = nearer.load(out)
    assert fit.report["notes"] == theirs.report["notes"] and any(note.startswith("method ") for note in fit.report["notes"])
    assert fit.notes[0].endswith("(method= chooses another)") or parts != ["distances"]


@pytest.mark.parametrize("method,way", WAYS, ids=[f"{m}-of-{'+'.join(w)}" for m, w in WAYS])
def test_same_bits(method, way, known, command, tmp_path):
    paths, kernels = files_of(known, method, way)
    out = tmp_path / "map.npy"
    flags = [flag for k in kernels for flag in ("--kernel", k)]
    kind = "rows" if method == "asymmetric-mds" else None
    flags += ["--kind", kind] if kind else []
    command("embed", *paths, *flags, "--method", method, "--seed", 3, "--quiet", "-o", out)
    theirs = np.load(out)

    read = lambda: nearer.read(*paths, kernels=kernels or None, kind=kind)
    fit = nearer.embed(read(), method=method, random_state=3)
    assert fit.points.tobytes() == theirs.tobytes()
    one = nearer.embed(read(), method=method, random_state=3, n_jobs=1)
    assert one.points.tobytes() == theirs.tobytes(), "the number of threads changed the map"

    arrays = dict(
        distances=known.distances,
        rows=(known.sides, known.labels) if method == "asymmetric-mds" else (known.distances[:, :6], known.labels[:6]),
        features=known.features,
        kernels=f"{KERNEL}:features",
        comparisons=[tuple(known.labels[i] for i in row) for row in (known.on_a_line if method == "line" else known.triplets)],
        pairs=[(known.labels[i], known.labels[j], bool(s)) for (i, j), s in zip(known.pairs, known.alike)],
        sorts={"object": known.labels, "class": known.classes},
    )
    if not set(way) <= set(arrays) or "sorts" in way:
        return
    said = {part: arrays[part] for part in way}
    if "kernels" in way:
        said["features"] = known.features
    objects = [nearer.read(*paths).objects] if {"comparisons", "pairs"} & set(way) else [known.labels]
    fit = nearer.embed(nearer.Study(**said, labels=known.labels, objects=objects[0]), method=method, random_state=3)
    assert fit.points.tobytes() == theirs.tobytes(), "arrays and files gave different maps"
