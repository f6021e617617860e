"""A database that is replaced or written to while it is judged: no verdict is about a mixture."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from shop import make_cases, make_database

import sqljury as sj
from sqljury.errors import InfrastructureError


def _written(file: Path) -> None:
    connection = sqlite3.connect(file)
    with connection:
        connection.execute("INSERT INTO item VALUES (5, 'new', 9.0)")
    connection.close()


def _replaced(file: Path) -> None:
    other = file.with_name("other")
    shutil.copyfile(file, other)
    _written(other)
    other.replace(file)


def _removed(file: Path) -> None:
    file.unlink()


def _touched(file: Path) -> None:
    os.utime(file)


def _copied(file: Path) -> None:
    other = file.with_name("other")
    shutil.copyfile(file, other)
    other.replace(file)


def _evaluate(databases: Path, run: Path, change: Callable[[Path], None] | None) -> int:
    """Verdicts; the change comes after the first of them."""
    file = databases / "shop" / "shop.sqlite"
    before = []

    def on_progress(done: int, _total: int) -> None:
        if done and change is not None and not before:
            before.append(done)
            change(file)

    with sj.evaluate(
        make_cases(1200), ["execution"], databases, run=run, workers=1, on_progress=on_progress
    ) as found:
        return found.summary.judges[0].total


@pytest.mark.parametrize(
    "change",
    [_replaced, *(pytest.param(c, marks=pytest.mark.slow) for c in (_written, _removed))],
)
def test_the_run_stops_and_goes_on(change: Callable[[Path], None], tmp_path: Path) -> None:
    databases = make_database(tmp_path / "databases")
    whole = tmp_path / "whole.sqlite"
    shutil.copyfile(databases / "shop" / "shop.sqlite", whole)
    with pytest.raises(InfrastructureError, match="SJ420"):
        _evaluate(databases, tmp_path / "run", change)
    with sj.load_run(tmp_path / "run") as found:
        assert 0 < found.summary.judges[0].total < 1200
    if change is _removed:
        shutil.copyfile(whole, databases / "shop" / "shop.sqlite")
    assert _evaluate(databases, tmp_path / "run", None) == 1200


@pytest.mark.parametrize("change", [_touched, _copied])
def test_the_same_contents_are_no_change(change: Callable[[Path], None], tmp_path: Path) -> None:
    databases = make_database(tmp_path / "databases")
    assert _evaluate(databases, tmp_path / "run", change) == 1200
