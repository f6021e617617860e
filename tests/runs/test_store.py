"""The run store on bad days: damaged, foreign, in use, copied, on a full disk."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sqljury.case import Case
from sqljury.errors import InfrastructureError, InputError, SqljuryError
from sqljury.runs import open_run
from sqljury.runs.store import CaseRow, RunStore, VerdictRow
from sqljury.verdict import Verdict


def rows(count: int, text: str = "SELECT 1"):
    for number in range(count):
        case = Case(id=str(number), predicted_sql=text)
        yield CaseRow(case, f'{{"id": "{number}"}}', b"%d" % number, b"", number)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run of ten cases, judged."""
    store = RunStore(tmp_path / "run", create=True)
    store.replace_cases(rows(10))
    numbers = store.judge_numbers(["j@1"])
    found = Verdict.correct("rows are equal", evidence={"rows": [1, 2]}, labels=("a",))
    store.add_verdicts([VerdictRow.of(n, 0, found) for n in range(1, 11)], numbers)
    store.set_facts({"judges": [{"name": "j", "key": "j@1", "signature": "j|n:{n}"}]})
    store.close()
    return tmp_path / "run"


def read_all(folder: Path) -> int:
    with open_run(folder) as run:
        return sum(1 for _ in run.records()) + len(run.manifest)


def test_a_closed_run_is_one_file(folder: Path) -> None:
    assert [path.name for path in folder.iterdir()] == ["run.sqlite"]
    assert read_all(folder) == 10


def test_an_open_run_is_in_its_one_file(folder: Path, tmp_path: Path) -> None:
    store = RunStore(folder, create=True)
    store.replace_cases(rows(25))
    store.set_facts({"manifest": {}})
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy/run.sqlite").write_bytes((folder / "run.sqlite").read_bytes())
    store.close()
    copy = RunStore(tmp_path / "copy", create=False)
    assert copy.count_cases() == 25
    copy.close()


def test_what_is_committed_while_work_is_handed_out_is_in_the_one_file(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sqljury.storage._SECONDS", 0.0)
    monkeypatch.setattr("sqljury.storage._SHARE", 0)
    monkeypatch.setattr("sqljury.runs.store._WORK_AT_ONCE", 7)
    store = RunStore(folder, create=True)
    store.replace_cases(rows(30))
    numbers = store.judge_numbers(["j@1", "k@1"])
    seen = []
    for item in store.work(["j@1", "k@1"]):
        seen.append((item.number, item.judges))
        found = [VerdictRow.of(item.number, judge, Verdict.correct()) for judge in item.judges]
        store.add_verdicts(found, numbers)
        store.commit()
        copy = tmp_path / "copy.sqlite"
        copy.write_bytes((folder / "run.sqlite").read_bytes())
        database = sqlite3.connect(f"file:{copy}?immutable=1", uri=True)
        (kept,) = database.execute("SELECT count(*) FROM verdicts").fetchone()
        database.close()
        assert kept == 10 + sum(len(judges) for _, judges in seen)
    assert seen == [(n, (1,) if n <= 10 else (0, 1)) for n in range(1, 31)]
    store.close()


def test_two_cases_with_one_key_leave_a_new_store_and_an_old_one_as_they_were(
    folder: Path, tmp_path: Path
) -> None:
    case = Case(id="x", predicted_sql="SELECT 1", origin="cases.jsonl:7")
    body = json.dumps(case.to_dict())
    twice = [CaseRow(case, body, name, b"", 0) for name in (b"one", b"two")]
    same = [CaseRow(case, body, b"one", b"", 0)] * 2
    for place in (folder, tmp_path / "new"):
        store = RunStore(place, create=True)
        before = store.count_cases()
        for wrong in (twice, same):
            with pytest.raises(InputError, match=r"SJ404 cases\.jsonl:7: .*'x'"):
                store.replace_cases(wrong)
        assert store.count_cases() == before
        assert store.replace_cases(rows(10)) == 10
        store.close()
    assert read_all(folder) == 10


def test_ids_that_only_look_alike_in_the_store_are_two(tmp_path: Path) -> None:
    cases = [Case(id=name, predicted_sql="SELECT 1") for name in ("\ud800", "\\ud800")]
    store = RunStore(tmp_path / "run", create=True)
    found = [
        CaseRow(case, json.dumps(case.to_dict()), bytes([place]), b"", place)
        for place, case in enumerate(cases)
    ]
    assert store.replace_cases(found) == 2
    store.close()


def test_what_is_read_again_keeps_its_number(folder: Path) -> None:
    store = RunStore(folder, create=True)
    store.replace_cases([*rows(12)][5:])
    assert [item.number for item in store.work(["k@1"])] == [*range(6, 13)]
    assert store.count_work(["j@1"]) == 2
    store.close()


def _sql(statement: str):
    def change(path: Path) -> None:
        database = sqlite3.connect(path)
        database.executescript(statement)
        database.close()

    return change


DAMAGE = {
    "garbage": lambda path: path.write_bytes(b"garbage " * 1000),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:5000]),
    "header only": lambda path: path.write_bytes(path.read_bytes()[:100]),
    "middle lost": lambda path: path.write_bytes(
        path.read_bytes()[:4096] + b"\0" * (path.stat().st_size - 4096)
    ),
    "another program's": lambda path: (path.unlink(), _sql("CREATE TABLE t (a)")(path)),
    "facts are no JSON": _sql("UPDATE facts SET value = '{'"),
    "facts of another shape": _sql("UPDATE facts SET value = '[3]' WHERE name = 'judges'"),
    "bodies are no JSON": _sql("UPDATE cases SET body = '{\"id\": '"),
    "bodies are no cases": _sql("UPDATE cases SET body = '[1]'"),
    "evidence is no JSON": _sql("UPDATE verdicts SET evidence = '['"),
    "an outcome that there is not": _sql("UPDATE verdicts SET outcome = 'well'"),
    "a table is gone": _sql("DROP TABLE verdicts"),
    "a column is gone": _sql("ALTER TABLE cases DROP COLUMN features"),
    "a trigger": _sql(
        "CREATE TRIGGER t AFTER UPDATE ON cases BEGIN UPDATE cases SET body = '{}'; END"
    ),
    "rows without end": _sql(
        "ALTER TABLE verdicts RENAME TO old; "
        "CREATE VIEW verdicts AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
        "SELECT x AS number, 0 AS judge, 'correct' AS outcome, 1.0 AS score, '' AS reason, "
        "'[]' AS labels, '{}' AS measures, '{}' AS evidence, 0.0 AS seconds, '' AS cost FROM c",
    ),
    "a score that is none": _sql("UPDATE verdicts SET score = 'abc'"),
    "seconds that are none": _sql("UPDATE verdicts SET seconds = 'abc'"),
    "labels that are none": _sql("UPDATE verdicts SET labels = '[1, null]'"),
    "measures that are none": _sql("""UPDATE verdicts SET measures = '{"a": "x"}'"""),
    "evidence that is none": _sql("UPDATE verdicts SET evidence = '[1]'"),
    "a cost that is none": _sql("""UPDATE verdicts SET cost = '{"money": "x"}'"""),
    "a benchmark that is none": _sql("UPDATE cases SET benchmark = x'ff'"),
    "a reason that is none": _sql("UPDATE verdicts SET reason = x'ff'"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_store_is_a_sentence(folder: Path, damage: str) -> None:
    path = folder / "run.sqlite"
    DAMAGE[damage](path)
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"SJ40[23] ") as caught:
        read_all(folder)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == before, "nothing in it is changed"


