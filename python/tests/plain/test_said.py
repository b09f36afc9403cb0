"""What is said is listened to, or refused: weights, keywords, labels, and things that are too large or of another shape."""

import inspect
from importlib.util import find_spec

import numpy as np
import pytest

import nearer
from nearer import errors
from nearer.batch import Placer


def points(study):
    return nearer.embed(study, method="metric-mds").points


def weighted(known):
    """The same distances and the same weights in every shape that people hold them in."""
    rng = np.random.default_rng(3)
    a, b = np.triu_indices(known.n, 1)
    w = rng.choice([0.25, 1.0, 4.0], size=len(a))
    d = np.round(known.distances + np.abs(rng.normal(size=known.distances.shape)), 6)
    d = np.triu(d, 1) + np.triu(d, 1).T
    square = np.zeros_like(d)
    square[a, b] = square[b, a] = w
    return d, d[a, b], square, w, [(int(i), int(j), float(d[i, j])) for i, j in zip(a, b)]


def test_weights_of_every_shape_count_and_are_the_same(known):
    square, condensed, full, w, long = weighted(known)
    expected = points(nearer.Study(distances=[(*row, v) for row, v in zip(long, w)], kind="long"))
    assert not np.array_equal(expected, points(nearer.Study(distances=square)))
    for study in (
        nearer.Study(distances=square, sample_weight=full),
        nearer.Study(distances=square, sample_weight=w),
        nearer.Study(distances=condensed, sample_weight=w),
        nearer.Study(distances=long, kind="long", sample_weight=w.tolist()),
    ):
        assert study.objects == list(range(known.n))
        assert points(study).tobytes() == expected.tobytes()
    assert nearer.embed(square, sample_weight=full, method="metric-mds").points.tobytes() == expected.tobytes()
    # 0 is a distance that is not known.
    none = full.copy()
    none[0, 1] = none[1, 0] = 0
    gap = square.copy()
    gap[0, 1] = gap[1, 0] = np.nan
    assert points(nearer.Study(distances=square, sample_weight=none)).tobytes() == points(nearer.Study(distances=gap, nan_missing=True, sample_weight=full)).tobytes()


D = np.array([[0, 3, 4], [3, 0, 5], [4, 5, 0]], dtype=float)
T = np.array([[0, 1, 2], [1, 2, 0]])
W = np.ones((3, 3))
WRONG = {
    "words": (dict(distances=D, sample_weight="rubbish"), ["rubbish"]),
    "words of a condensed": (dict(distances=D[np.triu_indices(3, 1)], sample_weight="rubbish"), ["rubbish"]),
    "words of answers": (dict(comparisons=T, kind="triplets", sample_weight="rubbish"), ["rubbish"]),
    "one for each object": (dict(distances=D, sample_weight=[1, 2]), ["2 values", "3"]),
    "another shape": (dict(distances=D, sample_weight=np.ones((2, 2))), ["2 x 2", "3 x 3"]),
    "two sides": (dict(distances=D, sample_weight=np.triu(W)), ["`0` and `1`", "triangle"]),
    "negative": (dict(distances=D, sample_weight=-W), ["-1"]),
    "not a number": (dict(distances=D, sample_weight=W * np.nan), ["nan"]),
    "too few answers": (dict(comparisons=T, kind="triplets", sample_weight=[1]), ["1 values", "2"]),
    "too few pairs": (dict(pairs=([[0, 1], [1, 2]], [True, False]), sample_weight=[1]), ["1 values", "2"]),
    "too few people": (dict(comparisons=T, kind="triplets", participants=["ann"]), ["1 participants", "2"]),
    "people of a square": (dict(distances=D, participants=["ann"] * 3), ["participants="]),
    "of features": (dict(features=D, sample_weight=[1, 1, 1]), ["sample_weight="]),
    "of classes": (dict(classes=["a", "b", "a"], sample_weight=[1, 1, 1]), ["sample_weight="]),
    "of two parts": (dict(distances=D, comparisons=T, sample_weight=[1, 1, 1]), ["sample_weight=", "distances and comparisons"]),
    "beside a study": (dict(distances=nearer.Study(distances=D), sample_weight=W), ["sample_weight", "Study"]),
    "twice": (dict(distances=[("a", "b", 1.0, 2.0)], sample_weight=[1]), ["weight each"]),
}


