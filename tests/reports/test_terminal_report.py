"""The terminal: snapshots at 100 columns.

``SQLJURY_UPDATE_SNAPSHOTS=1`` writes them anew.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import report_sample as sample
from rich.console import Console

from sqljury.case import Case
from sqljury.reports import terminal
from sqljury.reports.cases import case_pages
from sqljury.uses.agree.agreement import AgreementSlice, agree
from sqljury.uses.agree.document import print_agreement
from sqljury.uses.evaluate.document import print_summary
from sqljury.uses.evaluate.summary import JudgeSummary, Slice, Summary
from sqljury.verdict import Outcome, Record, Scored, Verdict

SNAPSHOTS = Path(__file__).parent / "snapshots"


def printed(show: Callable[[Console], None], **console: object) -> str:
    """What is printed, without the spaces that end its lines."""
    out = io.StringIO()
    show(Console(file=out, **console))  # type: ignore[arg-type]
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n"))


def show_summary(console: Console) -> None:
    print_summary(sample.summary(), console)


def show_agreement(console: Console) -> None:
    found = sample.agreement()
    # The bootstrap's digits are its own tests' matter.
    judges = tuple(
        replace(
            judge,
            intervals={"kappa": (-0.5, 0.25)},
            by_benchmark=_same_interval(judge.by_benchmark),
            slices=_same_interval(judge.slices),
        )
        for judge in found.judges
    )
    print_agreement(replace(found, judges=judges, notes=("Mind the gap.",)), console)


def _same_interval(parts: tuple[AgreementSlice, ...]) -> tuple[AgreementSlice, ...]:
    return tuple(replace(part, intervals={"kappa": (0.125, 0.75)}) for part in parts)


def show_record(console: Console) -> None:
    records = sample.records()
    terminal.print_record(records[4:6], console)
    terminal.print_record(records[8:10], console)
    terminal.print_record(records[14:16], console)


def test_slices_of_a_judge_that_grades_have_an_auc() -> None:
    """A yes or no has κ alone: its AUC says nothing that κ does not."""

    def rows(scores: list[float]) -> list[Scored]:
        return [
            Scored(id=str(i), score=score, label=i % 2 == 0, slices={"difficulty": "ab"[i // 4]})
            for i, score in enumerate(scores)
        ]

    graded = rows([0.9, 0.1, 0.6, 0.7, 0.8, 0.2, 0.4, 0.3])
    yes_or_no = rows([1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    found = agree({"graded": graded, "plain": yes_or_no}, bootstrap=0)
    text = printed(lambda console: print_agreement(found, console))
    _, _, table = text.partition("AUC by difficulty, in percent")
    lines = [line.split() for line in table.splitlines()]
    assert lines[1] == ["graded"]
    assert lines[3:5] == [["a", "75.00", "of", "4"], ["b", "100.00", "of", "4"]]


@pytest.mark.parametrize("show", [show_summary, show_agreement, show_record])
def test_snapshot(show: Callable[[Console], None]) -> None:
    text = printed(show)
    path = SNAPSHOTS / f"{show.__name__.removeprefix('show_')}.txt"
    if os.environ.get("SQLJURY_UPDATE_SNAPSHOTS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


@pytest.mark.parametrize("show", [show_summary, show_agreement, show_record])
@pytest.mark.parametrize("width", [80, 100, 300])
def test_a_terminal_gets_colour_and_at_most_100_columns(
    show: Callable[[Console], None], width: int
) -> None:
    assert "\x1b[" in printed(show, force_terminal=True, width=width, color_system="truecolor")
    plain = printed(show, force_terminal=True, width=width, color_system=None)
    assert max(map(len, plain.split("\n"))) <= min(width, 100)


def test_many_judges_with_long_names_fit() -> None:
    text = printed(lambda console: print_summary(_wide(), console))
    assert max(map(len, text.split("\n"))) <= 100
    for i in range(9):
        assert f"n:{i}00" in text
    assert text.count("of 1,000") > 9


def _wide() -> Summary:
    judges = tuple(
        JudgeSummary(
            name=f"rose:variant-{i},model=openai:o3-2025-04-16,temperature=0.{i}",
            signature="|".join(
                [f"rose:{i}", f"n:{i}00", *(f"option{k}:value{k}" for k in range(20))]
            ),
            n=1000,
            total=1000,
            left_out=0,
            score=0.5,
            low=0.45,
            high=0.55,
            interval="wilson",
            outcomes={"correct": 500, "incorrect": 500},
            slices=tuple(
                Slice(dimension="db_id", value=f"db_{k}" * 8, n=1000, score=0.5, low=0.4, high=0.6)
                for k in range(40)
            ),
        )
        for i in range(9)
    )
    return Summary(judges=judges, run="run")


HOSTILE = "\x1b]0;owned\x07 \x1b[2J [red]markup[/red] \u202egnp"


def test_hostile_text_cannot_command_the_terminal() -> None:
    about = Case(
        id=HOSTILE,
        question=HOSTILE,
        predicted_sql=f"SELECT '{HOSTILE}'",
        reference_sqls=(f"SELEC {HOSTILE}",),
        db_id=HOSTILE,
    )
    side = {"columns": [HOSTILE], "rows": [[HOSTILE], [None]], "row_count": 2, "marks": [0]}
    evidence = {"reference": side, "prediction": side, HOSTILE: HOSTILE}
    verdict = Verdict(
        outcome=Outcome.INCORRECT, reason=HOSTILE, labels=(HOSTILE,), evidence=evidence
    )
    records = [Record(case=about, judge=HOSTILE, verdict=verdict)]
    text = printed(lambda console: terminal.print_record(records, console))
    assert not {"\x1b", "\x07", "\u202e"} & set(text)
    assert "[red]markup[/red]" in text
    assert "\\x1b" in text


def test_a_wide_result_says_what_is_not_shown() -> None:
    row = [f"value {i}" for i in range(60)]
    side = {"columns": [f"c{i}" for i in range(60)], "rows": [row], "row_count": 9, "marks": [0]}
    verdict = Verdict.incorrect("no", evidence={"reference": side, "prediction": side})
    records = [Record(case=Case(id="1"), judge="j", verdict=verdict)]
    text = printed(lambda console: terminal.print_record(records, console))
    assert max(map(len, text.split("\n"))) <= 100
    assert "more columns" in text
    assert "and 8 more rows" in text


REASONS = [
    {"subject": "rows", "text": "Both return \x1b[31m4 rows", "weight": 2.0, "features": ["a"]},
    {"subject": "order", "text": "The order differs", "weight": -0.5, "features": ["b"]},
]
WEIGHED = Verdict(
    outcome=Outcome.CORRECT,
    score=0.8,
    reason=f"probability 0.800; for: {REASONS[0]['text']}; against: The order differs",
    evidence={"reasons": REASONS, "weights": [{"feature": "a", "weight": 2.0}], "calls": 0},
)


def test_weighed_reasons_are_bars_and_are_not_said_twice() -> None:
    records = [Record(case=Case(id="1"), judge="j", verdict=WEIGHED)]
    text = printed(lambda console: terminal.print_record(records, console))
    lines = text.split("\n")
    assert "  probability 0.800" in lines
    assert "     │████████ +2.00 Both return \\x1b[31m4 rows" in lines
    assert "  ██ │         -0.50 The order differs" in lines
    assert text.count("The order differs") == 1
    assert "calls: 0" in text
    assert "feature" not in text


def test_a_page_has_weighed_reasons_as_texts_with_numbers() -> None:
    pages = case_pages([Record(case=Case(id="1"), judge="j", verdict=WEIGHED)], 1)
    (page,) = pages.to_json(["j"])
    (verdict,) = page["verdicts"]  # type: ignore[misc]
    assert verdict["weighed"] == [["Both return \\x1b[31m4 rows", 2.0], ["The order differs", -0.5]]
    assert verdict["reason"] == "probability 0.800"
    assert [name for name, _ in verdict["other"]] == ["calls"]
