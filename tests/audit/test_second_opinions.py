"""What systems agree on, and references of the same question that differ."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

import commands
import sqljury as sj
from sqljury.uses.audit.audit import conflicts_of
from sqljury.uses.audit.consensus import NOBODY, Votes, consensus


def votes(reference: int | None, **by_system: int | None) -> Votes:
    return Votes(by_system=by_system, reference=reference)


SAME = "SELECT b.name FROM boat AS b WHERE 'tug' = b.kind"
ALIKE = [votes(1, a=1, b=1, c=1, d=2)] * 12
"""Three systems that are right, as the reference is, and one that is not."""


def test_good_systems_outvote_the_reference() -> None:
    said = consensus([*ALIKE, votes(2, a=1, b=1, c=1, d=2)])[-1]
    assert (said.result, said.agreeing) == (1, ("a", "b", "c"))
    assert said.probability > 0.9


def test_a_system_that_is_mostly_wrong_counts_less_than_the_reference() -> None:
    assert consensus([*ALIKE, votes(1, a=None, b=None, c=None, d=2)])[-1].result == 1


def test_systems_that_err_together_count_as_fewer() -> None:
    apart = [votes(1, **{n: 2 if n == "abcd"[i % 4] else 1 for n in "abcd"}) for i in range(16)]
    alike = [votes(1, **dict.fromkeys("abcd", 1 + (i % 4 == 0))) for i in range(16)]
    odd = votes(2, a=1, b=1, c=1, d=1)
    assert consensus([*apart, odd])[-1].probability > consensus([*alike, odd])[-1].probability


def test_nothing_runs_and_nothing_asked() -> None:
    assert consensus([]) == []
    assert consensus([votes(None, a=None, b=None)])[0].result == NOBODY


def reference(id_: str, question: str, sql: str, benchmark: str = "") -> sj.Case:
    return sj.Case(id=id_, db_id="m", question=question, predicted_sql=sql, benchmark=benchmark)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (reference("2", "List the names of the boats.", "SELECT 2"), True),
        (reference("2", "Which boats have which names?", "SELECT 2"), False),
        (reference("2", "What are the names of boats that are not new?", "SELECT 2"), False),
        (reference("2", "What are the names of boats?", "select  1;"), False),
        (reference("1", "What are boats called?", "SELECT 2", "later version"), True),
    ],
    ids=["paraphrase", "other order", "negated", "same query", "version"],
)
def test_which_references_answer_one_question(other: sj.Case, same: bool) -> None:
    first = reference("1", "What are the names of boats?", "SELECT 1")
    assert bool(list(conflicts_of([first, other]))) is same


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    """Six questions that three systems answer; the reference of the last asks for ferries."""
    connection = sqlite3.connect(tmp_path / "m.sqlite")
    connection.executescript(
        "CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, kind TEXT);"
        "INSERT INTO boat VALUES (1, 'Anna', 'ferry'), (2, 'Bela', 'tug'), (3, 'Cilla', 'tug');"
    )
    connection.close()
    right = [f"SELECT name FROM boat WHERE id = {number}" for number in (1, 2, 3)]
    right += ["SELECT COUNT(*) FROM boat", "SELECT MAX(id) FROM boat"]
    right.append("SELECT name FROM boat WHERE kind = 'tug'")
    cases = [
        {"id": str(n), "db_id": "m", "question": f"Question {n} of boats?", "gold_sql": sql}
        for n, sql in enumerate(right)
    ]
    cases[-1]["gold_sql"] = "SELECT name FROM boat WHERE kind = 'ferry'"
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text("\n".join(right))
    return tmp_path


def test_systems_that_agree_against_the_reference(benchmark: Path) -> None:
    systems = ("-p", "a.txt", "-p", "b.txt", "-p", "c.txt")
    done = commands.run(
        *("audit", "cases.json", *systems, "-d", "m.sqlite", "--json"),
        *("--checks", "AU601", "-w", "1"),
        cwd=benchmark,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    (finding,) = found["findings"]
    assert (finding["id"], finding["code"]) == ("5", "AU601")
    assert finding["evidence"]["agree"] == ["a", "b", "c"]
    assert finding["proposal"] == "SELECT name FROM boat WHERE kind = 'tug'"
    assert finding["returned"]["reference"]["rows"] == [["Anna"]]
    assert finding["returned"]["proposal"]["row_count"] == 2
    assert (found["references"], found["suspect"]) == (6, 1)


def test_references_that_differ_are_shown_a_database(benchmark: Path) -> None:
    cases = [
        sj.Case(id="1", db_id="m", question="Name the tugs.", reference_sqls=(sql,), benchmark=b)
        for b, sql in (
            ("old", "SELECT name FROM boat WHERE kind = 'tug'"),
            ("new", "SELECT name FROM boat WHERE kind <> 'tug'"),
        )
    ]
    found = sj.audit(cases, benchmark / "m.sqlite", checks="AU602", workers=1)
    (finding,) = found.findings
    assert (finding.benchmark, finding.evidence["other"]["benchmark"]) == ("new", "old")
    assert "INSERT INTO" in finding.evidence["witness"]["sql"]
    same = [cases[0], replace(cases[1], reference_sqls=(SAME,))]
    assert not sj.audit(same, benchmark / "m.sqlite", checks="AU602", workers=1).findings
