"""The plain way in: embed, check, read, Study, and what a fit can do."""

import json
import pickle
import subprocess
import sys
import time

import numpy as np
import pytest

import nearer
from nearer import errors


def test_import_is_quick_and_takes_nothing_along():
    code = (
        "import sys, numpy, time; t = time.perf_counter(); import nearer; t = time.perf_counter() - t;"
        "print(t, [m for m in ('sklearn', 'pandas', 'polars', 'pyarrow', 'matplotlib', 'scipy', 'tqdm', 'pyspark') if m in sys.modules])"
    )
    seconds, extra = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split(" ", 1)
    assert extra.strip() == "[]"
    assert float(seconds) < 5  # the figure is measured in bench/python.py; here only that nothing heavy is done


def test_doctests():
    import doctest

    from nearer import _fit, _study

    for module in (nearer, _fit, _study):
        assert doctest.testmod(module).failed == 0


def test_a_map_from_an_array(known):
    fit = nearer.embed(known.distances, method="classical-mds", dim=3)
    d = np.linalg.norm(fit.points[:, None] - fit.points[None], axis=-1)
    assert np.allclose(d, known.distances, atol=1e-9)
    assert fit.method == "classical-mds" and fit.labels[0] == 0 and len(fit) == known.n
    assert isinstance(fit.map, np.ndarray) and fit.report["dim"] == 3


def test_the_evidence_decides_and_it_is_said(known):
    fit = nearer.embed(known.distances)
    assert fit.method == "metric-mds" and any("method metric-mds" in note for note in fit.notes)
    assert "metric-mds" in str(fit) or "stress" in str(fit)


def test_condensed_square_and_list_are_the_same(known):
    a, b = np.triu_indices(known.n, 1)
    square = nearer.embed(known.distances, method="metric-mds").points
    condensed = nearer.embed(known.distances[a, b], method="metric-mds").points
    long = [(int(i), int(j), float(known.distances[i, j])) for i, j in zip(a, b)]
    assert square.tobytes() == condensed.tobytes() == nearer.embed(long, kind="long", method="metric-mds").points.tobytes()


def test_a_table_is_measured_by_name(known):
    plain = nearer.embed(known.distances, method="metric-mds").points
    assert np.allclose(nearer.embed(known.features, measure="euclidean", method="metric-mds").points, plain, atol=1e-9)
    with pytest.raises(errors.ParameterError, match="measure="):
        nearer.embed(known.features, measure="euclidian-ish")


def test_objects_that_nobody_was_asked_about_exist(known):
    fit = nearer.embed(known.triplets, kind="triplets", objects=known.n + 2, method="ste")
    assert fit.labels == list(range(known.n + 2))


def test_weights_and_participants_travel(known):
    study = nearer.Study(comparisons=known.triplets, objects=known.n, participants=["p%d" % (k % 3) for k in range(len(known.triplets))])
    told = nearer.check(study)
    assert told["rows"] == len(known.triplets)
    heavy = nearer.Study(comparisons=known.triplets, objects=known.n, sample_weight=np.where(np.arange(len(known.triplets)) % 2, 5.0, 1.0))
    assert not np.array_equal(nearer.embed(heavy, method="ste").points, nearer.embed(study, method="ste").points)


def test_check_says_what_is_there(known):
    told = nearer.check(known.distances)
    assert told["kind"] == "distances" and told["objects"] == known.n and told["suggested"]["method"] == "metric-mds"
    assert told["lines"][0] == "distances" and any("begin with" in line and "metric-mds" in line for line in told["lines"])
    both = nearer.check(nearer.Study(distances=known.distances, features=known.features))
    assert [t["kind"] for t in both] == ["distances", "features"]


def test_placing_by_distances_is_where_the_object_was(known):
    old = known.distances[:-1, :-1]
    fit = nearer.embed(old, method="classical-mds", dim=3)
    placed = fit.place(known.distances[-1:, :-1])
    d = np.linalg.norm(fit.points - placed, axis=1)
    assert np.allclose(d, known.distances[-1, :-1], atol=1e-9)


def test_placing_by_judgements(known):
    rows = [tuple(known.labels[i] for i in r) for r in known.triplets]
    without = [r for r in rows if known.labels[0] not in r]
    about = [r for r in rows if r[0] == known.labels[0]]
    fit = nearer.embed(without, kind="triplets", method="ste")
    placed = fit.place(about, kind="triplets")
    assert placed.shape == (1, 2) and fit.placed[known.labels[0]]["judgements"] == len(about)


def test_placing_by_features(known):
    study = nearer.Study(comparisons=known.triplets, objects=known.n, features=known.features)
    fit = nearer.embed(study, method="kernel-gnmds")
    assert fit.places_by == "features"
    assert np.allclose(fit.place(known.features), fit.points, atol=1e-8)


def test_saved_loaded_and_pickled(known, tmp_path, command):
    fit = nearer.embed(known.distances, method="metric-mds", labels=known.labels)
    fit.save(tmp_path / "m.nearer")
    for again in (nearer.load(tmp_path / "m.nearer"), pickle.loads(pickle.dumps(fit))):
        assert again.points.tobytes() == fit.points.tobytes() and again.labels == known.labels and again.report == fit.report
        assert again.place(known.distances[:2]).tobytes() == fit.place(known.distances[:2]).tobytes()
    fit.save(tmp_path / "m.csv")
    told = json.loads(command("eval", tmp_path / "m.nearer", known.file("distances"), "--json", "--quiet"))
    assert told["stress1"] == fit.evaluate()["stress1"] == fit.evaluate(known.distances, labels=known.labels)["stress1"]