def test_a_server_that_a_stored_run_names_is_not_asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def named(place: str) -> str | None:
        with closing(RunStore(folder, create=False)) as store:
            store.set_facts({"manifest": {"databases": place}})
        with open_run(folder) as run:
            return run.databases

    assert named("mysql://somewhere.example/{db_id}") is None
    assert named("boats.sqlite,postgresql://somewhere.example/x") is None
    for place in ("databases", "sqlite:///boats.sqlite"):
        assert named(place) == place
    monkeypatch.setenv("SQLJURY_TRUST_FOLDER", "1")
    assert named("mysql://somewhere.example/{db_id}") is not None


def test_a_run_that_another_process_writes_to(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sqljury.runs.store._WAIT_SECONDS", 0.05)
    other = sqlite3.connect(folder / "run.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store = RunStore(folder, create=True)
    with pytest.raises(InfrastructureError, match=r"SJ417 .* in use by another process"):
        store.replace_cases(rows(3))
    other.execute("ROLLBACK")
    other.close()
    assert store.count_cases() == 10
    store.close()


@pytest.mark.parametrize("most_pages", range(10, 50, 8))
def test_a_full_disk_loses_nothing(folder: Path, most_pages: int) -> None:
    store = RunStore(folder, create=True)
    store._db.execute(f"PRAGMA max_page_count = {most_pages}")
    with pytest.raises(InfrastructureError, match="SJ802 cannot write"):
        store.replace_cases(rows(3000))
    store.close()
    assert read_all(folder) == 10


@pytest.mark.parametrize("name", ["x" * 300, "x" * 5000, "file", "file/run"])
def test_places_that_can_be_no_run(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SqljuryError, match="SJ801 cannot write"):
        RunStore(tmp_path / name, create=True)
    with pytest.raises(InputError, match="SJ401") as caught:
        RunStore(tmp_path / name, create=False)
    assert len(str(caught.value)) < 500


def test_half_a_surrogate_pair_in_a_reason_is_kept_escaped(folder: Path) -> None:
    store = RunStore(folder, create=True)
    found = VerdictRow.of(1, 0, Verdict.incorrect("there is no table 't\ud800'"))
    store.add_verdicts([found], store.judge_numbers(["j@1"]))
    store.close()
    with open_run(folder) as run:
        reasons = {record.case.id: record.verdict.reason for record in run.records()}
    assert reasons["0"] == "there is no table 't\\ud800'"


def test_features_come_with_the_first_verdict_or_are_found_when_read(tmp_path: Path) -> None:
    store = RunStore(tmp_path, create=True)
    store.replace_cases(
        CaseRow(case, json.dumps(case.to_dict()), bytes([place]), b"", place)
        for place, sql in enumerate(["SELECT a FROM t", "SELECT b FROM t LIMIT 1"])
        for case in [Case(id=str(place), predicted_sql=sql)]
    )
    numbers = store.judge_numbers(["j@1"])
    assert [item.lacks_features for item in store.work(["j@1"])] == [True, True]
    rows = [VerdictRow.of(number, 0, Verdict.correct()) for number in (1, 2)]
    store.add_verdicts([rows[0]._replace(features="joins:0 window"), rows[1]], numbers)
    assert [item.lacks_features for item in store.work(["k@1"])] == [False, True]
    assert [record.features for record in store.records([("j", "j@1")], whole=False)] == [
        ("joins:0", "window"),
        ("joins:0", "limit", "nesting:0", "hardness:easy"),
    ]
    store.close()
