"""Bad input: the right class, and a sentence with the value, the place and a remedy in Python's terms."""

import subprocess
import sys

import numpy as np
import pytest

import nearer
from nearer import errors

SQUARE = np.array([[0, 3, 4], [3, 0, 5], [4, 5, 0]], dtype=float)


def changed(i, j, v):
    d = SQUARE.copy()
    d[i, j] = v
    d[j, i] = v
    return d


CASES = [
    ("nan", lambda: nearer.embed(changed(0, 1, np.nan)), errors.EvidenceError, ValueError, ["`0` and `1`", "nan_missing=True"]),
    ("negative", lambda: nearer.embed(changed(0, 1, -1)), errors.EvidenceError, ValueError, ["`0` and `1`", "-1"]),
    ("diagonal", lambda: nearer.embed(np.ones((3, 3))), errors.InputError, ValueError, ["diagonal", "similarity="]),
    ("nan feature", lambda: nearer.embed(np.array([[1, np.nan, 2.5], [1, 2, 3], [4, 5, 6], [1, 1, 1]])), errors.EvidenceError, ValueError, ["x2", "NaN"]),
    ("object dtype", lambda: nearer.embed(np.array([[1, "a"], [2, "b"]], dtype=object), kind="features"), errors.InputTypeError, TypeError, ["dtype object", "'a'"]),
    ("strings", lambda: nearer.Study(features=[["a", "b"]]), errors.InputTypeError, TypeError, ["not numbers"]),
    ("ragged", lambda: nearer.Study(features=[[1.0], [1.0, 2.0]]), errors.InputTypeError, TypeError, ["equal length"]),
    ("three dimensions", lambda: nearer.Study(features=np.zeros((2, 2, 2))), errors.EvidenceError, ValueError, ["3 dimensions"]),
    ("not square", lambda: nearer.Study(distances=np.zeros((2, 3))), errors.EvidenceError, ValueError, ["2 x 3", "rows="]),
    ("condensed length", lambda: nearer.embed(np.ones(4)), errors.EvidenceError, ValueError, ["4 values"]),
    ("unclear", lambda: nearer.embed(np.array([[0, 1, 2], [1, 0, 2], [2, 0, 1], [0, 2, 1]])), errors.FormatError, ValueError, ['kind="triplets"']),
    ("unclear labels", lambda: nearer.embed([("a", "b", "c")]), errors.FormatError, ValueError, ['kind="triplets"']),
    ("unknown label", lambda: nearer.Study(comparisons=[("a", "b", "x")], objects=["a", "b", "c"]), errors.UnknownLabelError, LookupError, ["'x'", "objects="]),
    ("unknown number", lambda: nearer.Study(comparisons=[(0, 1, 9)], objects=3), errors.UnknownLabelError, ValueError, ["`9`", "objects="]),
    ("no such method", lambda: nearer.embed(SQUARE, method="metrik-mds"), errors.ParameterError, ValueError, ["metric-mds", "nearer.methods()"]),
    ("no such parameter", lambda: nearer.embed(SQUARE, method="metric-mds", neighbours=3), errors.ParameterError, ValueError, ["neighbours=3", "max-iter"]),
    ("out of range", lambda: nearer.embed(SQUARE, method="metric-mds", dim=0), errors.ParameterError, ValueError, ["dim=0"]),
    ("wrong evidence", lambda: nearer.embed(np.random.rand(5, 2) + 1, method="ste"), errors.EvidenceError, ValueError, ["ste does not take features", "nearer.methods()"]),
    ("no file", lambda: nearer.read("no-such.csv"), errors.FileError, OSError, ["no-such.csv"]),
    ("nothing", lambda: nearer.embed(), errors.ParameterError, ValueError, ["no evidence"]),
    ("a number", lambda: nearer.embed(5), errors.InputTypeError, TypeError, ["int"]),
    ("labels twice", lambda: nearer.embed(SQUARE, labels=["a", "a", "b"]), errors.NearerError, ValueError, ["`a`"]),
    ("too many labels", lambda: nearer.embed(SQUARE, labels=["a", "b"]), errors.EvidenceError, ValueError, ["2 labels for 3"]),
    ("n_jobs", lambda: nearer.embed(SQUARE, n_jobs=0), errors.ParameterError, ValueError, ["n_jobs=0"]),
    ("memory", lambda: nearer.embed(SQUARE, method="robust-mds", memory=1), errors.MemoryLimitError, MemoryError, ["1 B"]),
    ("apart", lambda: nearer.embed([("a", "b", 1.0), ("c", "d", 1.0)], method="metric-mds"), errors.DisconnectedError, ValueError, ["`a`", "`c`"]),
    ("a page of another name", lambda: nearer.embed(SQUARE).page("x.txt"), errors.FormatError, ValueError, [".html"]),
    ("no extension", lambda: nearer.embed(SQUARE).save("x"), errors.FormatError, ValueError, [".nearer"]),
    ("alike how", lambda: nearer.Study(pairs=[(0, 1, "maybe")]), errors.InputTypeError, TypeError, ["maybe"]),
]


@pytest.mark.parametrize("make,kind,builtin,words", [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_bad_input(make, kind, builtin, words):
    with pytest.raises(kind) as caught:
        make()
    assert isinstance(caught.value, builtin) and isinstance(caught.value, nearer.NearerError)
    for word in words:
        assert word in str(caught.value), str(caught.value)
    assert "--" not in str(caught.value), f"a flag of the command: {caught.value}"


def test_a_file_says_where(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("label,a,b\na,0,abc\nb,3,0\n")
    with pytest.raises(errors.InputError) as caught:
        nearer.read(path)
    assert caught.value.line == 2 and caught.value.column == 3 and caught.value.file == str(path) and caught.value.kind == "value"


def test_the_remedy_helps(tmp_path):
    similar = np.array([[1, 0.5, 0.2], [0.5, 1, 0.4], [0.2, 0.4, 1]])
    with pytest.raises(errors.InputError, match="similarity="):
        nearer.embed(similar)
    fit = nearer.embed(similar, similarity="1-s", method="classical-mds")
    assert fit.points.tobytes() == nearer.embed(1 - similar, method="classical-mds").points.tobytes()
    path = tmp_path / "s.csv"
    path.write_text(",a,b,c\n" + "\n".join(",".join(["abc"[k], *map(str, row)]) for k, row in enumerate(similar)))
    theirs = nearer.embed(nearer.read(path, similarity="1-s"), method="classical-mds").points
    assert theirs.tobytes() == fit.points.tobytes()


@pytest.mark.parametrize("package,use", [("matplotlib", lambda f: f.plot())])
def test_a_missing_package_is_named(package, use, monkeypatch):
    monkeypatch.setitem(sys.modules, f"{package}.pyplot", None)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(errors.MissingPackageError, match=f"needs {package}.*pip install") as caught:
        use(nearer.embed(SQUARE))
    assert isinstance(caught.value, ImportError)


def test_missing_sklearn_is_named():
    code = "import sys; sys.modules['sklearn'] = sys.modules['sklearn.base'] = None; import nearer; nearer.sklearn"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "MissingPackageError: nearer.sklearn needs scikit-learn>=1.6, which is not installed; pip install" in done.stderr
