"""nearer turns what is known about how alike things are into a map you can trust.

>>> import nearer
>>> fit = nearer.embed(nearer.toy.cities(), method="metric-mds")
>>> round(fit.stress, 3) < 0.1
True

`nearer.embed` makes a map, `nearer.check` looks at the evidence first, `nearer.read` takes files, `nearer.Study` joins several kinds
of evidence; `nearer.sklearn` has every method as an estimator of scikit-learn, `nearer.spark` carries a model to a cluster.
"""

from __future__ import annotations

from . import errors, toy
from ._core import version as _version
from ._fit import Fit, check, embed, load, methods, verify
from ._run import Step
from ._study import Study, read
from .errors import NearerError

__version__ = _version()
__all__ = [
    "Fit", "NearerError", "Step", "Study", "check", "embed", "errors", "load", "methods", "read", "sklearn", "spark", "toy", "verify",
]


def __getattr__(name: str):
    # Optional rooms are opened when somebody enters: import nearer stays quick, and needs nothing but numpy.
    if name in ("sklearn", "spark", "batch"):
        import importlib

        return importlib.import_module(f"nearer.{name}")
    raise AttributeError(f"module 'nearer' has no attribute {name!r}")
