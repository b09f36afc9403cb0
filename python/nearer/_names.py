"""Python's names for what the table of methods has: classes, parameters, defaults, docstrings. Needs nothing but the table."""

from __future__ import annotations

import keyword
import textwrap
from typing import Any

# Written in capitals in the literature.
ACRONYMS = set(
    "mds mvu edm ste ckl soe psde kpsde gnmds svm pca lda lle hlle ltsa lmnn nca itml rca dca lpp npe mmc cca knn sdml lsml".split()
)
# What every estimator has beside the parameters of its method, with its doc.
SHARED = {
    "random_state": (None, "the seed: a number, a RandomState or a Generator; 0 where nothing is said, so that a fit can be repeated"),
    "n_jobs": (None, "threads; all cores where nothing is said; no number changes the result"),
    "time_limit": (None, "end after so many seconds with the best so far"),
}
METRIC = ("euclidean", '"precomputed" for a square of distances, or a distance of scipy.spatial.distance.cdist, by name or as a function')
TUPLES = {
    "objects": (None, "all objects: their labels, or how many there are; without it those that occur in the rows"),
    "features": (None, "a row of numbers for each object, in the order of objects; the map is then a function of them where the method allows"),
    "kernels": (None, 'kernels over the features, as "rbf:features"'),
}


# Names that an estimator has for something else: a parameter of such a name is called `transform_kind`.
TAKEN = {"fit", "transform", "predict", "score", "metric", "objects", "features", "kernels", *keyword.kwlist}


def class_name(method: str) -> str:
    """`metric-mds` is `MetricMDS`."""
    return "".join(p.upper() if p in ACRONYMS or len(p) == 1 else p.capitalize() for p in method.split("-"))


def family(method: dict) -> str | None:
    """What the rows of X are: `table` (features or distances), `classes` (features with classes in y) or `tuples` of objects."""
    ways = [set(way) for way in method["ways"]]
    if any(way <= {"features"} or way <= {"distances"} for way in ways):
        return "table"
    if any(way <= {"features", "kernels", "sorts", "classes", "labels"} and way & {"sorts", "classes", "labels"} for way in ways):
        return "classes"
    if any(way & {"comparisons", "pairs"} for way in ways):
        return "tuples"
    return None


def takes(method: dict, *parts: str) -> bool:
    """Whether the method has a way that takes one of these parts."""
    return any(set(way) & set(parts) for way in method["ways"])


def default(parameter: dict) -> Any:
    """The default as Python has it."""
    return None if parameter["default"] == "none" else parameter["default"]


def parameters(method: dict) -> dict[str, tuple[Any, str]]:
    """The parameters of an estimator by name: default and doc."""
    kind = family(method)
    found: dict[str, tuple[Any, str]] = {}
    for p in method["parameters"]:
        name = "n_components" if p["name"] == "dim" else p["name"].replace("-", "_")
        name += "_kind" if name in TAKEN else ""
        found[name] = (default(p), f"{p['doc']}; {p['expected']}")
    more = dict(TUPLES) if kind == "tuples" else {}
    if kind == "table" and takes(method, "distances"):
        more["metric"] = METRIC
    for name, what in {**more, **SHARED}.items():
        found.setdefault(name, what)
    return found


def setting(name: str) -> str:
    """The name that the table has for a parameter of an estimator."""
    name = name.removesuffix("_kind") if name.removesuffix("_kind") in TAKEN and name.endswith("_kind") else name
    return "dim" if name == "n_components" else name.replace("_", "-")


def docstring(method: dict) -> str:
    """What `help()` shows."""
    kind = family(method)
    wrap = lambda text, by="": "\n".join(textwrap.wrap(text, 110, initial_indent=by, subsequent_indent=by, break_long_words=False))
    listed = "\n".join(f"{name} : default={value!r}\n{wrap(doc, '    ')}" for name, (value, doc) in parameters(method).items())
    rows = {
        "table": "rows of features" + (', or of distances where ``metric="precomputed"``' if takes(method, "distances") else ""),
        "classes": "rows of features; the classes are y",
        "tuples": "rows of objects: " + " or ".join(
            words for part, words in (("comparisons", "triplets (head, near, far) and quadruplets (a, b, c, d)"), ("pairs", "pairs, alike or not as y says"))
            if takes(method, part)
        ),
    }[kind or "table"]
    return f"""{method['summary'][:1].upper() + method['summary'][1:]}.

{wrap('Solves ``' + method['solves'] + '``')}

{wrap('X: ' + rows + '.')}

Parameters
----------
{listed}

Attributes
----------
embedding_ : array of shape (n_objects, n_components)
    The map.
fit_ : nearer.Fit
    Everything about it: report, certificate, page, placing.
n_iter_ : int
    Iterations of the start that was kept.

Notes
-----
{wrap('Places new objects: ' + method['places'] + '.')}
{wrap('Cost: ' + method['cost'] + '.')}

References
----------
{wrap(method['reference'])}
"""


def init_source(method: dict) -> str:
    """The constructor: it stores its arguments, and nothing else."""
    names = parameters(method)
    arguments = ", ".join(f"{name}={value!r}" for name, (value, _) in names.items())
    body = "\n".join(f"    self.{name} = {name}" for name in names)
    return f"def __init__(self, *, {arguments}):\n{body}\n"
