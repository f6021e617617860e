"""Every case gets the outcome that it is there to show, on every engine."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from demo_engines import Engine

from sqljury.case import MISSING, Case
from sqljury.databases import Database, open_databases
from sqljury.demo import DATABASES, write_demo
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.judges import make_judge, settled

Cases = list[dict[str, Any]]
Outcomes = dict[int, dict[str, str]]

JUDGES = {name: make_judge(f"execution:{name}") for name in ("strict", "spider", "bird", "intent")}
LIMITS = Limits(seconds=2.0, rows=10_000)


def as_case(data: dict[str, Any]) -> Case:
    return Case(
        id=str(data["question_id"]),
        db_id=data["db_id"],
        question=data["question"],
        predicted_sql=data.get("predicted_sql", MISSING),
        reference_sqls=(data["gold_sql"],),
    )


def outcomes(cases: Cases, place: str | Path) -> Outcomes:
    found = open_databases(place)
    with ExitStack() as stack:
        databases: dict[str, Database] = {}
        for db_id in DATABASES:
            database = found.open(db_id)
            assert database is not None
            stack.callback(database.close)
            databases[db_id] = database
        cache = ExecutionCache()
        return {case["question_id"]: judged(case, databases, cache) for case in cases}


def judged(
    data: dict[str, Any], databases: dict[str, Database], cache: ExecutionCache
) -> dict[str, str]:
    case = as_case(data)
    evidence = DatabaseEvidence(case, databases[case.db_id], cache, LIMITS)
    verdicts = {
        policy: settled(judge, case, evidence) or judge.judge(case, evidence)
        for policy, judge in JUDGES.items()
    }
    cuts_a_tie = "limit_cuts_tie" in verdicts["strict"].labels
    assert cuts_a_tie == ("cuts a tie" in data["shows"])
    return {policy: str(verdict.outcome) for policy, verdict in verdicts.items()}


@pytest.fixture(scope="module")
def expected(demo_cases: Cases) -> Outcomes:
    return {case["question_id"]: case["expected"] for case in demo_cases}


def test_outcomes_on_sqlite(demo_cases: Cases, expected: Outcomes, tmp_path: Path) -> None:
    assert outcomes(demo_cases, write_demo(tmp_path).databases) == expected


def test_outcomes_elsewhere(demo_cases: Cases, expected: Outcomes, elsewhere: Engine) -> None:
    assert outcomes(demo_cases, elsewhere.databases) == expected
