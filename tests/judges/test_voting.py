"""VOTING: who agrees with the prediction, by text, by canonical tree, by rows."""

from __future__ import annotations

import sqlite3

import pytest
from fake_models import Courtroom, verdict_of

from sqljury.case import Case
from sqljury.databases import open_databases
from sqljury.errors import InputError
from sqljury.judges import make_judge


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("harbour")
    connection = sqlite3.connect(folder / "harbour.sqlite")
    connection.executescript(
        "CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO boat VALUES (1, 'a'), (2, 'b');"
    )
    connection.close()
    return open_databases(folder).open("harbour")


FIRST = "SELECT name FROM boat WHERE id > 1"
PROSE = "This question cannot be answered with the given tables."


# judge, samples after the first → share that agrees
@pytest.mark.parametrize(
    ("spec", "others", "share"),
    [
        ("voting", ["select  name from boat WHERE id > 1;", FIRST], 1.0),
        ("voting", ["SELECT name FROM boat WHERE 1 < id", None], 1 / 3),
        ("voting:rows", ["SELECT name FROM boat WHERE id = 2", "SELECT 'b'"], 1.0),
        ("voting:rows", ["SELECT name FROM boat", "SELECT oops", PROSE, None], 1 / 5),
        ("voting:rows", ["SELECT name, id FROM boat WHERE id = 2"], 1 / 2),
        ("voting:rows,match=intent", ["SELECT name, id FROM boat WHERE id = 2"], 1.0),
    ],
)
def test_shares(database, spec: str, others: list[str | None], share: float) -> None:
    case = Case(id="1", db_id="harbour", predicted_sql=FIRST, pool=(FIRST, *others))
    verdict = verdict_of(spec, Courtroom(case, database, lambda _: None))
    assert verdict.score == pytest.approx(share)
    assert verdict.outcome == ("correct" if share == 1.0 else "incorrect")


def test_equal_texts_that_do_not_run_are_no_agreement_of_rows(database) -> None:
    case = Case(id="1", db_id="harbour", predicted_sql=PROSE, pool=(PROSE, PROSE))
    evidence = Courtroom(case, database, lambda _: None)
    assert verdict_of("voting:text", evidence).score == 1.0
    assert verdict_of("voting:rows", evidence).outcome == "prediction_error"


def test_a_majority_is_enough_where_it_is_asked_for(database) -> None:
    case = Case(id="1", predicted_sql="SELECT 1", pool=("SELECT 1", "SELECT 1", "SELECT 2"))
    evidence = Courtroom(case, None, lambda _: None)
    assert verdict_of("voting,threshold=0.6", evidence).outcome == "correct"
    assert verdict_of("voting,threshold=0.7", evidence).outcome == "incorrect"


def test_without_samples_nobody_can_say() -> None:
    case = Case(id="1", predicted_sql="SELECT 1")
    assert verdict_of("voting", Courtroom(case, None, lambda _: None)).outcome == "unknown"


@pytest.mark.parametrize("spec", ["voting:mood", "voting,threshold=2", "voting,match=no"])
def test_bad_options(spec: str) -> None:
    with pytest.raises(InputError):
        make_judge(spec)
