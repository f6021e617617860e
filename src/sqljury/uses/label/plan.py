"""Who labels which case, and in which order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, groupby
from math import log
from pathlib import Path
from random import Random
from typing import Final

from sqljury.case import MISSING, Case
from sqljury.errors import InputError
from sqljury.runs import open_run
from sqljury.uses.agree.labels import deviation
from sqljury.verdict import Record

_WEIGHT: Final = "weight"
"""The own column of the input that multiplies a case's value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelProject:
    """How cases are labelled.

    Args:
        annotators: their names.
        votes: how many of them label each case.
        seed: of the assignment and of the order.
        hide_reference: do not show the reference to annotators.
        until: stop is advised when half the width of a judge's interval of κ is at most this.

    Raises:
        InputError: SJ553: names that are empty or repeated, or fewer annotators than votes.
    """

    annotators: tuple[str, ...]
    votes: int = 2
    seed: int = 0
    hide_reference: bool = False
    until: float = 0.1

    def __post_init__(self) -> None:
        object.__setattr__(self, "annotators", tuple(name.strip() for name in self.annotators))
        names = self.annotators
        if len(set(names)) != len(names) or not all(names):
            raise InputError(
                "SJ553", f"annotators must have different names, not {', '.join(names)}."
            )
        if not 1 <= self.votes <= len(names):
            raise InputError(
                "SJ553", f"{len(names)} annotators cannot give {self.votes} labels to a case."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCase:
    """A case to label.

    Args:
        value: how much its label is worth, above 0: cases are drawn in proportion to it.
        says: for each judge whether it calls the prediction right.
    """

    case: Case
    value: float = 1.0
    says: Mapping[str, bool] = field(default_factory=dict)


def cases_to_label(source: Path | Iterable[Case]) -> Iterator[LabelCase]:
    """The cases of a run with what its judges say, or cases alone.

    Labels and reasons that the input already has are not taken along; cases without a prediction
    are left out.

    A case's value is how unsure the judges are together: the standard deviation of a label whose
    probability is the mean of their scores, which is high if they are unsure or disagree. An own
    column ``weight`` multiplies it.

    Raises:
        InputError: SJ401: the folder is not a run; SJ553: a weight that is not a number above 0.
    """
    if not isinstance(source, Path):
        for case in source:
            if case.predicted_sql is MISSING:
                continue
            yield LabelCase(case=_unlabelled(case), value=_weight(case))
        return
    with open_run(source) as run:
        thresholds = {judge.name: judge.threshold for judge in run.judges}
        for _, group in groupby(run.records(with_evidence=False), key=lambda one: one.case.key):
            records = [one for one in group if not one.verdict.outcome.left_out]
            if records and records[0].case.predicted_sql is not MISSING:
                yield _judged(records, thresholds)


def _judged(records: Sequence[Record], thresholds: Mapping[str, float]) -> LabelCase:
    case = records[0].case
    scores = {one.judge: one.verdict.score or 0.0 for one in records}
    return LabelCase(
        case=_unlabelled(case),
        value=deviation(sum(scores.values()) / len(scores)) * _weight(case),
        says={judge: score >= thresholds[judge] for judge, score in scores.items()},
    )


_GIVEN: Final = re.compile(r"reason(_\d+)?|votes|decision")
"""The own columns with what people said before."""


def _unlabelled(case: Case) -> Case:
    extra = {name: value for name, value in case.extra.items() if not _GIVEN.fullmatch(name)}
    return replace(case, label=None, extra=extra, origin="")


def _weight(case: Case) -> float:
    given = case.extra.get(_WEIGHT, 1.0)
    try:
        found = float(given) if isinstance(given, int | float | str) else 0.0
    except ValueError:
        found = 0.0
    if not 0 < found < float("inf"):
        raise InputError(
            "SJ553", f"{_WEIGHT} {given!r} is not a number above 0.", where=case.origin
        )
    return found


def order_keys(cases: Sequence[LabelCase], seed: int) -> list[float]:
    """For each case, a key by which they are labelled, the smallest first.

    Keys are exponential with the case's value as the rate: of the cases that are left, the next one
    is drawn in proportion to value. Those with keys below t were drawn with the probability
    1 - exp(-value · t), by which estimates are weighted.

    Source: Rosén 1997, On sampling with probability proportional to size (sequential Poisson and
    successive sampling).
    """
    return [
        -log(1.0 - Random(f"{seed}:{number}").random()) / one.value
        for number, one in enumerate(cases)
    ]


def assigned(project: LabelProject, keys: Sequence[float]) -> list[tuple[str, ...]]:
    """The annotators of each case: equal loads, and each pair about equally often.

    Cases are assigned in the order of their keys, so that loads are equal whenever people stop.
    """
    random = Random(f"{project.seed}:assignment")
    groups = list(combinations(project.annotators, project.votes))
    random.shuffle(groups)
    loads: Counter[str] = Counter()
    used: Counter[tuple[str, ...]] = Counter()
    found: list[tuple[str, ...]] = [()] * len(keys)
    for number in sorted(range(len(keys)), key=keys.__getitem__):
        chosen = min(groups, key=lambda group: (sum(loads[one] for one in group), used[group]))
        loads.update(chosen)
        used[chosen] += 1
        found[number] = chosen
    return found