@pytest.mark.parametrize("said,words", WRONG.values(), ids=WRONG)
def test_weights_that_make_no_sense_are_refused(said, words):
    with pytest.raises(nearer.NearerError) as caught:
        nearer.Study(**said)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def fitted(known):
    return {
        "distances": nearer.embed(known.distances, method="classical-mds"),
        "features": nearer.embed(known.features, method="pca"),
        "judgements": nearer.embed(known.triplets, kind="triplets", objects=known.n, method="ste"),
    }


def public(thing, name):
    return callable(thing) and not name.startswith("_") and getattr(thing, "__module__", "").startswith("nearer")


def given(call, known, fits):
    """Arguments with which a call works, or comes as far as its keywords."""
    needed = {
        "evidence": known.distances, "new": known.distances[:2], "certificate": "none.cert", "path": "none.nearer", "name": "pca",
        "model": fits["features"], "rows": known.features, "batch": {"x1": [1.0]}, "names": [], "labels": [], "points": known.features[:, :2],
        "X": known.features, "y": known.classes, "pairs": [], "a": 0, "b": 1, "thing": 0, "exc": None,
    }
    signature = inspect.signature(call)
    required = [p for p in signature.parameters.values() if p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and p.name != "self"]
    return {p.name: needed.get(p.name) for p in required}


def calls(known):
    fits = fitted(known)
    for name in dir(nearer):
        thing = getattr(nearer, name)
        if public(thing, name) and not (inspect.isclass(thing) and issubclass(thing, Exception)) and name != "Step":
            yield f"nearer.{name}", thing, given(thing, known, fits)
    for name in dir(nearer.toy):
        if public(getattr(nearer.toy, name), name) and name != "Study":
            yield f"toy.{name}", getattr(nearer.toy, name), {}
    owners = {**{f"Fit of {k}": f for k, f in fits.items()}, "Study": nearer.Study(distances=known.distances), "Placer": Placer(fits["features"])}
    for owner, thing in owners.items():
        for name in dir(type(thing)):
            bound = None if isinstance(getattr(type(thing), name), property) else getattr(thing, name)
            if bound is not None and public(bound, name):
                more = given(bound, known, fits)
                if owner == "Fit of judgements" and name == "place":
                    more["new"] = known.triplets
                yield f"{owner}.{name}", bound, more


