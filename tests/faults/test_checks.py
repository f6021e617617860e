"""Each check finds its fault, and stays silent on the near miss beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqljury.faults import all_checks


def _pairs() -> list[tuple[str, dict[str, str]]]:
    """The blocks of the file: a check's code, and its lines by the word before the colon."""
    text = (Path(__file__).parent / "pairs.txt").read_text(encoding="utf-8")
    blocks = [block.splitlines() for block in text.strip().split("\n\n")[1:]]
    return [(code, dict(line.split(": ", 1) for line in lines)) for code, *lines in blocks]


PAIRS = _pairs()
WITHOUT_ROWS = {"AU410"}


@pytest.mark.parametrize(("code", "pair"), PAIRS)
def test_fault_and_near_miss(find, code, pair) -> None:
    said = pair.get("question", ""), pair.get("hint", "")
    rows = code not in WITHOUT_ROWS
    assert find(code, pair["fault"], *said, rows=rows), "the fault is not found"
    assert not find(code, pair["none"], *said, rows=rows), "the near miss is reported"


def test_every_check_has_a_pair() -> None:
    assert {check.code for check in all_checks()} == {code for code, _ in PAIRS}


def test_hints_are_checks_that_were_right_in_fewer_than_half() -> None:
    weak = {check.code for check in all_checks() if check.weak}
    seldom = {check.code for check in all_checks() if check.read[0] * 2 < check.read[1]}
    # COUNT over a join that may repeat rows: nothing shows that it does.
    assert weak == seldom | {"AU410"}


def test_every_check_says_what_it_finds() -> None:
    titles = [check.title for check in all_checks()]
    assert all(title.endswith(".") for title in titles)
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize(
    ("code", "sql", "proposal"),
    [
        (
            "AU101",
            "SELECT name FROM boat WHERE kind = 'sailboat' -- all",
            "SELECT name FROM boat WHERE kind = 'Sail Boat' -- all",
        ),
        (
            "AU205",
            "SELECT name FROM boat ORDER BY max_speed LIMIT 1",
            "SELECT name FROM boat WHERE NOT max_speed IS NULL ORDER BY max_speed LIMIT 1",
        ),
        (
            "AU302",
            "SELECT SUM(fare) / COUNT(*) FROM trip",
            "SELECT CAST(SUM(fare) AS REAL) / COUNT(*) FROM trip",
        ),
    ],
)
def test_proposals(find, code, sql, proposal) -> None:
    assert find(code, sql)[0].proposal == proposal


def test_division_that_leaves_nothing_over_is_no_fault(find) -> None:
    assert not find("AU302", "SELECT fare / 5 FROM trip")
    assert not find("AU302", "SELECT SUM(fare) / COUNT(crew) FROM trip, boat WHERE fare = 10")


def test_evidence_shows_the_rows(find) -> None:
    (found,) = find("AU204", "SELECT name FROM boat ORDER BY length LIMIT 1")
    assert [found.evidence["kept"], found.evidence["cut"]] == [[["Bela"]], [["Dora"]]]


def test_without_rows_only_checks_of_texts_look(find) -> None:
    assert not find("AU204", "SELECT name FROM boat ORDER BY length LIMIT 1", rows=False)
    assert find("AU107", "SELECT id FROM port WHERE depth = NULL", rows=False)
