"""Pairs that people have to look at: where two opinions differ, or nothing decides.

Source: FuncEvalGMN, appendix E.2: denotations on test suites first, then a language model, then
people for what these do not agree on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.uses.building.pairs.labels import PEOPLE
from sqljury.uses.building.pairs.pair import LabelledPair, QueryPair
from sqljury.verdict import Verdict

DISAGREEMENT = "disagreement"


def with_second(
    labelled: Iterable[LabelledPair], opinions: Mapping[str, Verdict]
) -> list[LabelledPair]:
    """The labels that a second opinion does not contradict; the others are left to people.

    Args:
        opinions: by the pairs' ids; a verdict without a score is no opinion.
    """
    found = []
    for one in labelled:
        verdict = opinions.get(one.pair.id)
        score = verdict.score if verdict is not None else None
        if one.label is not None and score is not None and (score >= 0.5) != one.label:
            one = replace(one, label=None, how=f"{DISAGREEMENT}: {one.how}")
        found.append(one)
    return found


def with_people(
    labelled: Iterable[LabelledPair], decisions: Mapping[str, bool]
) -> list[LabelledPair]:
    """The same with what people decided, whatever was said before."""
    return [
        replace(one, label=decisions[one.pair.id], how=PEOPLE) if one.pair.id in decisions else one
        for one in labelled
    ]


def decisions_of(cases: Iterable[Case]) -> dict[str, bool]:
    """What people wrote into the queue, by the pairs' ids; lines without a label wait on.

    Raises:
        InputError: SJ581: a line that is no pair of a queue.
    """
    found = {}
    for case in cases:
        if not case.reference_sqls or not isinstance(case.predicted_sql, str):
            raise InputError("SJ581", "there is no reference or prediction.", where=case.origin)
        if case.label is not None:
            found[QueryPair.of(case).id] = case.label
    return found
