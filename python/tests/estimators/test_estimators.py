"""Estimators: what scikit-learn's checks do not ask."""

import inspect
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import nearer
import nearer.sklearn as ns
from nearer import _names


def test_every_method_that_can_be_is_an_estimator():
    can = [m for m in nearer.methods() if _names.family(m)]
    assert [c.__name__ for c in ns.all_estimators()] == [_names.class_name(m["name"]) for m in can]
    # A table of distances between things of two kinds maps both: no row of X is a row of the map.
    left = [m["name"] for m in nearer.methods() if not _names.family(m) and m["ways"] != [["rows"]]]
    assert left == [], f"no estimator for {left}: give them a family in _names.py"


@pytest.mark.parametrize("cls", ns.all_estimators(), ids=lambda c: c.__name__)
def test_signature_docs_and_copies(cls):
    names = list(inspect.signature(cls).parameters)
    assert names[0] == "n_components" and {"random_state", "n_jobs"} <= set(names)
    assert all(f"\n{name} : default=" in cls.__doc__ for name in names)
    one = cls(n_components=3)
    assert clone(one).n_components == 3 and pickle.loads(pickle.dumps(one)).get_params() == one.get_params()


@pytest.mark.parametrize("cls", ns.all_estimators(), ids=lambda c: c.__name__)
def test_no_keyword_is_swallowed(cls):
    with pytest.raises(TypeError, match="nonsense"):
        cls(nonsense=1)
    own = [name for name in dir(cls) if not name.startswith("_") and getattr(getattr(cls, name), "__module__", "").startswith("nearer")]
    assert {"fit", "fit_transform"} <= set(own)
    for name in own:
        try:
            call = getattr(cls(), name)
        except AttributeError:
            continue  # there for some ways to fit only
        with pytest.raises(TypeError, match="nonsense"):
            call(*([None] * sum(p.default is p.empty for p in inspect.signature(call).parameters.values())), nonsense=1)


def test_plot_refuses_what_matplotlib_does_not_take(known):
    with pytest.raises(TypeError, match="nonsense"):
        nearer.embed(known.distances).plot(nonsense=1)


def test_as_the_plain_way(known):
    fit = nearer.embed(known.distances, method="metric-mds", random_state=5)
    assert ns.MetricMDS(metric="precomputed", random_state=5).fit_transform(known.distances).tobytes() == fit.points.tobytes()


def test_euclidean_is_the_distance(known):
    by_features = ns.ClassicalMDS(n_components=3).fit(known.features)
    pca = PCA(n_components=3).fit_transform(known.features)
    assert np.allclose(np.abs(by_features.embedding_), np.abs(pca), atol=1e-8)
    new = known.features[:4] + 0.01
    there = PCA(n_components=3).fit(known.features).transform(new)
    assert np.allclose(np.abs(by_features.transform(new)), np.abs(there), atol=1e-8)


def test_training_rows_have_their_own_points(known):
    for cls in (ns.MetricMDS, ns.NonmetricMDS, ns.LandmarkMDS):
        est = cls().fit(known.features)
        assert est.transform(known.features).tobytes() == est.embedding_.tobytes()
        whole = est.transform(known.features + 0.1)
        assert np.vstack([est.transform(known.features[k : k + 1] + 0.1) for k in range(known.n)]).tobytes() == whole.tobytes()


def test_pipeline_output_and_names(known):
    pipe = make_pipeline(StandardScaler(), ns.MetricMDS())
    pipe.fit(known.features)
    assert list(pipe[-1].get_feature_names_out()) == ["metricmds0", "metricmds1"]
    assert pipe.transform(known.features[:3]).shape == (3, 2)


def test_pairwise_is_sliced_both_ways(known):
    from sklearn.utils._tags import get_tags

    assert get_tags(ns.MetricMDS(metric="precomputed")).input_tags.pairwise
    assert not get_tags(ns.MetricMDS()).input_tags.pairwise


def test_judgements_are_split_by_cross_validation(known):
    scores = cross_val_score(ns.STE(objects=known.n), known.triplets, cv=KFold(4, shuffle=True, random_state=0))
    assert scores.mean() > 0.8
    search = GridSearchCV(ns.STE(objects=known.n), {"n_components": [1, 3]}, cv=3).fit(known.triplets)
    assert search.best_params_ == {"n_components": 3}


def test_answers_in_y_and_labels(known):
    ids = np.array(known.labels)[known.triplets]
    plain = ns.STE(objects=known.labels).fit(ids)
    turned, y = ids.copy(), np.ones(len(ids), dtype=int)
    turned[::2] = turned[::2][:, [0, 2, 1]]
    y[::2] = -1
    assert ns.STE(objects=known.labels).fit(turned, y).embedding_.tobytes() == plain.embedding_.tobytes()
    assert plain.score(turned, y) == plain.score(ids)
    assert set(plain.predict(ids)) <= {1, -1} and plain.decision_function(ids).shape == (len(ids),)
    assert plain.get_metric()(known.labels[0], known.labels[1]) == plain.pair_distance(np.array([known.labels[:2]]))[0]
    with pytest.raises(nearer.errors.UnknownLabelError, match="'nobody'"):
        plain.predict([["nobody", known.labels[0], known.labels[1]]])


def test_features_beside_judgements_place_new_objects(known):
    est = ns.KernelGNMDS(features=known.features).fit(known.triplets)
    assert np.allclose(est.transform(known.features), est.embedding_, atol=1e-8)
    three = known.features[known.triplets]
    assert ns.KernelGNMDS().fit(three).score(three) == pytest.approx(est.score(known.triplets), abs=0.05)


def test_pairs(known):
    est = ns.PSDE(objects=known.n).fit(known.pairs, known.alike)
    assert est.score(known.pairs, known.alike) > 0.8
    assert est.pair_score(known.pairs[:3]).tolist() == (-est.pair_distance(known.pairs[:3])).tolist()
    with pytest.raises(nearer.errors.EvidenceError, match="without y"):
        ns.PSDE().fit(known.pairs)


def test_weights_count(known):
    w = np.ones(len(known.triplets))
    w[:200] = 5
    a = ns.STE(objects=known.n).fit(known.triplets, sample_weight=w)
    assert a.embedding_.tobytes() != ns.STE(objects=known.n).fit(known.triplets).embedding_.tobytes()
    assert 0 < a.score(known.triplets, sample_weight=w) <= 1


def test_a_limit_is_warned_of(known):
    from sklearn.exceptions import ConvergenceWarning

    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        ns.MetricMDS(max_iter=1).fit(known.features)
