"""Write forms for people to label cases, and collect the cases whose label they agree on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sqljury.api.inputs import PathLike
from sqljury.benchmarks import read_cases, read_labels, read_reasons, write_cases
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.spreadsheet import SafeRows
from sqljury.uses.building.consensus import (
    AgreedCases,
    PersonsLabel,
    consensus_of,
    key_of,
    shares_of,
)
from sqljury.writing import new_file, new_folder

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
            raise InputError("SJ110", f"two cases of the id {key_of(case)!r}.", where=case.origin)
    return found
