"""The embedded verifier: a score for a query without a reference, a model or a network."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from fake_models import Courtroom, verdict_of

from sqljury.case import Case
from sqljury.databases import open_databases
from sqljury.errors import InputError
from sqljury.judges import make_judge

SCHEMA = """
CREATE TABLE harbour (harbour_id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE boat (
  boat_id INTEGER PRIMARY KEY, name TEXT, length REAL, built_year INTEGER,
  harbour_id INTEGER REFERENCES harbour (harbour_id)
);
"""
ROWS = """
INSERT INTO harbour VALUES (1, 'Bergen', 'Norway'), (2, 'Oslo', 'Norway'), (3, 'Kiel', 'Germany');
INSERT INTO boat VALUES (1, 'Anna', 12.5, 1999, 1), (2, 'Berta', 8.0, 2004, 1),
  (3, 'Clara', 31.0, 1987, 2), (4, 'Dora', 31.5, 2011, 3);
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("boats")
    connection = sqlite3.connect(folder / "boats.sqlite")
    connection.executescript(SCHEMA + ROWS)
    connection.close()
    return folder


@pytest.fixture(scope="module")
def database(folder: Path):
    return open_databases(folder).open("boats")


# question → a right query and wrong ones
QUESTIONS = {
    "How many boats are there?": (
        "SELECT count(*) FROM boat",
        ["SELECT name FROM boat", "SELECT count(*) FROM harbour", "SELECT avg(length) FROM boat"],
    ),
    "What are the names of boats longer than 10?": (
        "SELECT name FROM boat WHERE length > 10",
        [
            "SELECT name FROM boat WHERE length < 10",
            "SELECT name FROM boat",
            "SELECT name, length FROM boat WHERE length > 10",
            "SELECT name FROM harbour",
        ],
    ),
    "Show the countries and the number of harbours in each country.": (
        "SELECT country, count(*) FROM harbour GROUP BY country",
        [
            "SELECT country FROM harbour",
            "SELECT count(*) FROM harbour",
            "SELECT name, count(*) FROM boat GROUP BY name",
        ],
    ),
    "What is the name of the oldest boat?": (
        "SELECT name FROM boat ORDER BY built_year LIMIT 1",
        [
            "SELECT count(*) FROM boat",
            "SELECT built_year, name, length FROM boat",
            "SELECT name FROM harbour ORDER BY country LIMIT 1",
        ],
    ),
}


def score(database, question: str | None, sql: str) -> float:
    case = Case(id="1", db_id="boats", question=question, predicted_sql=sql)
    verdict = verdict_of("verifier", Courtroom(case, database, lambda _: None))
    assert verdict.score is not None
    return verdict.score


@pytest.mark.parametrize("question", QUESTIONS)
def test_right_queries_score_higher(database, question: str) -> None:
    right, wrong = QUESTIONS[question]
    assert score(database, question, right) > max(score(database, question, sql) for sql in wrong)


@pytest.mark.parametrize("question", list(QUESTIONS)[:2])
def test_a_schema_is_enough(question: str) -> None:
    right, wrong = QUESTIONS[question]
    scores = []
    for sql in (right, wrong[0]):
        case = Case(id="1", question=question, predicted_sql=sql, schema_sql=SCHEMA)
        scores.append(verdict_of("verifier", Courtroom(case, None, lambda _: None)).score)
    assert scores[0] > scores[1]


def test_how_a_query_is_spelled_does_not_matter(database) -> None:
    question = "What are the names of boats longer than 10?"
    plain = score(database, question, "SELECT name FROM boat WHERE length > 10")
    spelled = 'select "b"."NAME" as x from BOAT as b where (10.0 < b.Length);'
    assert score(database, question, spelled) == pytest.approx(plain, abs=0.05)


def test_the_reason_says_what_was_not_expected(database) -> None:
    case = Case(
        id="1",
        db_id="boats",
        question="How many boats are there?",
        predicted_sql="SELECT name FROM boat",
    )
    verdict = verdict_of("verifier", Courtroom(case, database, lambda _: None))
    assert verdict.outcome == "incorrect"
    assert any("count is likelier" in text for text in verdict.evidence["unexpected"])
    assert "count is likelier" in verdict.reason


def test_without_a_question_the_query_alone_is_weighed(database) -> None:
    case = Case(id="1", db_id="boats", predicted_sql="SELECT name FROM boat")
    verdict = verdict_of("verifier", Courtroom(case, database, lambda _: None))
    assert 0 < (verdict.score or 0) < 1
    assert verdict.reason.endswith("without the question")


@pytest.mark.parametrize(
    ("sql", "outcome"),
    [
        ("SELECT oops FROM boat", "prediction_error"),
        ("DELETE FROM boat", "prediction_refused"),
        ("", "prediction_error"),
        (None, "abstained"),
    ],
)
def test_what_gives_no_rows(database, sql: str | None, outcome: str) -> None:
    case = Case(id="1", db_id="boats", question="How many boats?", predicted_sql=sql)
    assert verdict_of("verifier", Courtroom(case, database, lambda _: None)).outcome == outcome


def test_without_a_schema_nothing_can_be_said() -> None:
    case = Case(id="1", question="How many boats?", predicted_sql="SELECT 1")
    evidence = Courtroom(case, None, lambda _: None)
    assert verdict_of("verifier", evidence).outcome == "database_missing"


def test_hostile_texts_change_nothing_but_scores(database) -> None:
    for question in ("", "?" * 2000, "\x00'\"; DROP TABLE boat; --", "💥 " * 50):
        for sql in (
            "SELECT 1",
            "SELECT * FROM boat, boat b, boat c",
            "WITH x AS (SELECT 1) SELECT * FROM x",
        ):
            case = Case(id="1", db_id="boats", question=question, predicted_sql=sql)
            verdict = verdict_of("verifier", Courtroom(case, database, lambda _: None))
            assert 0 <= (verdict.score or 0) <= 1


def test_a_higher_bar(database) -> None:
    case = Case(id="1", db_id="boats", question="How many boats?", predicted_sql="SELECT 1")
    evidence = Courtroom(case, database, lambda _: None)
    assert verdict_of("verifier,threshold=0", evidence).outcome == "correct"
    assert verdict_of("verifier,threshold=1", evidence).outcome == "incorrect"


@pytest.mark.parametrize(
    "spec", ["verifier,threshold=2", "verifier,prompt=sql", "verifier,model=/no/such/file"]
)
def test_bad_options(spec: str) -> None:
    with pytest.raises(InputError):
        make_judge(spec)


def test_its_signature_names_the_file() -> None:
    fields = make_judge("verifier").signature_fields()
    assert fields["verifier"].startswith("small/")


@pytest.fixture(scope="module")
def cases(folder: Path) -> Path:
    path = folder / "cases.jsonl"
    question, (right, wrong) = next(iter(QUESTIONS.items()))
    rows = [
        {"id": str(n), "db_id": "boats", "question": question, "predicted_sql": sql}
        for n, sql in enumerate([right, *wrong])
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def run(*command: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *command],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_no_learning_package_is_imported(cases: Path) -> None:
    script = (
        "import sys\n"
        "from sqljury.judges import make_judge\n"
        "from sqljury.judges.verifier_features import Observer\n"
        "judge = make_judge('verifier')\n"
        "judge._observer, judge._small.blind.probabilities([{}])\n"
        "print(sorted({'torch', 'sklearn', 'transformers'} & set(sys.modules)))"
    )
    assert run("-c", script).strip() == "[]"


@pytest.mark.slow
def test_the_same_under_every_hash_seed_and_number_of_workers(cases: Path, tmp_path: Path) -> None:
    printed = [
        run(
            *("-m", "sqljury.cli", "evaluate", str(cases), "-d", str(cases.parent)),
            *("-j", "verifier", "-w", workers, "--export", str(tmp_path / f"{seed}.jsonl")),
            *("--run", str(tmp_path / seed)),
            PYTHONHASHSEED=seed,
        )
        for seed, workers in (("0", "1"), ("1", "2"))
    ]
    assert all("verifier" in text for text in printed)
    one, other = ((tmp_path / f"{seed}.jsonl").read_text() for seed in "01")
    assert one == other
    assert json.loads(one.splitlines()[0])["score"] > 0.5