def test_no_keyword_is_swallowed(known, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tried = []
    for name, call, arguments in calls(known):
        if name.endswith(".plot") and not find_spec("matplotlib"):
            continue
        with pytest.raises(TypeError) as caught:
            call(**arguments, nonsense=1)
        assert "nonsense" in str(caught.value), f"{name}: {caught.value}"
        tried.append(name)
    assert len(tried) > 22 and {"nearer.embed", "nearer.check", "nearer.verify", "nearer.read", "nearer.Study", "Fit of features.place", "Fit of distances.evaluate"} <= set(tried), tried
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_keyword_has_a_neighbour(known):
    with pytest.raises(errors.KeywordError, match="perhaps sample_weight=") as caught:
        nearer.embed(known.distances, sample_weigth=1)
    assert isinstance(caught.value, (TypeError, ValueError)) and isinstance(caught.value, errors.ParameterError)
    for call in (nearer.check, lambda e, **said: nearer.verify("x.cert", e, **said), nearer.embed(known.distances).evaluate):
        with pytest.raises(errors.ParameterError, match="nan_missing beside a Study"):
            call(nearer.Study(distances=known.distances), nan_missing=True)
    with pytest.raises(errors.ParameterError, match="labels="):
        nearer.read("d.csv", labels=["a"])


def test_what_only_the_command_evaluates_is_said(known):
    fit = fitted(known)["judgements"]
    for said in (dict(held_out="rows"), dict(dimensions="1-4")):
        with pytest.raises(errors.KeywordError, match="`nearer eval map.nearer answers.csv --"):
            fit.evaluate(**said)
    # What is known may be named without saying it twice.
    assert fit.evaluate(comparisons=known.triplets, objects=known.n) == fit.evaluate()


def test_rows_without_labels_count_from_0(known):
    numbers = list(range(known.n))
    a, b = np.triu_indices(known.n, 1)
    for study in (
        nearer.Study(distances=known.distances),
        nearer.Study(distances=known.distances[a, b]),
        nearer.Study(features=known.features),
        nearer.Study(rows=(known.distances[:, :3], ["a", "b", "c"])),
        nearer.Study(comparisons=known.triplets),
        nearer.Study(pairs=(known.pairs, known.alike)),
        nearer.Study(classes=known.classes),
        nearer.Study(distances=known.distances, features=known.features, comparisons=known.triplets),
    ):
        assert study.objects == numbers
    gap = known.distances.copy()
    gap[0, 3] = gap[3, 0] = np.nan
    with pytest.raises(errors.EvidenceError, match="between `0` and `3` is NaN"):
        nearer.embed(gap)
    fit = nearer.embed(known.distances, method="metric-mds", dim=1)
    assert fit.labels == fit.anchors == numbers
    worst = {o for pair in fit.report["worst_pairs"] for o in (pair["a"], pair["b"])} if "worst_pairs" in fit.report else {"0"}
    assert worst <= set(map(str, numbers)), worst
    assert nearer.embed(known.features, measure="euclidean").labels == numbers


@pytest.mark.parametrize("kind", nearer._study.KINDS)
@pytest.mark.parametrize("what", ["numbers", "whole", "words", "flat", "flat words", "empty", "cube"])
def test_arrays_of_any_kind_are_taken_or_refused(kind, what):
    rng = np.random.default_rng(0)
    thing = {
        "numbers": rng.random((6, 3)), "whole": rng.integers(0, 3, (6, 2)), "words": np.array([["a", "b"], ["c", "a"], ["b", "c"]]),
        "flat": rng.random(6), "flat words": np.array(["a", "b", "a"]), "empty": np.empty((0, 3)), "cube": rng.random((2, 2, 2)),
    }[what]
    for call in (nearer.check, nearer.embed):
        try:
            call(thing, kind=kind)
        except nearer.NearerError as e:
            assert not isinstance(e, errors.NumericalError), e


def test_classes_sorts_and_trees_may_be_arrays(known):
    assert nearer.check(np.array(known.classes), kind="classes")["objects"] == known.n
    two = np.array([[l, c] for l, c in zip(known.labels, known.classes)])
    assert nearer.Study(classes=two).objects == sorted(known.labels)
    assert nearer.Study(classes=known.classes, labels=known.labels).objects == known.labels
    study = nearer.Study(features=known.features, classes=known.classes)
    assert nearer.embed(study, method="lmnn").points.shape == (known.n, 2)
    groups = np.array([[k % 3, k % 4] for k in range(known.n)])
    assert nearer.check(groups, kind="sorts")["objects"] == known.n
    assert nearer.check([["root", "a"], ["root", "b"], ["a", "c"], ["a", "d"]], kind="taxonomy")["objects"] == 3


@pytest.mark.parametrize("call", [nearer.embed, nearer.check, lambda x: nearer.Study(distances=x), lambda x: nearer.Study(features=x)])
def test_an_array_that_is_larger_than_memory_is_refused_with_its_size(call):
    with pytest.raises(errors.MemoryLimitError, match=r"1048576 x 1048576 numbers, 8,192\.0 GiB") as caught:
        call(np.broadcast_to(0.0, (2**20, 2**20)))
    assert isinstance(caught.value, MemoryError)
