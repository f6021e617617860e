"""Queries whose expressions double with every level are told in little time."""

from __future__ import annotations

from time import process_time

import sqljury as sj
from sqljury.databases import schema_from_ddl

TABLE = schema_from_ddl("CREATE TABLE t (a INTEGER, b INTEGER)")


def doubled(column: str, levels: int) -> str:
    sql = f"SELECT {column} AS a FROM t"
    for level in range(levels):
        sql = f"SELECT a + a AS a FROM ({sql}) AS x{level}"
    return sql


def test_a_doubled_column_is_compared_as_a_whole() -> None:
    start = process_time()
    (only,) = sj.diff_queries(doubled("a", 10), doubled("b", 10), schema=TABLE).differences
    assert (only.clause, only.kind) == ("output column", "changed")
    assert only.reference != only.prediction
    assert sj.diff_queries(doubled("a", 10), doubled("a", 10), schema=TABLE).differences == ()
    assert process_time() - start < 1.5
