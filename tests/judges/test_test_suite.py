"""Test-suite accuracy over several databases."""

from __future__ import annotations

import gzip
import json
import sqlite3
from pathlib import Path

import pytest

import sqljury as sj
from sqljury.case import Case
from sqljury.databases import open_suites
from sqljury.errors import InputError
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.judges import make_judge, settled
from sqljury.verdict import Verdict

# On the original there is no item of 2 and no name twice; "third" lacks a column.
SCRIPTS = {
    "shop": "CREATE TABLE item (id, name, price); INSERT INTO item VALUES (1, 'a', 1), (2, 'b', 3)",
    "first": "CREATE TABLE item (id, name, price); INSERT INTO item VALUES (1, 'a', 2), (2, 'b', 3)",
    "second": "CREATE TABLE item (id, name, price);"
    "INSERT INTO item VALUES (1, 'a', 5), (2, 'a', 5), (3, 'c', 9)",
    "third": "CREATE TABLE item (id, name)",
}


@pytest.fixture(scope="module")
def suites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suites")
    (folder / "shop").mkdir()
    for name, script in SCRIPTS.items():
        connection = sqlite3.connect(folder / "shop" / f"{name}.sqlite")
        connection.executescript(script)
        connection.close()
    return folder


def ask(suites: Path, spec: str, predicted: str | None, *references: str) -> Verdict:
    case = Case(id="1", db_id="shop", predicted_sql=predicted, reference_sqls=references)
    evidence = DatabaseEvidence(
        case, None, ExecutionCache(), Limits(seconds=5), suites=open_suites(suites)
    )
    judge = make_judge(spec)
    return settled(judge, case, evidence) or judge.judge(case, evidence)


ABOVE = "SELECT id FROM item WHERE price > 2"

# judge, prediction, references, outcome, database that decides, databases looked at
VERDICTS = [
    ("test_suite", ABOVE, (ABOVE,), "correct", None, 4),
    ("test_suite", "SELECT id FROM item WHERE price >= 2", (ABOVE,), "incorrect", "first", 2),
    ("test_suite", "SELECT id FROM item WHERE price > 1", (ABOVE,), "incorrect", "first", 2),
    ("test_suite", "SELECT id FROM item WHERE cost > 1", (ABOVE,), "prediction_error", "shop", 1),
    ("test_suite", "DELETE FROM item", (ABOVE,), "prediction_refused", "shop", 1),
    ("test_suite", ABOVE, ("SELECT nothing FROM item",), "reference_error", "shop", 4),
    # DISTINCT is taken out by the script's policy, not by the others.
    (
        "test_suite",
        "SELECT name FROM item",
        ("SELECT DISTINCT name FROM item",),
        "correct",
        None,
        4,
    ),
    (
        "test_suite,keep_distinct=true",
        "SELECT name FROM item",
        ("SELECT DISTINCT name FROM item",),
        "incorrect",
        "second",
        3,
    ),
    (
        "test_suite:bird",
        "SELECT name FROM item",
        ("SELECT DISTINCT name FROM item",),
        "correct",
        None,
        4,
    ),
    (
        "test_suite:strict",
        "SELECT id, name FROM item",
        ("SELECT name, id FROM item",),
        "incorrect",
        "shop",
        1,
    ),
    (
        "test_suite:strict,column_order=any",
        "SELECT id, name FROM item",
        ("SELECT name, id FROM item",),
        "correct",
        None,
        4,
    ),
    # The whole suite has to agree with one reference, not each database with some reference.
    (
        "test_suite",
        "SELECT id FROM item WHERE price > 1",
        (ABOVE, "SELECT id FROM item WHERE price >= 2"),
        "correct",
        None,
        4,
    ),
    (
        "test_suite",
        "SELECT id FROM item WHERE price > 2 AND price < 9",
        ("SELECT id FROM item WHERE price > 2 AND price < 9 AND id < 2", ABOVE),
        "incorrect",
        "second",
        3,
    ),
]


@pytest.mark.parametrize(("spec", "predicted", "references", "outcome", "at", "seen"), VERDICTS)
def test_verdicts(suites, spec, predicted, references, outcome, at, seen) -> None:
    found = ask(suites, spec, predicted, *references)
    assert (found.outcome, found.evidence.get("database")) == (outcome, at)
    assert found.evidence["suite"]["databases"] == 4
    assert found.evidence["suite"]["looked_at"] == seen
    assert found.reason.startswith(f"on {at}: " if at else "same rows")


def test_the_evidence_names_the_database_and_its_rows(suites) -> None:
    found = ask(suites, "test_suite", "SELECT id FROM item WHERE price >= 2", ABOVE)
    assert found.evidence["database"] == "first"
    assert found.evidence["reference"]["rows"] == [[2]]
    assert found.evidence["prediction"]["rows"] == [[1], [2]]


def test_databases_on_which_the_reference_fails_are_left_out_and_counted(suites) -> None:
    found = ask(suites, "test_suite,whole=true", "SELECT id FROM item WHERE price > 1", ABOVE)
    assert found.measures == {"share": 2 / 3}
    assert found.evidence["suite"] == {
        "databases": 4,
        "looked_at": 4,
        "agreeing": 2,
        "reference_fails": 1,
    }
    passed = ask(suites, "test_suite", ABOVE, ABOVE)
    assert passed.reason == "same rows on 3 databases; the reference fails on 1"
    assert passed.measures == {}, "a share of what was looked at before the end would mislead"


