"""Cases that several people label: assigns them, and keeps those on which people agree.

Source: ROSE-VEC (ACL 2026): two of five experts judge each case, and only cases on which both
agree are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, cycle
from pathlib import Path

from sqljury.benchmarks import read_cases, read_labels, read_reasons, write_cases
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.spreadsheet import SafeRows
from sqljury.uses.building.names import place
from sqljury.uses.statistics import Confusion
from sqljury.writing import PathLike, new_file, new_folder


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
        raise InputError(
            "SJ563", f"there are {len(set(people))} people, and {each} must label each case."
        )
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


_COLUMNS = (
    *("id", "source", "db_id", "question", "hint", "predicted_sql", "reference_sql"),
    *("label", "reason"),
)


def write_forms(
    cases: PathLike | Sequence[PathLike],
    folder: PathLike,
    people: Sequence[str],
    *,
    each: int = 2,
    seed: int = 0,
) -> dict[str, int]:
    """Write a CSV file with cases to label for each person; return each person's number of cases.

    Args:
        each: how many people label a case.
        seed: the seed by which cases are shared out.

    Raises:
        InputError: SJ110: several cases have one id; SJ563: there are fewer people than ``each``.
    """
    known = _by_key(cases)
    shares = shares_of(list(known), people, each, seed)
    new_folder(Path(folder))
    for person, share in shares.items():
        with new_file(Path(folder) / f"{person}.csv") as file:
            rows = SafeRows(file)
            rows.write(_COLUMNS)
            for case in map(known.__getitem__, share):
                shown = (case.id, case.source, case.db_id, case.question, case.hint)
                references = "; ".join(case.reference_sqls)
                rows.write([*shown, case.predicted_sql, references, "", ""])
    return {person: len(share) for person, share in shares.items()}


def build_consensus(
    cases: PathLike | Sequence[PathLike],
    labels: Sequence[PathLike],
    out: PathLike,
    *,
    each: int = 2,
    column: str = "label",
) -> AgreedCases:
    """Write the cases on which all their labels agree, with the label and the reasons.

    Args:
        labels: a file of labels for each person, named after the person.
        each: how many labels a case needs.

    Raises:
        InputError: SJ110: several cases have one id; SJ562: no case is left; other codes: a file
            cannot be used.
    """
    said = {}
    for path in map(Path, labels):
        why = read_reasons(path)
        given = read_labels(path, column)
        said[path.stem] = {key: PersonsLabel(yes, why.get(key, "")) for key, yes in given.items()}
    found = consensus_of(list(_by_key(cases).values()), said, each)
    if not found.cases:
        raise InputError(
            "SJ562",
            f"no case is left: {found.too_few} of {found.n} have fewer than {each} labels.",
            hint="Labels are joined to cases by id, and source where there is one.",
        )
    write_cases(found.cases, out)
    return found


def _by_key(cases: PathLike | Sequence[PathLike]) -> dict[str, Case]:
    found: dict[str, Case] = {}
    for case in read_cases(cases):
        if found.setdefault(key_of(case), case) is not case:
            raise InputError("SJ110", f"two cases have the id {key_of(case)!r}.", where=case.origin)
    return found
