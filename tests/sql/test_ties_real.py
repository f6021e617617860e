"""Order keys of the references of Spider, on their databases."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqljury.sql import keyed_for_ties, top_level_order, without_limit

pytestmark = pytest.mark.data


def references(data_dir: Path) -> list[tuple[str, str]]:
    dev = json.loads((data_dir / "spider/dev.json").read_text())
    test = (data_dir / "spider/test_gold.sql").read_text().splitlines()
    pairs = [(case["db_id"], case["query"]) for case in dev]
    pairs += [(db_id, sql) for sql, _, db_id in (line.rpartition("\t") for line in test)]
    return list(dict.fromkeys(pairs))


def ordered(data_dir: Path) -> Iterator[tuple[sqlite3.Connection, str]]:
    for db_id, sql in references(data_dir):
        path = data_dir / "spider/databases" / db_id / f"{db_id}.sqlite"
        if top_level_order(sql) and path.exists():
            connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            connection.text_factory = lambda data: data.decode("utf-8", "replace")
            yield connection, sql
            connection.close()


def test_keyed_references_return_the_same_rows(data_dir: Path) -> None:
    without, count = [], 0
    for connection, sql in ordered(data_dir):
        keyed = keyed_for_ties(sql)
        if keyed is None:
            without.append(sql)
            continue
        rows = connection.execute(keyed.sql).fetchall()
        assert [keyed.plain(row) for row in rows] == connection.execute(sql).fetchall(), sql
        count += 1
    assert count == 350
    # DISTINCT over one column, ordered by another: the order of its rows has no meaning.
    assert without == ["SELECT DISTINCT CONSTRUCTOR FROM driver ORDER BY Age ASC"]


def test_limits_that_cut_a_tie(data_dir: Path) -> None:
    cut = limited = 0
    for connection, sql in ordered(data_dir):
        wider = without_limit(sql)
        if wider is None:
            continue
        limited += 1
        rows = connection.execute(wider.query.sql).fetchall()
        keys = [wider.query.keys(row) for row in rows[wider.limit - 1 :]]
        cut += len(keys) == 2 and keys[0] == keys[1]
    assert (limited, cut) == (240, 63)
