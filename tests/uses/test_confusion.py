"""Count statistics against scikit-learn, and where they are undefined."""

from __future__ import annotations

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.uses.statistics import COUNT_STATISTICS, Confusion

PAIRS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60)
REFERENCE = {
    "kappa": "cohen_kappa_score",
    "accuracy": "accuracy_score",
    "mcc": "matthews_corrcoef",
    "f1": "f1_score",
    "precision": "precision_score",
    "recall": "recall_score",
}


@given(PAIRS)
def test_equals_scikit_learn_where_defined(pairs: list[tuple[bool, bool]]) -> None:
    from sklearn import metrics

    labels, answers = zip(*pairs, strict=True)
    found = Confusion.of(pairs).statistics()
    assert list(found) == list(COUNT_STATISTICS) == list(REFERENCE)
    for name, value in found.items():
        if value is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = getattr(metrics, REFERENCE[name])(labels, answers)
            assert value == pytest.approx(expected, abs=1e-12), name


@given(PAIRS)
def test_undefined_exactly_where_the_definition_divides_by_zero(
    pairs: list[tuple[bool, bool]],
) -> None:
    found = Confusion.of(pairs).statistics()
    labels, answers = (set(side) for side in zip(*pairs, strict=True))
    assert found["accuracy"] is not None
    assert (found["kappa"] is None) == (labels == answers and len(labels) == 1)
    assert (found["mcc"] is None) == (len(labels) == 1 or len(answers) == 1)
    assert (found["f1"] is None) == (labels == answers == {False})
    assert (found["precision"] is None) == (True not in answers)
    assert (found["recall"] is None) == (True not in labels)


def test_nothing_is_defined_without_cases() -> None:
    assert set(Confusion().statistics().values()) == {None}


def test_counts_go_where_they_belong() -> None:
    pairs = [(True, True)] * 4 + [(False, True)] * 3 + [(True, False)] * 2 + [(False, False)]
    confusion = Confusion.of(pairs)
    assert confusion == Confusion(tp=4, fp=3, fn=2, tn=1)
    assert confusion.counts == (4, 3, 2, 1)
    assert confusion.n == 10


def test_large_counts_do_not_overflow() -> None:
    million = 10**6
    found = Confusion(tp=9 * million, fp=million, fn=million, tn=9 * million).statistics()
    assert found["mcc"] == pytest.approx(0.8)
    assert found["kappa"] == pytest.approx(0.8)
