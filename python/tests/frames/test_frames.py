"""Frames, graphs and sparse matrices: the same map whatever the input is, and the output is as the input was."""

import networkx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import nearer
import nearer.sklearn as ns
from nearer.batch import Placer


class OnlyArrow:
    """Something that speaks Arrow and nothing else."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def features(known):
    columns = {"label": known.labels, **{f"x{k + 1}": known.features[:, k] for k in range(3)}}
    table = pa.table(columns)
    return {
        "pandas": pd.DataFrame(known.features, index=known.labels, columns=["x1", "x2", "x3"]),
        "pandas with a column of labels": pd.DataFrame(columns),
        "polars": pl.DataFrame(columns),
        "lazy polars": pl.DataFrame(columns).lazy(),
        "pyarrow": table,
        "chunked pyarrow": pa.concat_tables([table[:5], table[5:]]),
        "arrow": OnlyArrow(table),
        "vectors": pa.table({"label": known.labels, "x": pa.FixedSizeListArray.from_arrays(pa.array(known.features.ravel()), 3)}),
    }


@pytest.mark.parametrize("kind", ["pandas", "pandas with a column of labels", "polars", "lazy polars", "pyarrow", "chunked pyarrow", "arrow", "vectors"])
def test_features_of_every_kind(kind, known):
    plain = nearer.embed(known.features, method="mvu", labels=known.labels)
    fit = nearer.embed(features(known)[kind], method="mvu", kind="features")
    assert fit.points.tobytes() == plain.points.tobytes() and fit.labels == known.labels
    frame = {"p": pd.DataFrame, "l": pl.DataFrame, "c": pa.Table, "a": pa.Table, "v": pa.Table}[kind[0]]
    frame = {"polars": pl.DataFrame, "pyarrow": pa.Table}.get(kind, frame)
    assert isinstance(fit.map, frame)
    if isinstance(fit.map, pd.DataFrame):
        assert list(fit.map.index) == known.labels and list(fit.map.columns) == ["x1", "x2"]
    else:
        assert fit.map["label"].to_pylist() == known.labels if isinstance(fit.map, pa.Table) else fit.map["label"].to_list() == known.labels


def test_distances_of_every_kind(known):
    plain = nearer.embed(known.distances, labels=known.labels, method="metric-mds").points
    square = pd.DataFrame(known.distances, index=known.labels, columns=known.labels)
    assert nearer.embed(square, method="metric-mds").points.tobytes() == plain.tobytes()
    with_labels = pl.DataFrame({"label": known.labels, **{l: known.distances[:, k] for k, l in enumerate(known.labels)}})
    assert nearer.embed(with_labels, method="metric-mds").points.tobytes() == plain.tobytes()
    sparse = scipy.sparse.csr_array(known.distances)
    assert nearer.embed(sparse, labels=known.labels, method="metric-mds").points.tobytes() == plain.tobytes()
    graph = networkx.Graph()
    graph.add_nodes_from(known.labels)
    for i in range(known.n):
        for j in range(i + 1, known.n):
            graph.add_edge(known.labels[i], known.labels[j], weight=float(known.distances[i, j]))
    assert nearer.embed(graph, method="metric-mds").points.tobytes() == plain.tobytes()
    graph.remove_edge(known.labels[0], known.labels[1])
    assert nearer.check(graph)["missing"] == 1


def test_long_tables_of_measurements(known):
    a, b = np.triu_indices(known.n, 1)
    columns = {"from": [known.labels[i] for i in a], "to": [known.labels[j] for j in b], "value": known.distances[a, b]}
    plain = nearer.embed(known.distances, labels=known.labels, method="metric-mds").points
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        assert nearer.embed(frame, method="metric-mds").points.tobytes() == plain.tobytes()


def test_weights_of_frames_graphs_and_sparse_matrices_count(known):
    rng = np.random.default_rng(3)
    a, b = np.triu_indices(known.n, 1)
    w = rng.choice([0.25, 1.0, 4.0], size=len(a))
    noisy = np.round(known.distances[a, b] + rng.random(len(a)), 6)
    d, full = np.zeros((known.n, known.n)), np.zeros((known.n, known.n))
    d[a, b] = d[b, a] = noisy
    full[a, b] = full[b, a] = w
    square = pd.DataFrame(d, index=known.labels, columns=known.labels)
    weights = pd.DataFrame(full, index=known.labels, columns=known.labels)
    plain = nearer.embed(d, labels=known.labels, sample_weight=full, method="metric-mds").points
    assert plain.tobytes() != nearer.embed(square, method="metric-mds").points.tobytes()
    graph = networkx.Graph()
    graph.add_nodes_from(known.labels)
    for i, j, v in zip(a, b, noisy):
        graph.add_edge(known.labels[i], known.labels[j], weight=float(v))
    upper = scipy.sparse.coo_array((noisy, (a, b)), shape=d.shape)
    long = {"from": [known.labels[i] for i in a], "to": [known.labels[j] for j in b], "value": noisy}
    for given, said in (
        (square, dict(sample_weight=weights)),
        (square, dict(sample_weight=full)),
        (scipy.sparse.csr_array(d), dict(sample_weight=scipy.sparse.csr_array(full), labels=known.labels)),
        (scipy.sparse.csr_array(d), dict(sample_weight=full, labels=known.labels)),
        (upper, dict(sample_weight=w, labels=known.labels)),
        (graph, dict(sample_weight=w)),
        (pd.DataFrame(long), dict(sample_weight=w)),
        (pl.DataFrame(long), dict(sample_weight=w)),
        (pa.table(long), dict(sample_weight=w, columns={"from": "from", "to": "to", "value": "value"})),
    ):
        assert nearer.embed(given, method="metric-mds", **said).points.tobytes() == plain.tobytes()
    turned = weights.iloc[::-1, ::-1]
    for given, said, words in (
        (square, turned, "other labels"),
        (graph, w[1:], "values, for"),
        (upper, full[1:, 1:], "sample_weight of 13 x 13"),
        (scipy.sparse.csr_array(d), np.triu(full), "the weight between"),
        (pd.DataFrame({**long, "weight": w}), w, "say it once"),
        (graph, "rubbish", "rubbish"),
        (pd.DataFrame(long), "rubbish", "rubbish"),
        (upper, "rubbish", "rubbish"),
    ):
        with pytest.raises(nearer.NearerError, match=words):
            nearer.embed(given, sample_weight=said, method="metric-mds")


def test_weights_and_people_beside_frames_of_answers(known):
    columns = {part: [known.labels[r[k]] for r in known.triplets] for k, part in enumerate(["head", "near", "far"])}
    w = np.where(np.arange(len(known.triplets)) % 2, 5.0, 1.0)
    people = ["p%d" % (k % 4) for k in range(len(w))]
    whole = nearer.embed(pd.DataFrame({**columns, "weight": w, "participant": people}), method="choice").points
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns)):
        study = nearer.Study(comparisons=frame, sample_weight=w, participants=people)
        assert nearer.embed(study, method="choice").points.tobytes() == whole.tobytes()
    renamed = pd.DataFrame(columns).rename(columns={"head": "q", "near": "yes", "far": "no"})
    study = nearer.Study(comparisons=renamed, columns={"head": "q", "near": "yes", "far": "no"}, sample_weight=w, participants=people)
    assert nearer.embed(study, method="choice").points.tobytes() == whole.tobytes()


def test_judgements_with_people(known):
    columns = {part: [known.labels[r[k]] for r in known.triplets] for k, part in enumerate(["head", "near", "far"])}
    columns["participant"] = ["p%d" % (k % 4) for k in range(len(known.triplets))]
    maps = [nearer.embed(frame, method="choice").points for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns))]
    study = nearer.Study(comparisons=list(zip(columns["head"], columns["near"], columns["far"])), participants=columns["participant"])
    assert all(m.tobytes() == nearer.embed(study, method="choice").points.tobytes() for m in maps)
    # By whatever names a file would be known by.
    renamed = pd.DataFrame(columns).rename(columns={"head": "reference", "near": "closer", "far": "farther"})
    assert nearer.embed(renamed, method="choice").points.tobytes() == maps[0].tobytes()


def test_pairs_sorts_and_metadata(known):
    frame = pd.DataFrame({"from": [known.labels[i] for i, _ in known.pairs], "to": [known.labels[j] for _, j in known.pairs], "label": np.where(known.alike, "similar", "dissimilar")})
    fit = nearer.embed(pairs=frame, method="psde")
    assert sorted(fit.labels) == known.labels and isinstance(fit.map, pd.DataFrame)
    sorts = pd.DataFrame({"Ann": known.classes, "Bob": known.classes[::-1]}, index=known.labels)
    assert nearer.check(sorts=sorts)["kind"] == "sorts"
    meta = pd.DataFrame({"group": known.classes, "size": range(known.n)}, index=known.labels)
    page = nearer.embed(distances=known.distances, labels=known.labels, metadata=meta).page(colour_by="group")
    assert known.classes[0] in page


def test_bad_frames(known):
    with pytest.raises(nearer.errors.InputTypeError, match="column `b` .* 'x'"):
        nearer.embed(pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}, index=["p", "q"]), kind="features")
    with pytest.raises(nearer.errors.UnknownLabelError, match="`nobody`"):
        nearer.Study(distances=known.distances, labels=known.labels, metadata=pd.DataFrame({"g": [1]}, index=["nobody"]))
    with pytest.raises(nearer.NearerError):
        nearer.embed(pd.DataFrame({"a": [1.0, None], "b": [1.0, 2.0]}), kind="features")


def test_placing_frames(known):
    old = pd.DataFrame(known.distances, index=known.labels, columns=known.labels)
    fit = nearer.embed(old.iloc[:-2, :-2], method="classical-mds", dim=3)
    placed = fit.place(old.iloc[-2:, :-2])
    assert list(placed.index) == known.labels[-2:] and isinstance(placed, pd.DataFrame)
    backwards = fit.place(old.iloc[-2:, :-2].iloc[:, ::-1])
    assert np.array_equal(placed.to_numpy(), backwards.to_numpy()), "columns go by their labels"
    with pytest.raises(nearer.errors.EvidenceError, match=known.labels[0]):
        fit.place(old.iloc[-2:, 1:-2])


def test_estimators_take_and_give_frames(known):
    frame = pd.DataFrame(known.features, index=known.labels, columns=["a", "b", "c"])
    est = ns.MetricMDS().set_output(transform="pandas").fit(frame)
    out = est.transform(frame)
    assert list(out.columns) == ["metricmds0", "metricmds1"] and list(out.index) == known.labels
    assert list(est.feature_names_in_) == ["a", "b", "c"]
    assert isinstance(ns.MetricMDS().set_output(transform="polars").fit_transform(frame), pl.DataFrame)


def test_one_function_of_a_batch(known):
    est = ns.LandmarkMDS().fit(known.features)
    rows = known.features + 0.05
    columns = {"name": known.labels, **{f"f{k}": rows[:, k] for k in range(3)}}
    place = Placer(est, columns=["f0", "f1", "f2"])
    wanted = est.transform(rows)
    for batch in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns), pa.RecordBatch.from_pydict(columns), {k: np.asarray(v) for k, v in columns.items()}):
        out = place(batch)
        assert type(out) is type(batch)
        assert np.column_stack([np.asarray(out["x1"]), np.asarray(out["x2"])]).tobytes() == wanted.tobytes()
        assert list(np.asarray(out["name"])) == known.labels
    lazy = pl.DataFrame(columns).lazy().map_batches(place, schema={"name": pl.String, "x1": pl.Float64, "x2": pl.Float64}).collect()
    assert lazy["x1"].to_numpy().tobytes() == np.ascontiguousarray(wanted[:, 0]).tobytes()
    assert len(place(pd.DataFrame(columns)[:0])) == 0


def test_plot_gives_axes(known):
    import matplotlib

    matplotlib.use("Agg")
    ax = nearer.embed(known.distances, labels=known.labels).plot(colour_by=known.classes)
    assert ax.get_aspect() in (1.0, "equal") and len(ax.texts) == known.n and len(ax.get_xticks()) == 0
