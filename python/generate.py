"""Writes what is made from the table of methods: the stub of nearer.sklearn, and the list in docs/python.md.

    nearer methods --json | python3 python/generate.py [--check]

`cargo xtask readme` does it. Nothing of it is read at run time: the classes are made from the same table when they are imported.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- estimators -->\n", "<!-- /estimators -->"


def names():
    """`nearer._names`, without the package around it, which may not be built yet."""
    spec = importlib.util.spec_from_file_location("_names", ROOT / "python/nearer/_names.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def typed(parameter: dict) -> str:
    """The type of a parameter, for those who read stubs."""
    kind = parameter["kind"]
    base = {"count": "int", "number": "float", "flag": "bool"}.get(kind["type"])
    words = [w for w in parameter["or"] if w != "none"] + kind.get("words", [])
    parts = ([base] if base else []) + ([f"Literal[{', '.join(map(repr, words))}]"] if words else [])
    return " | ".join(parts + (["None"] if "none" in parameter["or"] else []))


def stub(methods: list[dict], n) -> str:
    text = ['"""Every method as an estimator of scikit-learn. Made by python/generate.py from the table of methods."""', ""]
    text += ["from typing import Any, Callable, Literal, Sequence", "", "import numpy as np", "from nearer import Fit", ""]
    text += ["class _Estimator:", "    embedding_: np.ndarray", "    fit_: Fit", "    n_iter_: int", "    stress_: float"]
    text += ["    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...", "    def set_params(self, **params: Any) -> Any: ...", ""]
    text += ["class _Table(_Estimator):", "    def fit(self, X: Any, y: Any = ...) -> Any: ..."]
    text += ["    def fit_transform(self, X: Any, y: Any = ...) -> np.ndarray: ...", "    def transform(self, X: Any) -> np.ndarray: ..."]
    text += ["    def get_feature_names_out(self, input_features: Any = ...) -> np.ndarray: ...", "    def set_output(self, *, transform: str | None = ...) -> Any: ...", ""]
    text += ["class _Classes(_Table):", "    classes_: np.ndarray", "    def fit(self, X: Any, y: Any) -> Any: ...", ""]
    text += ["class _Tuples(_Estimator):", "    objects_: np.ndarray", "    def fit(self, X: Any, y: Any = ..., sample_weight: Any = ...) -> Any: ..."]
    text += ["    def fit_transform(self, X: Any, y: Any = ..., sample_weight: Any = ...) -> np.ndarray: ...", "    def transform(self, X: Any) -> np.ndarray: ..."]
    text += ["    def predict(self, X: Any) -> np.ndarray: ...", "    def decision_function(self, X: Any) -> np.ndarray: ..."]
    text += ["    def score(self, X: Any, y: Any = ..., sample_weight: Any = ...) -> float: ...", "    def pair_distance(self, pairs: Any) -> np.ndarray: ..."]
    text += ["    def pair_score(self, pairs: Any) -> np.ndarray: ...", "    def get_metric(self) -> Callable[[Any, Any], float]: ...", ""]
    shared = {
        "random_state": "int | np.random.RandomState | np.random.Generator | None", "n_jobs": "int | None", "time_limit": "float | None",
        "metric": "str | Callable[..., float]", "objects": "Sequence[Any] | int | None", "features": "Any", "kernels": "str | Sequence[str] | None",
    }
    for m in methods:
        family = n.family(m)
        if family is None:
            continue
        own = {p["name"]: typed(p) for p in m["parameters"]}
        given = [
            f"        {name}: {own.get(n.setting(name)) or shared[name]} = ...," for name in n.parameters(m)
        ]
        base = {"table": "_Table", "classes": "_Classes", "tuples": "_Tuples"}[family]
        text += [f"class {n.class_name(m['name'])}({base}):", f'    """{m["summary"]}"""', "    def __init__(", "        self,", "        *,", *given, "    ) -> None: ...", ""]
    text += ["def all_estimators() -> list[type]: ...", ""]
    return "\n".join(text)


def listed(methods: list[dict], n) -> str:
    rows = ["| estimator | method | X | what it does |", "|---|---|---|---|"]
    what = {"table": "features, or distances", "classes": "features, classes in y", "tuples": "tuples of objects"}
    for m in methods:
        family = n.family(m)
        if family:
            x = "features" if family == "table" and not n.takes(m, "distances") else what[family]
            rows.append(f"| `{n.class_name(m['name'])}` | `{m['name']}` | {x} | {m['summary'].replace('|', chr(92) + '|')} |")
    return "\n".join(rows) + "\n"


def main() -> int:
    methods, n = json.load(sys.stdin), names()
    guide = ROOT / "docs/python.md"
    before, rest = guide.read_text().split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    wanted = {
        ROOT / "python/nearer/sklearn.pyi": stub(methods, n),
        guide: f"{before}{BEGIN}\n{listed(methods, n)}\n{END}{after}",
    }
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        if "--check" not in sys.argv:
            path.write_text(wanted[path])
        print(f"{path.relative_to(ROOT)}: {'out of date; `cargo xtask readme` rewrites it' if '--check' in sys.argv else 'rewritten'}")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
