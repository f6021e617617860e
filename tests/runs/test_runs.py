"""Runs: outcomes, resuming, workers that die, the same result whoever does the work."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from shop import OUTCOMES, make_cases, make_database

import sqljury as sj
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.execution import MIB, Limits
from sqljury.isolation import start_isolated
from sqljury.reports.export import write_export
from sqljury.runs import pool

LIMITS = Limits(seconds=0.5, rows=1000)


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_database(tmp_path_factory.mktemp("databases"))


def _evaluate(cases, databases, run, judges=("execution",), workers=2, **rest):
    return sj.evaluate(cases, judges, databases, run=run, workers=workers, **rest)


def _export(found: sj.Evaluation, path: Path) -> bytes:
    write_export(path, found.run.records(with_evidence=False))
    return path.read_bytes()


def test_every_outcome(databases: Path, tmp_path: Path) -> None:
    cases = [
        Case(id=str(i), db_id=db_id, predicted_sql=predicted, reference_sqls=references)
        for i, (predicted, references, db_id, _) in enumerate(OUTCOMES)
    ]
    with _evaluate(cases, databases, tmp_path / "run", limits=LIMITS) as found:
        outcomes = [record.verdict.outcome.value for record in found.records()]
        (judge,) = found.summary.judges
    assert outcomes == [expected for *_, expected in OUTCOMES]
    assert judge.total == len(cases)
    assert judge.left_out == 6
    assert judge.score == pytest.approx(2 / (len(cases) - 6))


def test_the_same_command_again_does_nothing(databases: Path, tmp_path: Path) -> None:
    calls: list[tuple[int, int]] = []
    for _ in range(2):
        calls.clear()
        _evaluate(
            make_cases(50),
            databases,
            tmp_path,
            on_progress=lambda done, total: calls.append((done, total)),
        ).close()
    assert calls == [(50, 50)]


def test_a_worker_without_work_is_not_waited_for(
    databases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _evaluate(make_cases(3), databases, tmp_path).close()
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments, **more):
        started.append(start_isolated(*arguments, **more))
        return started[-1]

    monkeypatch.setattr("sqljury.runs.pool.start_isolated", start)
    _evaluate(make_cases(3), databases, tmp_path).close()
    assert [process.returncode for process in started] == [-signal.SIGKILL]


def test_a_changed_prediction_a_new_judge_and_new_data_are_judged(tmp_path: Path) -> None:
    databases = make_database(tmp_path / "db")
    run = tmp_path / "run"
    first: list[int] = []

    def done_before(cases, judges=("execution",)):
        first.clear()
        _evaluate(cases, databases, run, judges, on_progress=lambda d, _: first.append(d)).close()
        return first[0]

    cases = list(make_cases(10))
    assert done_before(cases) == 0
    assert done_before(cases, ("execution", "executable")) == 10
    cases[3] = Case(id="3", db_id="shop", predicted_sql="SELECT 1", reference_sqls=("SELECT 1",))
    assert done_before(cases) == 9
    connection = sqlite3.connect(databases / "shop" / "shop.sqlite")
    with connection:
        connection.execute("INSERT INTO item VALUES (5, 'new', 9.0)")
    connection.close()
    assert done_before(cases) == 0


def test_same_bytes_for_any_workers_and_hash_seed(databases: Path, tmp_path: Path) -> None:
    source = tmp_path / "cases.jsonl"
    sj.write_cases(make_cases(300), source, format="sqljury")
    exports = set()
    for workers, seed in ((1, "0"), (3, "77")):
        export = tmp_path / f"{workers}.jsonl"
        command = [sys.executable, "-m", "sqljury.cli", "evaluate", str(source)]
        command += ["-d", str(databases), "--workers", str(workers), "--export", str(export)]
        command += ["--run", str(tmp_path / f"run{workers}"), "-j", "execution", "-j", "soft_f1"]
        env = os.environ | {"PYTHONHASHSEED": seed}
        subprocess.run(command, check=True, env=env, capture_output=True)
        exports.add(export.read_bytes())
    assert len(exports) == 1


JUDGES = '''
import os, signal, time
from dataclasses import dataclass
from sqljury import Needs, Verdict

@dataclass(frozen=True)
class Printer:
    """Prints, and reads standard input."""
    name = "printer"; version = 1; needs = Needs.NOTHING
    def judge(self, case, evidence):
        import sys
        print("noise on stdout " * 100); sys.stdin.read()
        return Verdict.correct()

@dataclass(frozen=True)
class Deadly:
    """Kills its process at one case."""
    name = "deadly"; version = 1; needs = Needs.NOTHING
    def judge(self, case, evidence):
        if case.id == "7":
            os.kill(os.getpid(), signal.SIGKILL)
        return Verdict.correct()

@dataclass(frozen=True)
class Broken:
    """Raises at every other case."""
    name = "broken"; version = 1; needs = Needs.NOTHING
    def judge(self, case, evidence):
        if int(case.id) % 2:
            raise RuntimeError("boom")
        return Verdict.correct()

@dataclass(frozen=True)
class Stuck:
    """Runs a statement that nothing stops from inside."""
    name = "stuck"; version = 1; needs = Needs.DATABASE
    def judge(self, case, evidence):
        if case.id == "3":
            evidence._database.execute = lambda sql, limits: time.sleep(60)
        run = evidence.rows("SELECT " + case.id)
        return Verdict.correct() if run.ok else Verdict.incorrect(f"{run.status}: {run.message}")
'''


@pytest.fixture
def own_judges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "mine_judges.py").write_text(textwrap.dedent(JUDGES))
    monkeypatch.chdir(tmp_path)
    return str(tmp_path / "mine_judges.py")


def _outcomes(found: sj.Evaluation) -> dict[str, int]:
    return dict(found.summary.judges[0].outcomes)


def test_a_judge_of_ones_own_may_print(own_judges: str, databases: Path, tmp_path: Path) -> None:
    with _evaluate(make_cases(20), databases, tmp_path / "r", [f"{own_judges}:Printer"]) as found:
        assert _outcomes(found) == {"correct": 20}
    with _evaluate(make_cases(20), databases, tmp_path / "r2", [f"{own_judges}:Broken"]) as found:
        assert _outcomes(found) == {"correct": 10, "judge_unavailable": 10}


def test_a_case_that_kills_its_worker_costs_only_itself(
    own_judges: str, databases: Path, tmp_path: Path
) -> None:
    with _evaluate(make_cases(40), databases, tmp_path / "r", [f"{own_judges}:Deadly"]) as found:
        assert _outcomes(found) == {"correct": 39, "judge_unavailable": 1}
        (bad,) = [r for r in found.records() if r.verdict.outcome == "judge_unavailable"]
    assert bad.case.id == "7"
    assert "SIGKILL" in bad.verdict.reason


def test_what_failed_by_infrastructure_is_tried_again(
    own_judges: str, databases: Path, tmp_path: Path
) -> None:
    calls: list[int] = []
    for _ in range(2):
        calls.clear()
        _evaluate(
            make_cases(10),
            databases,
            tmp_path / "r",
            [f"{own_judges}:Broken"],
            on_progress=lambda done, _: calls.append(done),
        ).close()
    assert calls[0] == 5


def test_a_statement_that_never_returns_ends_with_its_worker(
    own_judges: str, databases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_LONGEST_LOCK", 0.5)
    with _evaluate(
        make_cases(12), databases, tmp_path / "r", [f"{own_judges}:Stuck"], limits=LIMITS
    ) as found:
        by_id = {record.case.id: record.verdict.reason for record in found.records()}
    assert by_id.pop("3") == "timeout: exceeded 0.5 s"
    assert set(by_id.values()) == {""}


@pytest.mark.parametrize(
    ("judges", "code"),
    [((), "SJ407"), (("execution", "execution:strict"), "SJ408"), (("nonsense",), "SJ301")],
)
def test_judges_that_cannot_be(judges, code: str, databases: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=code):
        _evaluate(make_cases(1), databases, tmp_path, judges)


def test_no_cases_and_no_database_at_all(databases: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="SJ409"):
        _evaluate([], databases, tmp_path / "a")
    lost = Case(id="1", db_id="gone", predicted_sql="SELECT 1", reference_sqls=("SELECT 1",))
    with pytest.raises(InputError, match="SJ410"):
        _evaluate([lost], databases, tmp_path / "b")
    with _evaluate([lost], databases, tmp_path / "c", ["exact_match"]) as found:
        assert found.scores() == {"exact_match": 1.0}


def test_two_cases_with_one_key(databases: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="SJ404"):
        _evaluate([*make_cases(2), *make_cases(1)], databases, tmp_path)


def test_broken_input_costs_nothing_computed(databases: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    _evaluate(make_cases(5), databases, run).close()

    def broken():
        yield from make_cases(3)
        raise InputError("SJ199", "line 4 is broken")

    with pytest.raises(InputError, match="SJ199"):
        _evaluate(broken(), databases, run)
    with sj.load_run(run) as found:
        assert found.summary.judges[0].total == 5


def _start(source: Path, databases: Path, run: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "sqljury.cli", "evaluate", str(source), "-d", str(databases)]
    return subprocess.Popen(
        [*command, "--run", str(run), "--workers", "2"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def _children(pid: int) -> list[int]:
    out = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return [int(line) for line in out.stdout.split()]


def _wait_for_verdicts(run: Path, at_least: int, seconds: float = 120) -> int:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            connection = sqlite3.connect(f"file:{run}/run.sqlite?mode=ro", uri=True)
            count = connection.execute("SELECT count(*) FROM verdicts").fetchone()[0]
            connection.close()
            if count >= at_least:
                return int(count)
        except sqlite3.OperationalError:
            pass
        time.sleep(0.02)
    raise AssertionError("no verdicts in time")


def _killed_and_resumed(count: int, kills: list[int], databases: Path, tmp_path: Path) -> None:
    source = tmp_path / "cases.jsonl"
    sj.write_cases(make_cases(count), source, format="sqljury")
    run = tmp_path / "killed"
    for at in kills:
        process = _start(source, databases, run)
        _wait_for_verdicts(run, at)
        workers = _children(process.pid)
        process.kill()
        process.wait()
        _all_gone(workers)
    assert _start(source, databases, run).wait() == 0
    undisturbed = tmp_path / "undisturbed"
    assert _start(source, databases, undisturbed).wait() == 0
    exports = []
    for folder in (run, undisturbed):
        with sj.load_run(folder) as found:
            exports.append(_export(found, tmp_path / "export.jsonl"))
    assert exports[0] == exports[1]
    assert exports[0].count(b"\n") == count


def _all_gone(pids: list[int], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < deadline, "a worker outlived its parent"
        time.sleep(0.05)


@pytest.mark.slow
def test_killed_and_resumed(databases: Path, tmp_path: Path) -> None:
    _killed_and_resumed(6000, [1, 2500], databases, tmp_path)


@pytest.mark.soak
def test_a_hundred_thousand_killed_three_times(databases: Path, tmp_path: Path) -> None:
    _killed_and_resumed(100_000, [7_000, 41_000, 88_000], databases, tmp_path)


def test_ctrl_c_leaves_a_run_that_goes_on(databases: Path, tmp_path: Path) -> None:
    source = tmp_path / "cases.jsonl"
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    last = Case(id="last", db_id="shop", predicted_sql=endless, reference_sqls=("SELECT 2 AS z",))
    sj.write_cases([*make_cases(200), last], source, format="sqljury")
    run = tmp_path / "run"
    process = _start(source, databases, run)
    _wait_for_verdicts(run, 100)
    workers = _children(process.pid)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert b"the same command goes on" in (process.stderr.read() if process.stderr else b"")
    _all_gone(workers)
    with sj.load_run(run) as found:
        assert found.summary.judges[0].total >= 100


def test_the_manifest_says_what_made_the_run(databases: Path, tmp_path: Path) -> None:
    with _evaluate(make_cases(3), databases, tmp_path) as found:
        manifest = json.loads(json.dumps(dict(found.run.manifest)))
        (judge,) = found.summary.judges
    assert manifest["sqljury"] == sj.__version__
    assert manifest["engines"] == [f"sqlite{sqlite3.sqlite_version}"]
    assert judge.signature.startswith(
        f"execution:strict|v:2|db:sqlite{sqlite3.sqlite_version}|n:3|"
    )
    assert "order:reference" in judge.signature


@pytest.mark.slow
def test_one_value_that_eats_the_machine_ends_its_worker(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    (tmp_path / "db").mkdir()
    with duckdb.connect(str(tmp_path / "db" / "shop.duckdb")) as connection:
        connection.execute("CREATE TABLE item AS SELECT 1 AS id")
    # One value of this list is beyond what DuckDB counts against its own memory limit.
    case = Case(
        id="1",
        db_id="shop",
        predicted_sql="SELECT len(list_sort(range(200000000)))",
        reference_sqls=("SELECT 1",),
    )
    limits = Limits(seconds=30, bytes=16 * MIB, memory=256 * MIB)
    with _evaluate([case], tmp_path / "db", tmp_path / "run", limits=limits) as found:
        (record,) = found.records()
    assert record.verdict.outcome == "prediction_out_of_memory"


def test_a_sandbox_that_is_not_there_is_recorded_and_said_once(
    databases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    from sqljury.cli.output import print_summary_of

    monkeypatch.setattr("sqljury.runs.runner.missing", lambda: ["seccomp: system calls"])
    with _evaluate(make_cases(2), databases, tmp_path / "run") as found:
        print_summary_of(found, as_json=False)
        assert capsys.readouterr().err.count("no seccomp: system calls") == 1
        print_summary_of(found, as_json=True)
        assert json.loads(capsys.readouterr().out)["sandbox_lacks"] == ["seccomp: system calls"]


def test_a_run_is_its_owner_s_alone(databases: Path, tmp_path: Path) -> None:
    _evaluate(make_cases(2), databases, tmp_path / "run").close()
    assert (tmp_path / "run").stat().st_mode & 0o777 == 0o700
