"""Predictions that nobody has a reference for, as a user types it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from commands import run
from sqljury.judges import Needs, make_judge
from sqljury.uses.evaluate.words import WITHOUT_REFERENCE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with sqlite3.connect(tmp_path / "shop.sqlite") as database:
        database.executescript("CREATE TABLE a (x); INSERT INTO a VALUES (1), (2);")
    return tmp_path


def judged(folder: Path, sqls: dict[str, str], *words: object) -> dict[str, Any]:
    rows = [
        {"id": name, "db_id": "shop", "question": "How many a?", "predicted_sql": sql}
        for name, sql in sqls.items()
    ]
    (folder / "p.json").write_text(json.dumps(rows))
    done = run("evaluate", "p.json", "--export", "e.jsonl", *words, cwd=folder)
    assert done.returncode == 0, done.stderr
    lines = (folder / "e.jsonl").read_text().splitlines()
    found = {row["id"]: row for row in map(json.loads, lines)}
    return {name: (row["outcome"], row["score"]) for name, row in found.items()} | {
        "printed": done.stdout
    }


SQLS = {
    "write": "DELETE FROM a",
    "two": "SELECT 1; DROP TABLE a",
    "prose": "I cannot say.",
    "strange": "SELECT y FROM nowhere",
    "plain": "SELECT COUNT(*) FROM a",
}


def test_what_is_no_query_has_a_fault(folder: Path) -> None:
    found = judged(folder, SQLS, "-d", ".", "-j", "faults")
    assert found["write"] == ("prediction_refused", 0)
    assert found["two"] == ("prediction_refused", 0)
    assert found["prose"] == ("prediction_error", 0)
    assert found["strange"][0] == "incorrect"
    assert found["plain"] == ("correct", 1)


def test_what_was_mostly_not_looked_at_is_not_correct(folder: Path) -> None:
    found = judged(folder, {"plain": SQLS["plain"]}, "-j", "faults")
    assert found["plain"][0] == "unknown"


def test_judges_that_need_no_reference_are_named(folder: Path) -> None:
    printed = judged(folder, {"plain": SQLS["plain"]}, "-d", ".")["printed"]
    assert (
        "1 without a reference: judges that need none are jury:offline,reference=false"
        in " ".join(printed.split())
    )


@pytest.mark.parametrize("name", WITHOUT_REFERENCE)
def test_they_need_none(name: str) -> None:
    more = ",model=openai:x" if name in ("prover", "rose_wogt") else ""
    assert not make_judge(f"{name}{more}").needs & (Needs.REFERENCE | Needs.REFERENCE_ROWS)
