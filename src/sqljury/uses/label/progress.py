"""How far labelling is: agreement of annotators with each other and with judges, as labels come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import exp

from sqljury.case import Json
from sqljury.uses.label.store import LabelStore
from sqljury.uses.statistics import Confusion, Interval, fleiss_kappa, weighted_kappa


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorPair:
    """Cohen's κ of two annotators over the cases that both labelled."""

    first: str
    second: str
    n: int
    agree: int
    kappa: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOnLabels:
    """Cohen's κ of a judge with the labels, for all cases of the project.

    Labels come first where they are worth most; each is weighted by the reciprocal of the
    probability of having been drawn by now, so that κ is that of all cases.
    """

    judge: str
    n: int
    """The labels that it is computed from: those drawn before the first case without a label."""
    kappa: float | None
    interval: Interval | None
    """95 %, bootstrap over cases."""
    is_enough: bool
    """True if half the interval's width is at most the project's ``until``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelProgress:
    """How much of a labelling project is done, and how far annotators and judges agree."""

    cases: int
    complete: int
    """Cases that all of their annotators have labelled."""
    consensus: int
    """Complete cases on which they agree."""
    conflicts: int
    """Complete cases that wait for an adjudicator."""
    decided: int
    annotators: Sequence[tuple[str, int, int]]
    """Name, cases labelled, and cases to label in all."""
    fleiss: float | None
    """Fleiss' κ over the complete cases."""
    pairs: Sequence[AnnotatorPair]
    judges: Sequence[JudgeOnLabels]

    def to_json(self) -> dict[str, Json]:
        """A JSON object; statistics that are undefined are null."""
        return asdict(self)


def progress_of(store: LabelStore) -> LabelProgress:
    """How much of a project is done now."""
    complete = [number for number in store.order if store.is_complete(number)]
    yes = [sum(vote.correct for vote in store.votes[number].values()) for number in complete]
    return LabelProgress(
        cases=len(store.cases),
        complete=len(complete),
        consensus=sum(store.consensus(number) is not None for number in complete),
        conflicts=len(store.conflicts()),
        decided=len(store.decisions),
        annotators=[(name, *store.counts(name)) for name in store.project.annotators],
        fleiss=fleiss_kappa([(count, store.project.votes - count) for count in yes]),
        pairs=[
            pair
            for first, second in combinations(store.project.annotators, 2)
            if (pair := _pair(store, first, second)).n
        ],
        judges=_judges(store),
    )


def _pair(store: LabelStore, first: str, second: str) -> AnnotatorPair:
    both = [
        (votes[first].correct, votes[second].correct)
        for votes in store.votes
        if first in votes and second in votes
    ]
    found = Confusion.of(both)
    return AnnotatorPair(
        first=first,
        second=second,
        n=found.n,
        agree=found.tp + found.tn,
        kappa=found.statistics()["kappa"],
    )


def _judges(store: LabelStore) -> list[JudgeOnLabels]:
    """κ of each judge, over the cases that are drawn before the first one that is not complete.

    Cases on which annotators disagree have no label until they are decided; they are left out.
    """
    drawn: list[int] = []
    limit = float("inf")
    for number in store.order:
        if not store.is_complete(number):
            limit = store.keys[number]
            break
        drawn.append(number)
    rows: dict[str, list[tuple[bool, bool, float]]] = {}
    for number in drawn:
        one, label = store.cases[number], store.label(number)
        if label is None:
            continue
        weight = 1.0 if limit == float("inf") else 1.0 / (1.0 - exp(-one.value * limit))
        for judge, answer in one.says.items():
            rows.setdefault(judge, []).append((label, answer, weight))
    found = []
    for judge, labelled in rows.items():
        kappa, interval = weighted_kappa(labelled)
        width = 0.0 if interval is None else interval[1] - interval[0]
        # An interval without width is that of a judge whose answers, or labels, are all the same.
        is_enough = 0.0 < width <= 2 * store.project.until
        found.append(
            JudgeOnLabels(
                judge=judge, n=len(labelled), kappa=kappa, interval=interval, is_enough=is_enough
            )
        )
    return found
