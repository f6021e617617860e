"""Numbers as people read them."""

from __future__ import annotations

from dataclasses import replace

import pytest
import report_sample as sample

from sqljury.reports import words
from sqljury.uses.agree.document import agreement_rows
from sqljury.uses.evaluate import words as sentences
from sqljury.uses.evaluate.summary import JudgeCost, JudgeSummary, StageCost
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
    assert sentences.score_sentence(JUDGE) == sentence
    assert sentences.details(JUDGE) == ["outcomes: correct 770, incorrect 198, unknown 4"]


def test_nothing_scored() -> None:
    empty = replace(JUDGE, n=0, score=None, low=None, high=None, outcomes={"database_missing": 62})
    assert sentences.score_sentence(empty) == (
        "no score: none of 1,034 counts; 62 left out: database_missing 62"
    )


def test_every_outcome_has_a_tone() -> None:
    tones = {outcome: words.tone(outcome) for outcome in Outcome}
    assert {o for o, tone in tones.items() if tone == "out"} == {o for o in Outcome if o.left_out}
    assert [o for o, tone in tones.items() if tone == "good"] == [Outcome.CORRECT]


def test_a_benchmark_always_has_a_row() -> None:
    judge = sample.agreement().judges[0]
    assert [name for name, _ in agreement_rows(judge)] == ["harbour", "orchard", "pooled"]
    single = replace(judge, by_benchmark=judge.by_benchmark[:1])
    assert [name for name, _ in agreement_rows(single)] == ["harbour"]


def test_controls_are_visible() -> None:
    assert words.visible("a\tb\nc\rd\x00\x1b\x9b\u202e\u2066\ud800é") == (
        "a\tb\nc\\rd\\x00\\x1b\\x9b\\u202e\\u2066\ufffdé"
    )


def part(stage: str, calls: int, money: float, unpriced: int = 0) -> StageCost:
    return StageCost(
        stage=stage,
        verdicts=1,
        calls=calls,
        tokens=1000 * calls,
        money=money,
        unpriced=unpriced,
        seconds=1.0,
    )


@pytest.mark.parametrize(
    ("cost", "expected"),
    [
        (part("s", 1, 12.345), "1 call, 1,000 tokens, $12.35, 1.0 s a case"),
        (part("s", 2, 1234.5), "2 calls, 2,000 tokens, $1,234.50, 1.0 s a case"),
        (part("s", 2, 0.01234), "2 calls, 2,000 tokens, $0.0123, 1.0 s a case"),
        (part("s", 2, 0.0), "2 calls, 2,000 tokens, $0.00, 1.0 s a case"),
        (part("s", 2, 0.0, 2), "2 calls, 2,000 tokens, price not known, 1.0 s a case"),
        (
            part("s", 3, 2.0, 1),
            "3 calls, 3,000 tokens, $2.00 and 1 without a known price, 1.0 s a case",
        ),
    ],
)
def test_costs(cost: StageCost, expected: str) -> None:
    assert sentences.cost_text(cost) == expected


def test_batches_do_not_say_how_long_an_answer_took() -> None:
    assert sentences.cost_text(replace(part("s", 1, 1.0), seconds=0.0)).endswith("$1.00")


def test_stages_are_told_where_there_are_several() -> None:
    assert sentences.cost_lines(JUDGE) == []
    prover, refuter = part("prover", 2, 1.0), part("refuter", 1, 2.0)
    whole = JudgeCost(
        verdicts=2, calls=3, tokens=3000, money=3.0, unpriced=0, seconds=3.0, stages=(prover,)
    )
    first = "cost when asked: 3 calls, 3,000 tokens, $3.00, 1.5 s a case"
    assert sentences.cost_lines(replace(JUDGE, cost=whole)) == [first]
    both = replace(whole, stages=(prover, refuter))
    assert sentences.cost_lines(replace(JUDGE, cost=both)) == [
        first,
        "prover: 2 calls, 2,000 tokens, $1.00, 1.0 s a case",
        "refuter: 1 call, 1,000 tokens, $2.00, 1.0 s a case",
    ]
