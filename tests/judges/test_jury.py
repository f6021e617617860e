"""The jury: one probability out of typed evidence, whatever is missing."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

import sqljury as sj
from sqljury.case import Case
from sqljury.databases import open_databases
from sqljury.errors import InputError
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.judges import make_judge, settled
from sqljury.learning.jury import SHIPPED, load_jury
from sqljury.stored_table import ReferenceTable, StoredTable
from sqljury.uses.train.jury import train_jury_on
from sqljury.verdict import Outcome, Verdict

SCHEMA = "CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, kind TEXT, crew INTEGER);"
ROWS = "INSERT INTO boat VALUES (1,'Anna','ferry',3), (2,'Bela','tug',2), (3,'Cora','ferry',9);"
REFERENCE = "SELECT name FROM boat WHERE crew > 2"
RIGHT = "SELECT boat.name FROM boat WHERE NOT crew <= 2"
WRONG = "SELECT kind FROM boat WHERE crew < 2 LIMIT 1"
CASE = Case(
    id="1",
    db_id="harbour",
    question="Which boats have a crew of more than 2?",
    predicted_sql=RIGHT,
    reference_sqls=(REFERENCE,),
)
ALONE = replace(CASE, db_id="elsewhere", schema_sql=SCHEMA)


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("databases") / "harbour.sqlite"
    connection = sqlite3.connect(file)
    connection.executescript(SCHEMA + ROWS)
    connection.close()
    return file


def judged(case: Case, harbour: Path | None, name: str = "jury:offline") -> Verdict:
    evidence = DatabaseEvidence(
        case,
        open_databases(harbour).open("harbour") if harbour else None,
        ExecutionCache(),
        Limits(),
    )
    judge = make_judge(name)
    return settled(judge, case, evidence) or judge.judge(case, evidence)


@pytest.mark.parametrize(("like", "least"), [("everyday", 0.5), ("hard", 0.8)])
def test_right_and_wrong_beside_a_database(harbour: Path, like: str, least: float) -> None:
    judge = f"jury:offline,like={like}"
    right = judged(CASE, harbour, judge)
    wrong = judged(replace(CASE, predicted_sql=WRONG), harbour, judge)
    assert (right.outcome, wrong.outcome) == (Outcome.CORRECT, Outcome.INCORRECT)
    assert right.score is not None and right.score > least
    assert wrong.score is not None and wrong.score < 0.3


@pytest.mark.parametrize("case", [ALONE, replace(ALONE, question=None)])
def test_what_is_missing_is_no_obstacle(case: Case) -> None:
    right = judged(case, None)
    wrong = judged(replace(case, predicted_sql=WRONG), None)
    assert right.score is not None and wrong.score is not None
    assert right.score > wrong.score


def test_without_a_schema_it_cannot_say() -> None:
    assert judged(replace(ALONE, schema_sql=None), None).outcome is Outcome.UNKNOWN


def test_a_missing_database_is_missing_evidence(harbour: Path) -> None:
    with sj.evaluate([ALONE], ["jury:offline"], harbour.parent, workers=1) as found:
        (record,) = found.records()
    assert record.verdict.outcome in (Outcome.CORRECT, Outcome.INCORRECT)


def test_a_prediction_that_does_not_run(harbour: Path) -> None:
    found = judged(replace(CASE, predicted_sql="SELECT nope FROM boat"), harbour)
    assert found.outcome is Outcome.PREDICTION_ERROR


def test_unknown_in_the_band() -> None:
    score = judged(ALONE, None).score
    assert score is not None
    inside = judged(ALONE, None, f"jury:offline,threshold={score + 0.05 if score < 0.9 else 0.9},"
                    "band=0.15")  # fmt: skip
    assert inside.outcome is Outcome.UNKNOWN
    assert inside.score == score
    assert judged(ALONE, None, "jury:offline,band=1").outcome is Outcome.UNKNOWN


@pytest.mark.parametrize(
    "option",
    [
        "threshold=2",
        "band=-1",
        "models=o3",
        "weights=nowhere.npz",
        "like=all",
        "reference=false,models=o3",
        "reference=false,like=hard",
        "sure=true,like=hard",
    ],
)
def test_options_that_cannot_be(option: str) -> None:
    with pytest.raises(InputError):
        make_judge(f"jury,{option}")


@pytest.mark.parametrize("like", SHIPPED)
def test_every_feature_of_the_model_is_one_that_is_found(like: str) -> None:
    from sqljury.judges.jury_features import all_groups

    known = {one.name for group in all_groups() for one in group.features}
    assert set(load_jury(SHIPPED[like]).names) <= known


def table(folder: Path, rows: int = 60) -> Path:
    file = folder / "table.jsonl"
    lines = []
    for number in range(rows):
        right = number % 2 == 0
        row = {"benchmark": "b", "id": str(number), "source": "", "db_id": "x", "label": right}
        row |= {"execution_intent": float(right) if number % 3 else None, "differences_total": 1.0}
        lines.append(json.dumps(row))
    file.write_text("\n".join(lines))
    return file


def test_trained_on_a_table_and_used(tmp_path: Path, harbour: Path) -> None:
    out = tmp_path / "mine.npz"
    model = train_jury_on(table(tmp_path), out, weights={"b": 0.5})
    assert model.names == ("execution_intent",)
    assert model.card["cases"] == {"b": 60}
    right = judged(CASE, harbour, f"jury:offline,weights={out}")
    wrong = judged(replace(CASE, predicted_sql=WRONG), harbour, f"jury:offline,weights={out}")
    assert right.outcome is Outcome.CORRECT and wrong.outcome is Outcome.INCORRECT


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"benchmark": "b", "id": "1", "db_id": "x"}', "SJ347"),
        ('{"benchmark": "b", "id": "1", "db_id": "x", "label": "yes"}', "SJ347"),
        ('{"benchmark": "b", "id": "1", "db_id": "x", "label": null}', "SJ347"),
        ('{"benchmark": "b", "id": "1", "db_id": "x", "label": true, "execution_bird": 1}', "SJ021"),
        ('{"benchmark": "b", "id": "1", "db_id": "x", "label": true, "execution_bird": "a"}',
         "SJ347"),
    ],
)  # fmt: skip
def test_tables_that_cannot_be_trained_on(tmp_path: Path, text: str, code: str) -> None:
    file = tmp_path / "table.jsonl"
    file.write_text(text)
    with pytest.raises(InputError, match=code):
        train_jury_on(file, tmp_path / "out.npz")


def test_what_sorts_the_wrong_way_round_is_not_correct(harbour: Path) -> None:
    asked = replace(
        CASE,
        question="What are the names of the boats by crew, largest first?",
        predicted_sql="SELECT name FROM boat ORDER BY crew",
        reference_sqls=("SELECT name FROM boat ORDER BY crew DESC",),
    )
    found = judged(asked, harbour)
    assert found.outcome is Outcome.INCORRECT
    assert "the other way round" in found.reason


@pytest.mark.parametrize("database", [True, False])
def test_without_the_reference(harbour: Path, database: bool) -> None:
    case = replace(CASE if database else ALONE, reference_sqls=())
    found = [
        judged(replace(case, predicted_sql=sql), harbour if database else None,
               "jury:offline,reference=false")
        for sql in (REFERENCE, "SELECT COUNT(kind) FROM boat WHERE crew = 'big'")
    ]  # fmt: skip
    scores = [one.score or 0.0 for one in found]
    assert scores[0] > scores[1]
    assert judged(case, harbour).outcome is Outcome.REFERENCE_MISSING


def test_a_reference_that_is_a_result_table(harbour: Path) -> None:
    names = ReferenceTable(columns=("name",), rows=(("Anna",), ("Cora",)))
    kinds = ReferenceTable(columns=("kind",), rows=(("tug",),))
    case = replace(CASE, predicted_sql=REFERENCE, reference_sqls=(), reference_tables=(names,))
    right = judged(replace(case, reference_tables=(kinds, names)), harbour)
    assert right.outcome is Outcome.CORRECT
    assert right.score == judged(case, harbour).score, "the reference that has its rows counts"
    assert "Prediction and reference have the same 2 rows" in right.reason
    assert judged(replace(case, predicted_sql=WRONG), harbour).outcome is Outcome.INCORRECT
    found = judged(replace(case, predicted_sql=None, predicted_table=kinds), harbour)
    assert found.outcome is Outcome.UNKNOWN
    broken = StoredTable(problem="not a table")
    found = judged(replace(case, predicted_sql=None, predicted_table=broken), harbour)
    assert found.outcome is Outcome.PREDICTION_ERROR


def test_a_reference_that_is_there_is_not_looked_at(harbour: Path) -> None:
    name = "jury:offline,reference=false"
    other = replace(CASE, reference_sqls=(WRONG,))
    assert judged(CASE, harbour, name) == judged(other, harbour, name)


def test_what_is_not_sure_is_unknown_on_request(harbour: Path) -> None:
    for sql in (
        RIGHT,
        WRONG,
        "SELECT name, crew FROM boat WHERE crew >= 2",
        "SELECT kind FROM boat",
    ):
        case = replace(CASE, predicted_sql=sql)
        plain, sure = judged(case, harbour), judged(case, harbour, "jury:offline,sure=true")
        assert plain.outcome is not Outcome.UNKNOWN
        assert (sure.outcome is Outcome.UNKNOWN) is ("unsure" in plain.labels)
        assert sure.score == plain.score
