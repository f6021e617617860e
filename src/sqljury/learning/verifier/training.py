"""Training of the small verifier, on plain vectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqljury.learning.boosting import Boosting
from sqljury.learning.verifier.expectations import Choices, Expectations
from sqljury.learning.verifier.model import Weigher

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

RESTYLED = 0.3
"""The share of queries that were rewritten, among the right and among the wrong."""


def train_expectations(
    columns: Array,
    roles: Mapping[str, Array],
    tables: Array,
    read: Array,
    texts: Sequence[Iterable[str]],
    parts: Mapping[str, Sequence[str]],
) -> Expectations:
    """Learn what questions ask for from their reference queries.

    Args:
        columns: the features of each column beside each question.
        roles: by role, whether that column has it in the reference.
        tables: the features of each table beside each question.
        read: whether the reference reads that table.
        texts: the terms of each masked question.
        parts: by part of the sketch, the word of each question's reference.

    Raises:
        MissingExtraError: scikit-learn is not installed.
    """
    by_role = {
        role: Boosting.train(columns, has, trees=120, leaves=20, rate=0.1, least=30)
        for role, has in roles.items()
    }
    by_table = Boosting.train(tables, read, trees=100, leaves=16, rate=0.1, least=30)
    return Expectations(by_role, by_table, Choices.train(texts, parts))


def train_weigher(
    vectors: Array, names: Sequence[str], labels: Array, weights: Array, *, trees: int
) -> Weigher:
    """Learn to tell right from wrong queries.

    What is unlikely for a question can only lower a score: wrong queries of
    other sources than the training's are wrong in other ways, but not likelier for it.

    Args:
        vectors: one row for each candidate.
        names: of the columns.
        labels: whether the candidate is right.
        weights: of the candidates, as of :func:`balance`.

    Raises:
        MissingExtraError: scikit-learn is not installed.
    """
    rising = [_direction(name) for name in names]
    found = Boosting.train(
        vectors,
        labels,
        weights=weights,
        rising=rising,
        trees=trees,
        leaves=24,
        rate=0.08,
        least=40,
    )
    return Weigher(tuple(names), found)


def balance(labels: Array, questions: Array, restyled: Array) -> Array:
    """Weights by which all questions, and the right and the wrong of each, weigh the same.

    Of both, queries that were rewritten weigh the same share, or how a query is spelled would say
    whether it is right.

    Args:
        labels: whether each candidate is right.
        questions: the number of its question.
        restyled: whether it was made by saying a query in another way.
    """
    import numpy as np

    keys = questions.astype(np.int64) * 4 + labels.astype(np.int64) * 2 + restyled
    _, place, counts = np.unique(keys, return_inverse=True, return_counts=True)
    weights: Array = np.where(restyled, RESTYLED, 1 - RESTYLED) / counts[place]
    weights *= len(labels) / weights.sum()
    return weights


def _direction(name: str) -> int:
    """1 where more may only raise the score, -1 where it may only lower it, else 0."""
    if name.startswith("regret_") or name.endswith(("_regret", "_missed", "_missed_all")):
        return -1
    if name.startswith("chance_") or name.endswith(("_worst", "_mean")):
        return 1
    return {"missing_values": -1, "texts_unsaid": -1, "numbers_unsaid": -1}.get(name, 0)


def slope_of(log_odds: Array, labels: Array, weights: Array) -> float:
    """What log-odds of held-out candidates must be multiplied with to be calibrated.

    Source: Platt (1999), Probabilistic outputs for support vector machines, without the constant.
    """
    import numpy as np
    from scipy.optimize import minimize_scalar

    sign = np.where(labels, 1.0, -1.0)

    def loss(slope: float) -> float:
        return float((weights * np.logaddexp(0.0, -slope * sign * log_odds)).sum())

    return float(minimize_scalar(loss, bounds=(0.05, 5.0), method="bounded").x)
