"""scikit-learn's own checks on every estimator that the table makes."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import nearer.sklearn as ns

# Small data, and none of them needs more; all in one piece, since the data of some checks falls into clusters.
QUICK = {"max_iter": 50, "starts": 1, "neighbours": 60}


def made(cls):
    names = cls().get_params()
    return cls(**{k: v for k, v in QUICK.items() if k in names})


def expected_to_fail(estimator):
    """Checks that cannot hold, with the reason."""
    return {}


@parametrize_with_checks([made(c) for c in ns.all_estimators() if c.__mro__[1].__name__ != "_Tuples"], expected_failed_checks=expected_to_fail)
def test_checks(estimator, check):
    check(estimator)


@parametrize_with_checks([c() for c in ns.all_estimators() if c.__mro__[1].__name__ == "_Tuples"])
@pytest.mark.filterwarnings("ignore:Can't test estimator")
def test_checks_of_tuples(estimator, check):
    check(estimator)
