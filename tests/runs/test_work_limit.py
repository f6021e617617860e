"""Judges that look at text alone are limited too: what takes them too long, or too deep, is unknown."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import sqljury as sj
from sqljury import work_limit
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.judges import make_judge
from sqljury.runs import worker
from sqljury.work_limit import not_work, too_much_work, within_work_limit, work_seconds

SCHEMA = "CREATE TABLE t (a INTEGER, b INTEGER)"


def nested(depth: int) -> str:
    sql = "SELECT a FROM t"
    for _ in range(depth):
        sql = f"SELECT a FROM ({sql})"
    return sql


def nested_case(depth: int) -> str:
    sql = "0"
    for number in range(depth):
        sql = f"CASE WHEN a = {number} THEN {number} ELSE {sql} END"
    return f"SELECT {sql} FROM t"


def conjuncts(count: int, step: int) -> str:
    parts = (f"a + {i} > b * {i * step + 1}" for i in range(count))
    return f"SELECT a FROM t WHERE {' AND '.join(parts)}"


LARGE = {
    "subqueries": (nested(200), nested(199)),
    "arms": tuple(
        " UNION ALL ".join(f"SELECT {i} FROM t" for i in range(count)) for count in (400, 399)
    ),
    "case": (nested_case(300), nested_case(299)),
    "conjuncts": (conjuncts(900, 1), conjuncts(900, 2)),
}


def case_of(name: str) -> sj.Case:
    left, right = LARGE.get(name, (nested(1), nested(1)))
    return sj.Case(
        id=name, db_id="x", predicted_sql=left, reference_sqls=(right,), schema_sql=SCHEMA
    )


def judged(name: str, judges: list[str], run: Path, **more: object) -> list[sj.Verdict]:
    with sj.evaluate([case_of(name)], judges, run=run, workers=1, **more) as found:  # type: ignore[arg-type]
        return [record.verdict for record in found.records()]


def test_deep_queries_are_judged_or_unknown(tmp_path: Path) -> None:
    # astpm works on the other one for its ten seconds: a case of the slow test below.
    judges = ["astpm", "codebleu", "relpm", "tree_match"]
    too_deep, *others = judged("subqueries", judges, tmp_path / "subqueries")
    assert too_deep.outcome == "unknown"
    assert too_deep.reason == "the query is nested too deeply for this judge"
    others += judged("case", judges[1:], tmp_path / "case")
    assert {one.outcome for one in others} <= {"unknown", "correct", "incorrect"}


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("judge", ["relpm", "astpm", "codebleu", "tree_match", "jury:offline"])
def test_large_queries_end(name: str, judge: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "work_seconds", lambda _: 2.0)
    limits = sj.Limits(seconds=3)
    evidence = DatabaseEvidence(case_of(name), None, ExecutionCache(), limits)
    began = time.process_time()
    verdict = worker._verdict(make_judge(judge), case_of(name), evidence, limits)
    assert verdict.outcome != "judge_unavailable", verdict
    assert time.process_time() - began < 10, "two seconds of work, and what it takes to stop"


@pytest.mark.slow
def test_what_cannot_be_stopped_from_inside_costs_only_its_verdict(tmp_path: Path) -> None:
    code = """
    import re
    from sqljury import Needs, Verdict
    class Stuck:
        "It holds the interpreter until it ends."
        name, version, needs = "stuck", 1, Needs.NOTHING
        def judge(self, case, evidence):
            re.match("(a|a)*b", "a" * 60)
            return Verdict.correct()
    """
    (tmp_path / "stuck.py").write_text(textwrap.dedent(code))
    judge = f"{tmp_path / 'stuck.py'}:Stuck"
    limits = sj.Limits(seconds=1)
    stuck, other = judged("plain", [judge, "exact_match"], tmp_path / "run", limits=limits)
    assert other.outcome == "correct"
    assert (stuck.outcome, stuck.reason) == ("unknown", too_much_work(work_seconds(limits)))


def _works(seconds: float) -> str:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
    return "done"


def test_work_is_stopped_and_statements_are_not_work() -> None:
    def statement_and_work() -> str:
        with not_work():
            _works(0.6)
        return _works(0.1)

    assert within_work_limit(lambda: _works(0.05), 0.5) == "done"
    assert within_work_limit(lambda: _works(60), 0.3) is None
    assert within_work_limit(statement_and_work, 0.5) == "done"
    assert within_work_limit(lambda: time.sleep(0.5) or "done", 0.3) == "done", "a wait"


def test_what_swallows_the_stop_gives_no_answer() -> None:
    def swallows() -> str:
        try:
            _works(60)
        except BaseException:
            return "as if nothing had been"
        return "done"

    def fails() -> str:
        try:
            return _works(60)
        finally:
            raise ValueError("in the middle")

    assert within_work_limit(swallows, 0.2) is None
    assert within_work_limit(fails, 0.2) is None
    with pytest.raises(ValueError, match="in the middle"):
        within_work_limit(lambda: fails_at_once(), 5)
    assert work_limit._current.meter is None


def fails_at_once() -> str:
    raise ValueError("in the middle")


def test_nothing_is_left_of_a_limit() -> None:
    # Traced: what is still to be raised would keep the first call from returning.
    program = """
import sys
from sqljury.work_limit import within_work_limit

def forever():
    while True:
        pass

def called():
    return 1

assert within_work_limit(called, 10) == 1
assert within_work_limit(forever, 0.2) is None
sys.settrace(lambda *_: None)
assert called() == 1
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
