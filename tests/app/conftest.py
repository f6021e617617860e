"""A run over a small database, and the app that shows it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqljury.case import Case
from sqljury.uses.evaluate.evaluation import evaluate

pytest.importorskip("starlette")

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)> </textarea> {{ 76543*7 }} \u202e"


def cases() -> list[Case]:
    """Six cases of two systems; the last two are hostile in every text."""
    plain = [
        ("1", "alpha", "SELECT name FROM boat WHERE length > 3", "SELECT name FROM boat WHERE length > 3"),
        ("1", "beta", "SELECT name FROM boat WHERE length > 3", "SELECT name FROM boat WHERE length >= 3"),
        ("2", "alpha", "SELECT count(*) FROM boat", "SELECT sum(1.0) FROM boat"),
        ("2", "beta", "SELECT count(*) FROM boat", "SELECT nothing FROM boat"),
    ]  # fmt: skip
    found = [
        Case(
            id=id_, benchmark="harbour", source=source, db_id="boats", difficulty=f"level {id_}",
            question=f"Question {id_} about boats?", hint="length is in metres",
            reference_sqls=(reference,), predicted_sql=prediction, label=source == "alpha",
            extra={"colour": "red" if id_ == "1" else "blue", "free": f"text {id_} {source}"},
        )
        for id_, source, reference, prediction in plain
    ]  # fmt: skip
    hostile = Case(
        id=f"3{HOSTILE}", benchmark="harbour", source="alpha", db_id="boats", question=HOSTILE,
        hint=HOSTILE, difficulty=HOSTILE, reference_sqls=(f"SELECT name, '{HOSTILE}' FROM boat",),
        predicted_sql=f"SELECT '{HOSTILE}', name FROM boat", extra={"colour": HOSTILE},
    )  # fmt: skip
    return [*found, hostile]


@pytest.fixture(scope="session")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``boats.sqlite``, a run, and a second run in which beta has improved."""
    folder = tmp_path_factory.mktemp("harbour")
    database = sqlite3.connect(folder / "boats.sqlite")
    database.execute("CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, length REAL)")
    database.execute("CREATE TABLE pier (id INTEGER PRIMARY KEY, place TEXT)")
    rows = [(1, "Anna", 3.0), (2, "Bela", 4.5), (3, HOSTILE, 9.0)]
    database.executemany("INSERT INTO boat VALUES (?, ?, ?)", rows)
    database.commit()
    database.close()
    judges = ["execution", "exact_match"]
    evaluate(cases(), judges, folder, run=folder / "runs" / "first", workers=1).close()
    better = [
        case if case.id != "1" else Case.from_dict({**case.to_dict(), "predicted_sql": case.reference_sqls[0]})
        for case in cases()
    ]  # fmt: skip
    evaluate(better, judges, folder, run=folder / "runs" / "second", workers=1).close()
    return folder


@pytest.fixture(scope="session")
def run(harbour: Path) -> Iterator[Path]:
    """The first run; that nothing wrote to it is checked at the end."""
    folder = harbour / "runs" / "first"
    before = (folder / "run.sqlite").read_bytes()
    yield folder
    assert (folder / "run.sqlite").read_bytes() == before
