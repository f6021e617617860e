"""Cases that several people label: assigns them, and keeps those on which people agree.

Source: ROSE-VEC (ACL 2026): two of five experts judge each case, and only cases on which both
agree are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, cycle

from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.uses.building.names import place
from sqljury.uses.statistics import Confusion


@dataclass(frozen=True, slots=True)
class PersonsLabel:
    """One person's label of one case: whether the prediction is right, and why."""

    is_right: bool
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAgreement:
    """The agreement of two people on the cases that both labelled."""

    first: str
    second: str
    n: int
    agreed: int
    kappa: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreedCases:
    """Cases with the labels on which people agree, and counts of the other cases."""

    cases: tuple[Case, ...]
    """Cases on whose label all agree, with the label and the reasons (``reason_1``, …)."""
    n: int
    too_few: int
    """The number of cases labelled by fewer people than required."""
    disagreed: int
    pairs: tuple[PairAgreement, ...]


def shares_of(
    names: Sequence[str], people: Sequence[str], each: int, seed: int = 0
) -> dict[str, list[str]]:
    """By person, the cases to label: ``each`` people per case, all groups equally often.

    Raises:
        InputError: SJ563: there are fewer people than each case needs.

    >>> shares_of(["1", "2", "3"], ["ida", "bo", "cy"], each=2)
    {'ida': ['2', '3'], 'bo': ['1', '3'], 'cy': ['1', '2']}
    """
    if not 1 <= each <= len(set(people)):
        raise InputError("SJ563", f"{each} of {len(set(people))} people cannot label each case.")
    groups = sorted(combinations(sorted(set(people)), each), key=lambda g: place(seed, *g))
    drawn = sorted(names, key=lambda name: place(seed, "case", name))
    group_of = dict(zip(drawn, cycle(groups), strict=False))
    return {
        person: [name for name in names if person in group_of[name]]
        for person in dict.fromkeys(people)
    }


def consensus_of(
    cases: Sequence[Case], said: Mapping[str, Mapping[str, PersonsLabel]], each: int = 2
) -> AgreedCases:
    """The cases that at least ``each`` people labelled, and all in the same way.

    Args:
        said: by person, the labels by the case's id, or ``id/source`` if it has a source.
    """
    kept = []
    too_few = disagreed = 0
    for case in cases:
        given = [labels[key_of(case)] for labels in said.values() if key_of(case) in labels]
        if len(given) < each:
            too_few += 1
        elif len({one.is_right for one in given}) > 1:
            disagreed += 1
        else:
            reasons = {f"reason_{n}": one.reason for n, one in enumerate(given, 1)}
            extra = {**case.extra, **reasons}
            kept.append(replace(case, label=given[0].is_right, extra=extra))
    return AgreedCases(
        cases=tuple(kept),
        n=len(cases),
        too_few=too_few,
        disagreed=disagreed,
        pairs=tuple(_pair(*two) for two in combinations(said.items(), 2) if _common(*two)),
    )


def key_of(case: Case) -> str:
    """The key of a case in a file of labels."""
    return f"{case.id}/{case.source}" if case.source else case.id


_Labels = tuple[str, Mapping[str, PersonsLabel]]


def _common(first: _Labels, second: _Labels) -> list[str]:
    return [key for key in first[1] if key in second[1]]


def _pair(first: _Labels, second: _Labels) -> PairAgreement:
    both = _common(first, second)
    table = Confusion.of((first[1][key].is_right, second[1][key].is_right) for key in both)
    return PairAgreement(
        first=first[0],
        second=second[0],
        n=table.n,
        agreed=table.tp + table.tn,
        kappa=table.statistics()["kappa"],
    )
