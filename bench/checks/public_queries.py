"""Public queries, what SQLite says of them, and which of them have a tree."""

from __future__ import annotations

import gzip
import json
import random
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from sqljury.benchmarks import read_cases
from sqljury.databases import read_schemas, schema_from_ddl
from sqljury.schema import Schema
from sqljury.trees import build_tree
from sqljury.trees.nodes import Unreadable

_SEED = 4
_QUERY = re.compile(r"(\s|--[^\n]*\n|/\*.*?\*/|\()*(select|with|values)\b", re.I | re.S)

Corpus = Iterator[tuple[str, Schema]]


@dataclass
class Coverage:
    """How many of a corpus' queries SQLite accepts, and how many of these have a tree."""

    queries: int = 0
    accepted: int = 0
    read: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    """Of those that SQLite accepts and that have no tree: the kinds of reason."""
    failures: list[tuple[str, str]] = field(default_factory=list)
    """Reason and text of the same."""
    read_though_refused: int = 0
    """Trees of queries that SQLite refuses: mostly functions that it does not have."""

    @property
    def share(self) -> float:
        """Of the accepted ones."""
        return self.read / self.accepted if self.accepted else 1.0


def coverage(corpus: Corpus) -> Coverage:
    """Build the tree of every query."""
    found = Coverage()
    for sql, schema in corpus:
        found.queries += 1
        tree = build_tree(sql, schema, "sqlite")
        if not accepted(sql, schema):
            found.read_though_refused += not isinstance(tree, Unreadable)
            continue
        found.accepted += 1
        if isinstance(tree, Unreadable):
            found.reasons[tree.kind] += 1
            found.failures.append((f"{tree.kind}: {tree.reason}", sql))
        else:
            found.read += 1
    return found


def accepted(sql: str, schema: Schema) -> bool:
    """Whether SQLite prepares a text, as a query, on an empty database of the schema."""
    if not _QUERY.match(sql):
        return False
    try:
        with closing(_database(id(schema), schema).execute(f"EXPLAIN {sql}")):
            return True
    except (sqlite3.Error, sqlite3.Warning, ValueError):
        return False


@cache
def _database(_: int, schema: Schema) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    for table in schema.tables:
        if table.name.startswith("sqlite_"):
            continue  # SQLite makes it itself
        columns = ", ".join(f"{_quoted(c.name)} {c.type}" for c in table.columns)
        connection.execute(f"CREATE TABLE {_quoted(table.name)} ({columns})")
    return connection


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


# ---------------------------------------------------------------- corpora


def corpora(data: Path) -> dict[str, Corpus]:
    """All corpora by name; ``data`` is laid out as docs/reproduce.md says."""
    pairs = {
        f"{name}, {side}": _pairs(data, name, side)
        for name in ("Spider", "SpiderDK", "Wikisql")
        for side in ("reference", "prediction")
    }
    return {
        "Spider dev gold": _spider(data, data / "spider" / "dev_gold.sql", "tables.json"),
        "Spider test gold": _spider(data, data / "spider" / "test_gold.sql", "test_tables.json"),
        "BIRD mini-dev gold": _bird(data),
        **pairs,
        "BIRD, 5,000 of 33 systems": _systems(data, 5_000),
    }


def _spider(data: Path, gold: Path, tables: str) -> Corpus:
    schemas = read_schemas(data / "spider" / tables)
    for line in gold.read_text(encoding="utf-8").splitlines():
        sql, _, db_id = line.rpartition("\t")
        schema = schemas.get(db_id.strip())
        if sql and schema is not None:
            yield sql, schema


def _bird(data: Path) -> Corpus:
    schemas = read_schemas(data / "bird" / "dev_tables.json.gz")
    for row in json.loads((data / "rose-vec" / "mini_dev.json").read_text(encoding="utf-8")):
        schema = schemas.get(row["db_id"])
        assert schema is not None
        yield row["SQL"], schema


def _pairs(data: Path, name: str, side: str) -> Corpus:
    schemas = [
        read_schemas(data / "spider" / "tables.json"),
        read_schemas(data / "spider" / "spider_dk" / "tables.json.gz"),
    ]
    described: dict[str, Schema] = {}
    for case in read_cases(data / "pairs" / f"{name}_pair_dev.csv.gz"):
        found = next((s for known in schemas if (s := known.get(case.db_id or ""))), None)
        if found is None or name == "Wikisql":
            text = case.schema_sql or ""
            found = described.get(text) or described.setdefault(text, schema_from_ddl(text))
        sql = case.reference_sqls[0] if side == "reference" else case.predicted_sql
        yield sql or "", found


def _systems(data: Path, count: int) -> Corpus:
    schemas = read_schemas(data / "bird" / "dev_tables.json.gz")
    rows = []
    for path in sorted((data / "rose-benchmarking" / "method_results").rglob("*.json.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            rows += [(row["predicted_sql"] or "", row["db_id"]) for row in json.load(file)]
    for sql, db_id in random.Random(_SEED).sample(rows, count):
        schema = schemas.get(db_id)
        assert schema is not None
        yield sql, schema
