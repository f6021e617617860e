"""The gate on the predictions of two real systems: what docs/gate.md shows of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from commands import run

pytestmark = [pytest.mark.slow, pytest.mark.data]
PAGE = Path(__file__).parents[2] / "docs/gate.md"


def test_c3_against_supersql_on_spider(data_dir: Path, tmp_path: Path) -> None:
    raw, spider = data_dir / "candidates/raw", data_dir / "spider"
    for name, file in (
        ("supersql", raw / "SuperSQL/spider_dev.sql.gz"),
        ("c3", raw / "C3SQL/predicted_sql.txt.gz"),
    ):
        (tmp_path / f"{name}.sql.gz").write_bytes(file.read_bytes())
        done = run(
            *("evaluate", spider / "dev.json", "-p", f"{name}.sql.gz", "-d", spider / "databases"),
            *("-j", "execution:spider", "--run", name),
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
    written = run("gate", "supersql", "--write-baseline", "supersql.jsonl", cwd=tmp_path)
    assert written.returncode == 0, written.stderr
    same = run("gate", "supersql", "--baseline", "supersql.jsonl", "--max-drop", "0", cwd=tmp_path)
    assert same.returncode == 0, same.stdout
    done = run("gate", "c3", "--baseline", "supersql.jsonl", cwd=tmp_path)
    assert done.returncode == 1
    shown = re.search(r"FAILED: c3 against.*?\nnewly wrong: 75\n", PAGE.read_text("utf-8"), re.S)
    assert shown is not None
    assert done.stdout.startswith(shown[0])
