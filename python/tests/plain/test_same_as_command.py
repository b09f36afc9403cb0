"""The map is that of the command, bit for bit, for every method in the table and every way it can be fitted."""

import json

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
    assert any(note.endswith("(method= chooses another)") for note in fit.notes)


def test_a_fit_to_files_is_repeated_by_the_command(known, command, tmp_path):
    paths = [known.file("pairs"), known.file("features")]
    fit = nearer.embed(nearer.read(*paths, directed=True, kernels=f"rbf:{paths[1]}"), dim=3, random_state=5)
    fit.save(tmp_path / "m.nearer")
    assert json.loads(command("rerun", tmp_path / "m.nearer", *paths, "--json", "--quiet"))["same"]
    nearer.embed(paths[0], objects=known.labels, method="psde").save(tmp_path / "m.nearer")
    with pytest.raises(AssertionError, match="not made of files alone"):
        command("rerun", tmp_path / "m.nearer", paths[0])


@pytest.mark.parametrize("method,way", WAYS, ids=[f"{m}-of-{'+'.join(w)}" for m, w in WAYS])
def test_same_bits(method, way, known, command, tmp_path):
    paths, kernels = files_of(known, method, way)
    out, model = tmp_path / "map.npy", tmp_path / "map.nearer"
    flags = [flag for k in kernels for flag in ("--kernel", k)]
    kind = "rows" if method == "asymmetric-mds" else None
    flags += ["--kind", kind] if kind else []
    command("embed", *paths, *flags, "--method", method, "--seed", 3, "--quiet", "-o", out, "-o", model)
    theirs = np.load(out)

    read = lambda: nearer.read(*paths, kernels=kernels or None, kind=kind)
    fit = nearer.embed(read(), method=method, random_state=3)
    assert fit.points.tobytes() == theirs.tobytes()
    assert fit.report == nearer.load(model).report
    assert fit._core.to_bytes() == model.read_bytes(), "the same report, and another model"
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
