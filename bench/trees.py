"""Milliseconds per query for its operator trees, beside sqlglot's qualify and optimize.

    python bench/trees.py --data FOLDER [--sample N] [--rounds 3]

Both sides start from the text, and from a schema that is read before. Each query is timed in turn
by every step; the best round counts. Times are of the processor, not of the wall: on a busy machine
the best wall time of a long step holds pauses that a short one escapes. Only queries that every
step can read count; sqlglot takes texts in double quotes for columns. The last line is of all
queries in turn, each read and made canonical for declared and for ordinary data, with nothing
forgotten in between: as judges meet them. FOLDER holds spider/ and bird/ (docs/reproduce.md).
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from sqlglot import parse_one
from sqlglot.optimizer import optimize
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from sqljury.databases import read_schemas
from sqljury.equivalence.canonical import Canonical, canonical
from sqljury.schema import Schema
from sqljury.trees import build_tree, forget_trees
from sqljury.trees.context import ALL_ASSUMPTIONS, DECLARED_ASSUMPTIONS, Context
from sqljury.trees.nodes import Unreadable

DIALECT = "sqlite"
Step = Callable[[str, Schema, MappingSchema], object]


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("SQLJURY_TEST_DATA", "../shared/data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--sample", type=int, help="this many queries of each benchmark")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if not (options.data / "spider" / "dev.json").exists():
        sys.exit(f"{options.data}: no spider/dev.json: pass --data FOLDER (see docs/reproduce.md)")
    for name, queries in (("Spider dev", spider(options.data)), ("BIRD dev", bird(options.data))):
        chosen = list(dict.fromkeys(queries))
        if options.sample:
            chosen = chosen[:: max(1, len(chosen) // options.sample)]
        report(name, chosen, schemas(name, options.data), options.rounds)


def spider(data: Path) -> Iterator[tuple[str, str]]:
    """Database and reference query of Spider dev."""
    for case in json.loads((data / "spider" / "dev.json").read_text()):
        yield case["db_id"], case["query"]


def bird(data: Path) -> Iterator[tuple[str, str]]:
    """Database and reference query of BIRD dev."""
    with gzip.open(data / "bird" / "dev_gold.sql.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            sql, _, db_id = line.rstrip("\n").rpartition("\t")
            yield db_id, sql


def schemas(name: str, data: Path) -> dict[str, Schema]:
    """The schemas of a benchmark by database."""
    file = "spider/tables.json" if name.startswith("Spider") else "bird/dev_tables.json.gz"
    found = read_schemas(data / file).by_id
    return {db_id: replace(schema, dialect=DIALECT) for db_id, schema in found.items()}


def mapping(schema: Schema) -> MappingSchema:
    """The schema as sqlglot wants it."""
    tables = {t.name: {c.name: c.type or "TEXT" for c in t.columns} for t in schema.tables}
    return MappingSchema(tables, dialect=DIALECT)


def _optimize(sql: str, _: Schema, mapped: MappingSchema) -> object:
    return optimize(parse_one(sql, dialect=DIALECT), schema=mapped, dialect=DIALECT)


def _qualify(sql: str, _: Schema, mapped: MappingSchema) -> object:
    return qualify(parse_one(sql, dialect=DIALECT), schema=mapped, dialect=DIALECT)


def _faithful(sql: str, schema: Schema, _: MappingSchema) -> object:
    forget_trees()
    return build_tree(sql, schema, DIALECT)


def _canonical(sql: str, schema: Schema, _: MappingSchema) -> object:
    forget_trees()
    tree = build_tree(sql, schema, DIALECT)
    assert not isinstance(tree, Unreadable)
    found = canonical(tree, Context(schema, DIALECT))
    assert isinstance(found, Canonical)
    return found


STEPS: dict[str, Step] = {
    "sqlglot parse": lambda sql, _, __: parse_one(sql, dialect=DIALECT),
    "sqlglot qualify": _qualify,
    "sqlglot optimize": _optimize,
    "faithful tree": _faithful,
    "canonical tree": _canonical,
}


def report(
    name: str, queries: list[tuple[str, str]], known: dict[str, Schema], rounds: int
) -> None:
    """Print a benchmark's table: median and p95 of the queries that every step can read."""
    mapped = {db_id: mapping(schema) for db_id, schema in known.items()}
    times: dict[str, list[float]] = {step: [] for step in STEPS}
    failed = dict.fromkeys(STEPS, 0)
    for db_id, sql in queries:
        measured = {
            step: seconds(run, sql, known[db_id], mapped[db_id], rounds)
            for step, run in STEPS.items()
        }
        for step, found in measured.items():
            failed[step] += found is None
        if None not in measured.values():
            for step, found in measured.items():
                times[step].append(found or 0.0)
    print(f"{name}: {len(queries):,} queries, {len(times['faithful tree']):,} read by all")
    base = {step: statistics.median(found) for step, found in times.items()}
    for step, found in times.items():
        ratio = base[step] / base["sqlglot qualify"], base[step] / base["sqlglot optimize"]
        print(
            f"  {step:18s} median {base[step] * 1e3:7.2f} ms   "
            f"p95 {statistics.quantiles(found, n=20)[-1] * 1e3:7.2f} ms   "
            f"{ratio[0]:5.2f} x qualify  {ratio[1]:5.2f} x optimize   {failed[step]} failed"
        )
    print(f"  in turn, both forms: {together(queries, known) / len(queries) * 1e3:.2f} ms a query")


def together(queries: list[tuple[str, str]], known: dict[str, Schema]) -> float:
    """Seconds for all queries, one after the other, each made canonical in two forms."""
    forget_trees()
    start = time.process_time()
    for db_id, sql in queries:
        tree = build_tree(sql, known[db_id], DIALECT)
        for assuming in (ALL_ASSUMPTIONS, DECLARED_ASSUMPTIONS):
            if not isinstance(tree, Unreadable):
                canonical(tree, Context(known[db_id], DIALECT, assuming))
    return time.process_time() - start


def seconds(
    run: Step, sql: str, schema: Schema, mapped: MappingSchema, rounds: int
) -> float | None:
    """The best time of some runs; None if the step cannot read the query."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        try:
            if isinstance(run(sql, schema, mapped), Unreadable):
                return None
        except Exception:  # sqlglot raises several kinds on what it does not know
            return None
        best = min(best, time.process_time() - start)
    return best


if __name__ == "__main__":
    main()
