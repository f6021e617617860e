"""Numbers as people read them."""

from __future__ import annotations

from dataclasses import replace

import pytest
import report_sample as sample

from sqljury.reports import words
from sqljury.uses.evaluate import JudgeSummary
from sqljury.verdict import Outcome


@pytest.mark.parametrize(
    ("fraction", "digits", "expected"),
    [
        (0.792, 1, "79.2"),
        (1.0, 1, "100.0"),
        (2146 / 2147, 1, ">99.9"),
        (0.0, 1, "0.0"),
        (-0.00001, 2, "0.00"),
        (-0.091, 2, "-9.10"),
        (0.5598, 2, "55.98"),
        (None, 1, "–"),
    ],
)
def test_percent(fraction: float | None, digits: int, expected: str) -> None:
    assert words.percent(fraction, digits) == expected


JUDGE = JudgeSummary(
    name="execution:spider",
    signature="s",
    n=972,
    total=1034,
    left_out=62,
    score=0.792,
    low=0.7653,
    high=0.8165,
    interval="wilson",
    outcomes={"correct": 770, "incorrect": 198, "unknown": 4, "database_missing": 62},
)


def test_the_denominator_is_spelt_out() -> None:
    sentence = "79.2 % of 972 (wilson 76.5–81.7); 62 left out: database_missing 62"
    assert words.score_sentence(JUDGE) == sentence
    assert words.details(JUDGE) == ["outcomes: correct 770, incorrect 198, unknown 4"]


def test_nothing_scored() -> None:
    empty = replace(JUDGE, n=0, score=None, low=None, high=None, outcomes={"database_missing": 62})
    assert words.score_sentence(empty) == (
        "no score: none of 1,034 counts; 62 left out: database_missing 62"
    )


def test_every_outcome_has_a_tone() -> None:
    tones = {outcome: words.tone(outcome) for outcome in Outcome}
    assert {o for o, tone in tones.items() if tone == "out"} == {o for o in Outcome if o.left_out}
    assert [o for o, tone in tones.items() if tone == "good"] == [Outcome.CORRECT]


def test_a_benchmark_always_has_a_row() -> None:
    judge = sample.agreement().judges[0]
    assert [name for name, _ in words.agreement_rows(judge)] == ["harbour", "orchard", "pooled"]
    single = replace(judge, by_benchmark=judge.by_benchmark[:1])
    assert [name for name, _ in words.agreement_rows(single)] == ["harbour"]


def test_controls_are_visible() -> None:
    assert words.visible("a\tb\nc\rd\x00\x1b\x9b\u202e\u2066\ud800é") == (
        "a\tb\nc\\rd\\x00\\x1b\\x9b\\u202e\\u2066\ufffdé"
    )
