"""Judges that stay ready between cases."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from sqlite3 import connect

import pytest

import sqljury as sj
from sqljury.errors import InputError

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
PREDICTED = ("SELECT x FROM t", "SELECT x FROM t WHERE x > 1", "SELECT y FROM t", None, ENDLESS)


@pytest.fixture
def databases(tmp_path: Path) -> Path:
    with connect(tmp_path / "d.sqlite") as database:
        database.executescript("CREATE TABLE t (x); INSERT INTO t VALUES (1), (5)")
    return tmp_path


def case(predicted: str | None, id_: str = "1") -> sj.Case:
    reference = ("SELECT x FROM t ORDER BY x DESC",)
    return sj.Case(id=id_, db_id="d", predicted_sql=predicted, reference_sqls=reference)


def test_verdicts_are_those_of_a_run(databases: Path) -> None:
    judges = ["execution", "exact_set_match"]
    limits = sj.Limits(seconds=0.3)
    cases = [case(sql, str(place)) for place, sql in enumerate(PREDICTED)]
    with sj.evaluate(cases, judges, databases, workers=1, limits=limits) as done:
        stored = [(one.judge, one.verdict.outcome, one.verdict.reason) for one in done.records()]
    with sj.Evaluator(databases, judges, limits=limits) as evaluator:
        found = [
            (judge, verdict.outcome, verdict.reason)
            for one in cases
            for judge, verdict in evaluator.judge(one).items()
        ]
    assert found == stored


def test_a_database_that_changed_is_asked_again(databases: Path) -> None:
    one = case("SELECT 5 UNION ALL SELECT 1")
    with sj.Evaluator(databases) as evaluator:
        before = evaluator.judge(one)["execution:strict"].outcome
        with connect(databases / "d.sqlite") as database:
            database.execute("INSERT INTO t VALUES (7)")
        after = evaluator.judge(one)["execution:strict"].outcome
    assert (before, after) == (sj.Outcome.CORRECT, sj.Outcome.INCORRECT)


def test_objects_are_cases_and_a_missing_database_a_verdict(databases: Path) -> None:
    with sj.Evaluator(databases) as evaluator:
        given = {"db_id": "d", "gold": "SELECT 1", "prediction": "SELECT 1"}
        assert evaluator.judge(given)["execution:strict"].outcome is sj.Outcome.CORRECT
        absent = evaluator.judge({**given, "db_id": "none"})["execution:strict"]
        assert absent.outcome is sj.Outcome.DATABASE_MISSING
        with pytest.raises(InputError, match="SJ104"):
            evaluator.judge({"question": "How many?"})


def test_its_workers_end_with_it(databases: Path) -> None:
    script = (
        "import sqljury as sj, sys\n"
        "evaluator = sj.Evaluator(sys.argv[1])\n"
        "given = {'db_id': 'd', 'gold': 'SELECT 1', 'prediction': 'SELECT 1'}\n"
        "print(evaluator.judge(given)['execution:strict'].outcome)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(databases)], capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.returncode) == ("correct\n", 0), done.stderr
