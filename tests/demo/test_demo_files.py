"""write_demo: complete, repeatable, and careful with what is not its own."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sqljury import demo
from sqljury.demo import DATABASES, script, write_demo
from sqljury.errors import InputError


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def rows(file: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        return connection.execute(sql).fetchall()


def test_everything_is_written(tmp_path: Path) -> None:
    files = write_demo(tmp_path / "new" / "folder")
    cases = json.loads(files.cases.read_text(encoding="utf-8"))
    assert {case["db_id"] for case in cases} == set(DATABASES)
    for db_id in DATABASES:
        assert (files.databases / db_id / f"{db_id}.sqlite").is_file()
        assert (files.scripts / f"{db_id}.sql").read_text(encoding="utf-8") == script(db_id)


@pytest.mark.parametrize("db_id", DATABASES)
def test_databases_hold_together(tmp_path: Path, db_id: str) -> None:
    file = write_demo(tmp_path).databases / db_id / f"{db_id}.sqlite"
    assert rows(file, "PRAGMA integrity_check") == [("ok",)]
    assert rows(file, "PRAGMA foreign_key_check") == []
    tables = [name for (name,) in rows(file, "SELECT name FROM sqlite_master WHERE type='table'")]
    assert len(tables) == 5
    for table in tables:
        assert 10 <= rows(file, f"SELECT COUNT(*) FROM {table}")[0][0] <= 60


@pytest.mark.parametrize("db_id", DATABASES)
def test_every_column_is_described(tmp_path: Path, db_id: str) -> None:
    files = write_demo(tmp_path)
    text = (files.descriptions / f"{db_id}_schema.json").read_text(encoding="utf-8")
    described = {
        (table, column["column_name"])
        for table, columns in json.loads(text).items()
        for column in columns
        if column["column_description"]
    }
    found = rows(
        files.databases / db_id / f"{db_id}.sqlite",
        "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c"
        " WHERE m.type = 'table'",
    )
    assert described == set(found)


def test_a_second_time_changes_nothing(tmp_path: Path) -> None:
    write_demo(tmp_path)
    before = contents(tmp_path)
    times = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")}
    write_demo(tmp_path)
    assert contents(tmp_path) == before
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")} == times


def test_two_folders_are_equal_to_the_byte(tmp_path: Path) -> None:
    write_demo(tmp_path / "a")
    write_demo(tmp_path / "b")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_what_is_lost_comes_back(tmp_path: Path) -> None:
    files = write_demo(tmp_path)
    before = contents(tmp_path)
    files.cases.unlink()
    (tmp_path / ".sqljury-demo.json").write_text("not a record")
    write_demo(tmp_path)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("name", ["cases.json", "databases/ferry_line/ferry_line.sqlite"])
def test_somebody_elses_file_stops_it_before_it_writes(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_bytes(b"mine")
    with pytest.raises(InputError, match=r"^SJ010 .*not \(or no longer\) its own"):
        write_demo(tmp_path)
    assert contents(tmp_path) == {name: b"mine"}


def test_a_changed_file_is_not_overwritten(tmp_path: Path) -> None:
    files = write_demo(tmp_path)
    files.cases.write_text("[]")
    with pytest.raises(InputError, match="SJ010"):
        write_demo(tmp_path)
    assert files.cases.read_text() == "[]"


def test_other_files_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.sqlite").write_bytes(b"a run")
    write_demo(tmp_path)
    assert (tmp_path / "run" / "run.sqlite").read_bytes() == b"a run"


def test_files_of_an_earlier_version_are_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier = demo._contents() | {"cases.json": b"[]"}
    with monkeypatch.context() as patch:
        patch.setattr(demo, "_contents", lambda: earlier)
        assert write_demo(tmp_path).cases.read_bytes() == b"[]"
    assert len(json.loads(write_demo(tmp_path).cases.read_bytes())) > 50


def test_the_bundled_ledger_answers_the_bundled_cases(tmp_path: Path) -> None:
    """When this fails: python tools/witness.py"""
    import sqljury
    from sqljury.demo import LIMITS, ROSE
    from sqljury.llm import ClientSettings, Ledger

    files = write_demo(tmp_path)
    ledger = tmp_path / "ledger.sqlite"
    with Ledger(ledger) as answers:
        count = answers.import_jsonl(files.ledger)
    with sqljury.evaluate(
        [files.cases],
        [ROSE],
        files.databases,
        descriptions=files.descriptions,
        limits=LIMITS,
        llm=ClientSettings(ledger=str(ledger), replay=True),
    ) as found:
        (judge,) = found.summary.judges
    assert count == 73
    assert judge.n == 74
    assert judge.labels["gold_fault"] == 3
    assert "judge_unavailable" not in judge.outcomes