@pytest.mark.parametrize(
    ("db_id", "predicted", "outcome"),
    [
        ("gone", "SELECT 1", "database_missing"),
        ("shop", None, "abstained"),
        ("shop", " ", "prediction_error"),
    ],
)
def test_settled_before_any_database(suites, db_id, predicted, outcome) -> None:
    case = Case(id="1", db_id=db_id, predicted_sql=predicted, reference_sqls=(ABOVE,))
    evidence = DatabaseEvidence(
        case, None, ExecutionCache(), Limits(seconds=5), suites=open_suites(suites)
    )
    found = settled(make_judge("test_suite"), case, evidence)
    assert found is not None
    assert found.outcome == outcome


def test_a_database_that_is_none_makes_the_verdict_unavailable(suites, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "shop.sqlite").write_bytes(b"no database" * 100)
    assert ask(tmp_path, "test_suite", ABOVE, ABOVE).outcome == "judge_unavailable"


def cases() -> list[Case]:
    return [
        Case(id=str(number), db_id="shop", predicted_sql=sql, reference_sqls=(ABOVE,))
        for number, sql in enumerate([ABOVE, "SELECT id FROM item WHERE price >= 2"])
    ]


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

# prediction, outcome: on one database of the suite it is fine
HOSTILE = [
    (f"SELECT CASE WHEN count(*) = 3 THEN ({ENDLESS}) ELSE 2 END FROM item", "prediction_timeout"),
    ("SELECT CASE count(*) WHEN 3 THEN zeroblob(2e9) ELSE 2 END FROM item", "prediction_too_large"),
    ("SELECT 2; ATTACH 'x' AS x", "prediction_refused"),
]


@pytest.mark.parametrize(("predicted", "outcome"), HOSTILE)
def test_hostile_predictions_are_stopped_where_they_strike(
    suites, tmp_path: Path, predicted: str, outcome: str
) -> None:
    references = ("SELECT CASE count(*) WHEN 3 THEN 0 ELSE 2 END FROM item",)
    case = Case(id="1", db_id="shop", predicted_sql=predicted, reference_sqls=references)
    before = [path.read_bytes() for path in sorted((suites / "shop").iterdir())]
    limits = Limits(seconds=0.3)
    with sj.evaluate([case], ["test_suite"], suites=suites, limits=limits, workers=1) as found:
        (record,) = found.records()
    assert record.verdict.outcome == outcome
    at = "shop" if outcome == "prediction_refused" else "second"
    assert record.verdict.evidence["database"] == at
    assert [path.read_bytes() for path in sorted((suites / "shop").iterdir())] == before


def test_a_run_notices_when_the_suite_changes(suites, tmp_path: Path) -> None:
    folder = tmp_path / "suites" / "shop"
    folder.mkdir(parents=True)
    base = (suites / "shop" / "shop.sqlite").read_bytes()
    (folder / "shop.sqlite").write_bytes(base)
    arguments = {"suites": folder.parent, "run": tmp_path / "run", "workers": 1}
    with sj.evaluate(cases(), ["test_suite"], **arguments) as found:
        assert found.scores() == {"test_suite:spider": 1.0}
        assert "|db:sqlite" in found.run.judges[0].signature
    (folder / "more.sqlite").write_bytes((suites / "shop" / "first.sqlite").read_bytes())
    with sj.evaluate(cases(), ["test_suite"], **arguments) as found:
        assert found.scores() == {"test_suite:spider": 0.5}


def test_a_broken_file_of_a_suite_costs_its_own_cases_alone(suites, tmp_path: Path) -> None:
    for name in ("shop", "broken"):
        folder = tmp_path / "suites" / name
        folder.mkdir(parents=True)
        (folder / f"{name}.sqlite").write_bytes((suites / "shop" / "shop.sqlite").read_bytes())
    (folder / "second.sqlite").write_bytes(b"SQLite format 3\0" + bytes(5000))
    text = "SELECT count(*) FROM item"
    found = [
        Case(id=db_id, db_id=db_id, predicted_sql=text, reference_sqls=(f"{text} WHERE 1",))
        for db_id in ("broken", "shop")
    ]
    with sj.evaluate(found, ["test_suite"], suites=tmp_path / "suites", workers=1) as judged:
        verdicts = {record.case.id: record.verdict for record in judged.records()}
    assert verdicts["shop"].outcome == "correct"
    assert verdicts["broken"].outcome == "judge_unavailable"
    assert "SJ211" in verdicts["broken"].reason


@pytest.mark.parametrize("place", [None, "elsewhere"])
def test_a_run_without_suites_says_so(tmp_path: Path, suites, place) -> None:
    if place is not None:
        (tmp_path / place / "elsewhere").mkdir(parents=True)
        file = tmp_path / place / "elsewhere" / "elsewhere.sqlite"
        file.write_bytes((suites / "shop" / "shop.sqlite").read_bytes())
    with pytest.raises(InputError, match="SJ415"):
        sj.evaluate(cases(), ["test_suite"], suites=place and tmp_path / place, workers=1)


@pytest.mark.slow
def test_recorded_labels_of_two_official_suites(data_dir: Path) -> None:
    found, wanted = [], {}
    path = data_dir / "candidates" / "spider-dev-17-systems.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row["db_id"] not in ("singer", "poker_player"):
                continue
            for number, candidate in enumerate(row["candidates"]):
                case_id = f"{row['index']}-{number}"
                wanted[case_id] = candidate["ts_colperm"]
                found.append(
                    Case(
                        id=case_id,
                        db_id=row["db_id"],
                        predicted_sql=candidate["sql"],
                        reference_sqls=(row["gold_sql"],),
                    )
                )
    spec = "test_suite:strict,column_order=any,tolerance=1e-6"
    folder = data_dir / "spider" / "test_suite"
    with sj.evaluate(found, [spec], suites=folder, workers=2) as judged:
        said = {r.case.id: r.verdict.outcome == "correct" for r in judged.records()}
    assert len(wanted) > 500
    assert said == wanted