def test_a_certificate_is_verified(known, tmp_path):
    fit = nearer.embed(known.triplets, kind="triplets", objects=known.n, method="gnmds")
    assert fit.certificate["bound"] <= fit.certificate["primal"] * (1 + 1e-9)
    fit.save(tmp_path / "proof.cert")
    verdict = nearer.verify(tmp_path / "proof.cert", known.triplets, kind="triplets", objects=known.n)
    assert verdict["accepted"] and verdict["lines"][0].startswith("accepted: gnmds of 14 objects")
    other = known.triplets[::-1][:, [0, 2, 1]]
    with pytest.raises(errors.EvidenceError, match="metric-mds gives no certificate"):
        nearer.embed(known.distances, method="metric-mds").save(tmp_path / "none.cert")
    fit.save(tmp_path / "m.nearer")
    with pytest.raises(errors.EvidenceError, match="was loaded"):
        nearer.load(tmp_path / "m.nearer").save(tmp_path / "none.cert")
    assert not nearer.verify(tmp_path / "proof.cert", other, kind="triplets", objects=known.n)["accepted"]


def test_a_file_is_of_any_kind_that_the_command_reads(tmp_path):
    path = tmp_path / "d.txt"
    path.write_text("3\n4 5\n")
    assert nearer.embed(path, kind="lower", method="classical-mds").points.shape == (3, 2)
    with pytest.raises(errors.FormatError, match="kind='lower'"):
        nearer.embed([[3.0], [4.0]], kind="lower")


def test_a_map_of_features_or_rows_is_held_against_them(known):
    fit = nearer.embed(known.features, method="pca", dim=3)
    assert fit.evaluate()["stress1"] < 1e-9
    assert fit.evaluate(known.distances)["stress1"] < 1e-9


def test_the_page_is_whole(known, tmp_path):
    fit = nearer.embed(nearer.Study(distances=known.distances, labels=known.labels, metadata={"group": known.classes}))
    fit.page(tmp_path / "p.html", title="A title of its own", colour_by="group")
    text = (tmp_path / "p.html").read_text()
    assert "A title of its own" in text and known.labels[3] in text
    shown = fit._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "<script" not in shown.split('"', 2)[0]


def test_limits_end_with_the_best_so_far():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(400, 8))
    d = np.linalg.norm(x[:, None] - x[None], axis=-1)
    fit = nearer.embed(d, method="metric-mds", time_limit=0.05, starts=50)
    assert fit.report["stop"] == "time-limit" and np.isfinite(fit.points).all()


def test_progress_is_told_and_can_end_it():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(400, 8))
    d = np.linalg.norm(x[:, None] - x[None], axis=-1)
    steps = []

    def watch(step):
        steps.append(step)
        return False

    fit = nearer.embed(d, method="metric-mds", starts=200, progress=watch)
    assert fit.report["stop"] == "cancelled" and steps and isinstance(steps[0], nearer.Step)


INTERRUPTED = """
import os, signal, threading, numpy as np, nearer
# A shell lets what it starts in the background ignore the signal.
signal.signal(signal.SIGINT, signal.default_int_handler)
x = np.random.default_rng(1).normal(size=(500, 8))
d = np.linalg.norm(x[:, None] - x[None], axis=-1)
threading.Timer(0.6, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    fit = nearer.embed(d, method="metric-mds", starts=10000, on_interrupt="{how}")
    print("returned", fit.report["stop"], fit.points.shape)
except KeyboardInterrupt as e:
    print("raised", e.fit.report["stop"], e.fit.points.shape)
"""


@pytest.mark.parametrize("how,word", [("raise", "raised"), ("return", "returned")])
def test_interrupting_keeps_the_best_map(how, word):
    done = subprocess.run([sys.executable, "-c", INTERRUPTED.format(how=how)], capture_output=True, text=True, timeout=120)
    # Of several starts the best so far is kept: it may have converged before the others were cancelled.
    assert done.stdout.strip() in (f"{word} cancelled (500, 2)", f"{word} converged (500, 2)"), done.stderr


def test_other_threads_run_meanwhile():
    import threading

    rng = np.random.default_rng(1)
    x = rng.normal(size=(400, 8))
    d = np.linalg.norm(x[:, None] - x[None], axis=-1)
    counted = 0
    done = threading.Event()

    def count():
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    nearer.embed(d, method="metric-mds", time_limit=0.5, starts=10000)
    done.set()
    thread.join()
    assert counted > 20


def test_random_states():
    assert nearer._run.seed_of(None) == 0 and nearer._run.seed_of(np.int64(5)) == 5
    a, b = np.random.RandomState(3), np.random.RandomState(3)
    assert nearer._run.seed_of(a) == nearer._run.seed_of(b) != nearer._run.seed_of(a)
    with pytest.raises(errors.ParameterError, match="random_state='x'"):
        nearer._run.seed_of("x")


def test_aliases_and_the_table():
    names = [m["name"] for m in nearer.methods()]
    assert len(names) == len(set(names)) >= 25
    assert nearer.methods("smacof" if any("smacof" in m["aliases"] for m in nearer.methods()) else "pcoa")["name"] in names
