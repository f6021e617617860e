"""Recorded methods: EX, ROSE, gaps, findings, and what was published otherwise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sqljury.benchmarks import (
    RecordedJudgement,
    RefuterAnswer,
)
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.papers.methods import MethodRow, Methods, methods
from sqljury.papers.recorded_methods import MethodFacts, RecordedMethod, read_rose_methods


@pytest.fixture(scope="module")
def found(data_dir: Path) -> Methods:
    return methods(read_rose_methods(data_dir / "rose-benchmarking"), resamples=300)


def percent(value: float | None) -> float:
    return round(100 * (value or 0.0), 2)


@pytest.mark.data
def test_scores_are_the_published_ones_where_both_agree(found: Methods, data_dir: Path) -> None:
    published = {
        m.facts.folder: m.facts.published for m in read_rose_methods(data_dir / "rose-benchmarking")
    }
    for row in found.methods:
        if row.folder not in ("deepseek-v3", "gpt-4o"):
            figures = published[row.folder]
            assert percent(row.own.ex) == pytest.approx(figures["ex"], abs=0.01)
            assert percent(row.own.rose) == pytest.approx(figures["rose"], abs=0.01)


@pytest.mark.data
def test_coverage_is_said_and_the_common_questions_are_compared(found: Methods) -> None:
    assert (found.n_smallest, found.n_largest, found.n_common) == (455, 493, 433)
    assert {row.common.n for row in found.methods} == {433}
    assert "455 to 493 questions and share 433" in found.notes[0]
    assert "500 rows of EX and 489 of ROSE" in found.notes[1]
    best = max(found.methods, key=lambda row: row.common.gap or 0)
    assert (best.name, percent(best.common.ex), percent(best.common.rose)) == (
        "GPT-5",
        58.20,
        88.68,
    )


@pytest.mark.data
def test_gaps_labels_and_difficulties(found: Methods) -> None:
    row = next(row for row in found.methods if row.folder == "gpt-5")
    own = row.own
    assert (own.n, own.asked, own.gold_fault, own.ambiguous_question) == (488, 478, 91, 58)
    assert percent(own.gap) == 33.20
    assert own.gap_interval is not None and own.gap_interval[0] < 0.3320 < own.gap_interval[1]
    assert [part.difficulty for part in row.by_difficulty] == ["simple", "moderate", "challenging"]
    assert sum(part.n for part in row.by_difficulty) == own.n
    for method in found.methods:
        assert method.own.only_rose - method.own.only_ex == round(
            (method.own.gap or 0) * method.own.n
        )


@pytest.mark.data
def test_two_methods_were_published_swapped_and_four_slices_differ(found: Methods) -> None:
    overall = [row for row in found.disagreements if "_" not in row.figure]
    assert {
        (row.name, row.figure, row.published, round(row.recorded, 2), row.recorded_of)
        for row in overall
    } == {
        ("DeepSeek-Chat", "ex", 52.13, 52.20, "GPT-4o"),
        ("DeepSeek-Chat", "rose", 72.21, 71.37, "GPT-4o"),
        ("GPT-4o", "ex", 52.20, 52.13, "DeepSeek-Chat"),
        ("GPT-4o", "rose", 71.37, 72.21, "DeepSeek-Chat"),
    }
    slices = {(row.name, row.figure) for row in found.disagreements if "_" in row.figure}
    assert slices == {
        ("CSC-SQL-32B", "ex_moderate"),
        ("SuperSQL", "rose_moderate"),
        ("TA-SQL", "ex_moderate"),
        ("CHESS-V1", "ex_moderate"),
    }
    assert found.n_published == 122


@pytest.mark.data
def test_the_four_findings(found: Methods) -> None:
    answers = {finding.key: finding.answer for finding in found.findings}
    assert answers == dict.fromkeys(
        ("base_model", "widening_gap", "divergence", "fine_tuning"), "supported"
    )
    tests = {test.name: test for finding in found.findings for test in finding.tests}
    values = {
        "share of ROSE's variance": (0.848, 12),
        "what a system adds to its base model alone": (-0.039, 8),
        "with strength, not fine-tuned": (0.508, 14),
        "over time, base models": (1.0, 5),
        "divergent with GoldX or AmbQ": (0.570, 1144),
        "of the net gap on labelled answers": (0.641, 833),
        "gap, fine-tuned minus others": (-0.096, 19),
    }
    for name, (value, n) in values.items():
        assert (tests[name].value, tests[name].n) == (pytest.approx(value, abs=6e-4), n)
    assert tests["gap, fine-tuned minus others"].p == pytest.approx(158 / 11628)
    assert json.dumps(found.to_json(), allow_nan=False)


# ---------------------------------------------------------------- made here


def judgement(key: str, score: float | None, fault: bool = False) -> RecordedJudgement:
    refuter = RefuterAnswer(verdict=not score, gold_correct=not fault)
    case = Case(id=key, predicted_sql="SELECT 1", difficulty="hard" if key > "5" else "easy")
    return RecordedJudgement(case=case, score=score, refuter=refuter)


def method(
    name: str, ex: str, rose: str, *, base: str = "", kind: str = "", released: str = "",
    published: dict[str, float] | None = None,
) -> RecordedMethod:  # fmt: skip
    """Scores as a digit a question; ``-`` is not recorded, ``?`` has no score, ``x`` is right
    and the reference is called wrong."""

    def rows(text: str) -> dict[str, RecordedJudgement]:
        return {
            str(i): judgement(str(i), None if c == "?" else float(c in "1x"), c == "x")
            for i, c in enumerate(text)
            if c != "-"
        }

    facts = MethodFacts(folder=name, name=name, base_model=base, kind=kind, released=released,
                        published=published or {})  # fmt: skip
    return RecordedMethod(facts=facts, ex=rows(ex), rose=rows(rose))


def only(row: MethodRow) -> tuple[int, float | None, float | None, int]:
    return row.own.n, row.own.ex, row.own.rose, row.common.n


def test_pairs_are_questions_that_both_have() -> None:
    found = methods([method("a", "1100-1", "111?11"), method("b", "0-1111", "011111")])
    assert [only(row) for row in found.methods] == [(4, 0.75, 1.0, 3), (5, 0.8, 0.8, 3)]
    assert found.methods[0].n_rose == 6


def test_a_gap_and_its_interval() -> None:
    """Newcombe's paired interval by hand: (9 - 1) / 20 ± 1.96 sqrt((10/20 - 0.16) / 20)."""
    found = methods([method("a", "0" * 9 + "1" + "1" * 10, "1" * 9 + "0" + "1" * 10)])
    own = found.methods[0].own
    assert (own.gap, own.only_rose, own.only_ex) == (pytest.approx(0.4), 9, 1)
    assert own.gap_interval == pytest.approx((0.14445, 0.65555), abs=1e-4)
    assert own.p == pytest.approx(22 / 1024)


def test_findings_without_facts_are_not_testable() -> None:
    found = methods([method("a", "1100", "1110"), method("b", "0110", "0111")], resamples=50)
    answers = {finding.key: finding.answer for finding in found.findings}
    assert answers["base_model"] == answers["fine_tuning"] == "not testable"
    assert answers["widening_gap"] == "not testable"
    assert json.dumps(found.to_json(), allow_nan=False)


def test_published_figures_are_checked_against_all_rows() -> None:
    published = {"ex": 50.0, "rose": 75.01, "ex_easy": 40.0, "ex_unknown": 1.0}
    found = methods([method("a", "1100", "1110", published=published)], resamples=50)
    assert [(row.figure, row.recorded) for row in found.disagreements] == [("ex_easy", 50.0)]


@pytest.mark.parametrize("recorded", [[], [method("a", "1-", "1-"), method("b", "-1", "-1")]])
def test_nothing_in_common(recorded: list[RecordedMethod]) -> None:
    with pytest.raises(InputError, match="SJ523"):
        methods(recorded)
