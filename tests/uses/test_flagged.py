"""Flags of references: one line each, whoever gave them, and how often people confirm them."""

from __future__ import annotations

import pytest

from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.uses.audit.flagged import confirmation, flags_of, precision_of
from sqljury.verdict import Record, Verdict


def record(id_: str, judge: str, source: str, *labels: str) -> Record:
    case = Case(id=id_, benchmark="b", source=source, predicted_sql=source, reference_sqls=("R",))
    return Record(case=case, judge=judge, verdict=Verdict.correct("because", labels=labels))


RECORDS = [
    record("1", "o3", "p", "gold_fault", "ambiguous_question"),
    record("1", "o3", "q", "gold_fault"),
    record("1", "r1", "p", "gold_fault"),
    record("2", "o3", "p", "gold_fault", "limit_cuts_tie"),
    record("3", "o3", "p"),
]


def test_a_reference_has_a_line_for_each_label() -> None:
    flags, by_judge = flags_of(RECORDS)
    assert [flag.key for flag in flags] == [
        ("b", "1", "gold_fault"),
        ("b", "1", "ambiguous_question"),
        ("b", "2", "gold_fault"),
    ]
    first = flags[0]
    assert (first.confirmed, first.decision, first.sql) == (None, None, "R")
    assert first.evidence == {
        "predictions": ["p", "q"],
        "judges": {"o3": ["because", "because"], "r1": ["because"]},
    }
    assert by_judge["r1"] == {("b", "1", "gold_fault")}


def test_precision_of_what_was_read() -> None:
    _, by_judge = flags_of(RECORDS)
    said = {("b", "1", "gold_fault"): True, ("b", "2", "gold_fault"): False}
    rows = {(row.judge, row.label): row for row in precision_of(by_judge, said)}
    gold = rows["o3", "gold_fault"]
    assert (gold.flagged, gold.reviewed, gold.confirmed, gold.precision) == (2, 2, 1, 0.5)
    assert rows["r1", "gold_fault"].precision == 1
    unread = rows["o3", "ambiguous_question"]
    assert (unread.flagged, unread.reviewed, unread.precision, unread.interval) == (
        1,
        0,
        None,
        None,
    )


@pytest.mark.parametrize(
    "line",
    [
        {"confirmed": True},
        {"benchmark": "b", "id": 1, "code": "gold_fault"},
        {"benchmark": "b", "id": "1", "code": "AU101"},
        {"benchmark": "b", "id": "1", "code": "gold_fault", "confirmed": "yes"},
    ],
)
def test_lines_that_are_no_flags(line: dict[str, object]) -> None:
    with pytest.raises(InputError, match="SJ526 flags:1"):
        confirmation(line, "flags:1")
