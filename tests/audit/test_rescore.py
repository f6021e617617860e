"""Leaderboards before and after corrections: what is judged anew, ranks, tests, files."""

from __future__ import annotations

import csv
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

import commands
import sqljury as sj
from sqljury.benchmarks import (
    Correction,
    OverlayDecision,
    fingerprint_of,
    overlay_of,
    write_overlay,
)
from sqljury.errors import InputError
from sqljury.runs.store import RunStore
from sqljury.uses.audit.rescored import flips, leaderboard
from sqljury.uses.audit.rescoring import rescore

RIGHT, WRONG = "SELECT 2", "SELECT 1"


def cases() -> list[sj.Case]:
    """Two systems on six questions, of whose references two are wrong, as system a is there."""
    return [
        sj.Case(
            id=str(number),
            db_id="m",
            question="How many?",
            source=source,
            predicted_sql=WRONG if source == "a" and number < 2 else RIGHT,
            reference_sqls=(WRONG if number < 2 else RIGHT,),
        )
        for number in range(6)
        for source in ("a", "b")
    ]


def corrected(number: int, decision: OverlayDecision) -> Correction:
    case = cases()[2 * number]
    (old,) = case.reference_sqls
    return Correction(
        id=case.id,
        db_id="m",
        fingerprint=fingerprint_of(case, old),
        old_sql=old,
        decision=decision,
        new_sql=RIGHT if decision is OverlayDecision.REPLACE else None,
    ).sealed()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    sqlite3.connect(tmp_path / "m.sqlite").execute("CREATE TABLE t (a)").connection.close()
    with sj.evaluate(
        cases(), ["execution"], tmp_path / "m.sqlite", run=tmp_path / "run", workers=1
    ):
        pass
    decisions = [corrected(0, OverlayDecision.REPLACE), corrected(1, OverlayDecision.EXCLUDE)]
    write_overlay(overlay_of(decisions), tmp_path / "overlay.jsonl")
    return tmp_path


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        (
            {"judges": [{"name": "evil.py:Mine", "key": "k", "signature": "s"}]},
            "run code: 'evil.py",
        ),
        ({"manifest": {"databases": "postgresql://there/{db_id}"}}, "connect to a server"),
    ],
)
def test_what_a_run_wants_beyond_reading_needs_trust(
    folder: Path, facts: dict[str, object], said: str
) -> None:
    with closing(RunStore(folder / "run", create=False)) as store:
        store.set_facts(facts)
        store.commit()
    with pytest.raises(InputError, match=f"SJ009.*(?s:.*){said}"):
        rescore(folder / "run", overlay=folder / "overlay.jsonl", workers=1)


def test_only_what_is_corrected_is_judged(folder: Path) -> None:
    (found,) = rescore(folder / "run", overlay=folder / "overlay.jsonl", workers=1)
    assert found.judged == 2
    assert [(s.system, s.n, s.score) for s in found.before.standings] == [
        ("a", 6, 1.0),
        ("b", 6, 4 / 6),
    ]
    assert [(s.system, s.n, s.score) for s in found.after.standings] == [
        ("b", 5, 1.0),
        ("a", 5, 4 / 5),
    ]
    assert [(f.ahead_before, f.ahead_after) for f in found.flips] == [("a", "b")]
    assert "|overlay:" in found.signature
    with sj.load_run(folder / "run") as run:
        assert run.scores() == {"execution:strict": 10 / 12}


def test_the_same_as_judging_all_of_it_under_the_overlay(folder: Path) -> None:
    (found,) = rescore(folder / "run", overlay=folder / "overlay.jsonl", workers=1)
    with sj.evaluate(
        cases(), ["execution"], folder / "m.sqlite", overlay=folder / "overlay.jsonl", workers=1
    ) as whole:
        (judge,) = whole.summary.judges
        scores = {s.value: s.score for s in judge.slices if s.dimension == "source"}
    assert {one.system: one.score for one in found.after.standings} == scores


def test_an_overlay_of_something_else(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    stranger = replace(cases()[0], id="77")
    one = Correction(
        id="77",
        db_id="m",
        fingerprint=fingerprint_of(stranger, WRONG),
        old_sql=WRONG,
        decision=OverlayDecision.EXCLUDE,
    ).sealed()
    write_overlay(overlay_of([one]), other)
    with pytest.raises(InputError, match="SJ535"):
        rescore(folder / "run", overlay=other, workers=1)


def test_files(folder: Path) -> None:
    done = commands.run(
        *("audit", "rescore", folder / "run", "--overlay", folder / "overlay.jsonl"),
        *("--csv", folder / "board.csv", "--html", folder / "board.html", "-w", "1"),
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    assert "1 change places" in done.stdout
    with (folder / "board.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(r["system"], r["rank_before"], r["rank_after"]) for r in rows] == [
        ("b", "2", "1"),
        ("a", "1", "2"),
    ]
    assert "b passes a" in (folder / "board.html").read_text()


def right(*answers: int) -> dict[tuple[str, str], bool]:
    return {("", str(number)): bool(answer) for number, answer in enumerate(answers)}


def test_ranks_that_are_more_than_chance() -> None:
    board = leaderboard(
        "j", {"a": right(*[1] * 20), "b": right(*[1] * 19, 0), "c": right(*[0] * 20)}
    )
    assert [(one.system, one.rank, one.best, one.worst) for one in board.standings] == [
        ("a", 1, 1, 2),
        ("b", 2, 1, 2),
        ("c", 3, 3, 3),
    ]
    assert [one.p for one in board.tests] == [1.0, 2 * 0.5**20, 2 * 0.5**19]


def test_what_becomes_level_is_no_flip() -> None:
    before = leaderboard("j", {"a": right(1, 1), "b": right(1, 0)})
    level = leaderboard("j", {"a": right(1, 0), "b": right(0, 1)})
    assert not flips(before, level)
    assert level.standings[0].rank == level.standings[1].rank == 1
