"""Judges that look at several cases at once: whole questions, one process, failures each alone."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import sqljury as sj
from sqljury.case import Case

JUDGE = f"{Path(__file__).with_name('together.py')}:Together"


def _cases() -> list[Case]:
    """Ten questions with seven candidates each, scattered over the file."""
    return [
        Case(id=f"{place}", db_id="d", question=f"q{place % 10}", predicted_sql=f"SELECT {place}")
        for place in range(70)
    ]


@pytest.mark.parametrize("option", ["", ",fails_at=33", ",dies_at=33"])
def test_questions_come_whole_and_failures_stay_alone(tmp_path: Path, option: str) -> None:
    judge = f"{JUDGE},place={tmp_path}{option}"
    with sj.evaluate(_cases(), (judge,), run=tmp_path / "run", workers=2) as found:
        said = {
            one.case.id: (one.verdict.outcome.value, one.verdict.reason) for one in found.records()
        }
    expected = {str(place): ("correct", f"case {place}") for place in range(70)}
    if option:
        outcome, _ = said.pop("33")
        assert outcome == "judge_unavailable"
        del expected["33"]
    assert said == expected
    seen = list(tmp_path.glob("seen-*"))
    if not option.startswith(",dies"):
        assert len(seen) == 1, "one process"
        for line in seen[0].read_text().splitlines():
            assert set(Counter(line.split()).values()) == {7}, "whole questions"
