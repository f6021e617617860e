"""Verdicts on many random pairs over mixed types, held against random databases.

    python tests/equivalence/soundness/soak.py FIRST LAST [DATABASES]

Prints each wrong verdict in full and, at the end, how many pairs there were, how many were proved
and refuted, how many verdicts were wrong and how many wrong proofs sqljury caught itself. Runs over
other seeds may go on beside it. Exit code 1 if a verdict is wrong.
"""

from __future__ import annotations

import random
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[3] / "bench"))

from mutations import mutated
from random_queries import random_query, random_schema

from checks.same_rows import Copies, differ, observe
from checks.small_databases import Rows, pool_of, random_rows
from checks.soundness import is_tied
from sqljury.databases.generated.scratch import create_table, quoted
from sqljury.judges.pair import PairAnswer
from sqljury.schema import Schema, Table
from sqljury.trees import build_tree
from sqljury.trees.context import Assumption
from sqljury.trees.nodes import Unreadable
from sqljury.uses.queries import compare_queries

SECONDS = 0.5
"""Of the processor, for the databases of one pair."""
_MIXED = (1, 1.0, "1", "01", "a", "A", "a ", "", 2, 2.5, "1.0", None)

Pair = tuple[str, str]


@dataclass
class Summary:
    """What was found."""

    seen: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def explore(seeds: range, databases: int) -> Summary:
    """Compare one random pair for each seed."""
    found = Summary()
    for seed in seeds:
        rng = random.Random(seed)
        schema = random_schema(rng, "sqlite", wide=True)
        left = random_query(schema, rng, wide=True)
        right = mutated(left, "sqlite", rng)
        if right is None or "unreadable" in _trees((left, right), schema):
            continue
        answer = compare_queries(left, right, schema=schema, second_opinion=False, seconds=SECONDS)
        found.seen["pairs"] += 1
        found.seen[answer.verdict] += 1
        why = _fault(answer, (left, right), schema, range(seed, seed + databases))
        if answer.contradicted is not None:
            found.seen["caught"] += 1
            why = f"CAUGHT: {answer.contradicted} {answer.witness}"
        elif why:
            found.seen[f"wrong {answer.verdict}"] += 1
        if why:
            tables = "\n".join(_made(schema))
            told = f"{answer.verdict} {answer.assumptions} {answer.rules}"
            found.wrong.append(f"{seed}\n{tables}\n{left}\n{right}\n{told}\n{why}")
    return found


def _trees(pair: Pair, schema: Schema) -> list[object]:
    trees = (build_tree(sql, schema, "sqlite") for sql in pair)
    return ["unreadable" if isinstance(tree, Unreadable) else tree for tree in trees]


def _made(schema: Schema) -> Iterator[str]:
    for table in schema.tables:
        keys = [f"UNIQUE ({', '.join(key)})" for key in table.unique]
        if table.primary_key:
            keys.append(f"PRIMARY KEY ({', '.join(table.primary_key)})")
        yield create_table(table, keys=keys)


def _fault(answer: PairAnswer, pair: Pair, schema: Schema, seeds: range) -> str:
    """Why a verdict is wrong; empty if it is not known to be."""
    if answer.verdict == "proved":
        return _contradicted(answer, pair, schema, seeds)
    if answer.verdict != "refuted" or "left to chance" in answer.reason:
        return ""
    assert answer.witness is not None
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(answer.witness.sql)
        rows = [connection.execute(sql).fetchall() for sql in pair]
    if rows[0] != rows[1]:
        return ""
    return f"the witness shows no difference: {answer.witness.sql}"


def _contradicted(answer: PairAnswer, pair: Pair, schema: Schema, seeds: range) -> str:
    """How a random database that keeps what a proof assumes contradicts it."""
    assumed = frozenset(map(Assumption, answer.assumptions))
    pool = pool_of(*pair)
    with closing(sqlite3.connect(":memory:")) as connection:
        steps = iter(range(20_000))
        connection.set_progress_handler(lambda: next(steps, None) is None, 100_000)
        for table in schema.tables:
            connection.execute(create_table(table))
        for seed in seeds:
            rows = _mixed(random_rows(schema, assumed, pool, seed), schema, seed)
            if not all(_are_stored(table, rows[table.name]) for table in schema.tables):
                continue
            for table in schema.tables:
                connection.execute(f"DELETE FROM {quoted(table.name)}")
                marks = ", ".join("?" * len(table.columns))
                connection.executemany(
                    f"INSERT INTO {quoted(table.name)} VALUES ({marks})", rows[table.name]
                )
            try:
                left, right = (connection.execute(sql).fetchall() for sql in pair)
            except sqlite3.Error:
                continue
            if left != right and (why := _confirmed(pair, schema, rows)):
                return f"{why}\n{rows}"
    return ""


def _are_stored(table: Table, rows: list[tuple[object, ...]]) -> bool:
    """Whether SQLite takes the rows: an INTEGER PRIMARY KEY is the row id, which is an integer."""
    key = table.primary_key
    places = [i for i, c in enumerate(table.columns) if (c.name,) == key and c.type == "INTEGER"]
    return all(isinstance(row[i], int) for i in places for row in rows)


def _mixed(rows: Rows, schema: Schema, seed: int) -> Rows:
    """The rows with values of all types in the columns without one that are part of no key."""
    rng = random.Random(seed)
    found = {}
    for table in schema.tables:
        keys = {name for key in (table.primary_key, *table.unique) for name in key}
        places = [
            i
            for i, column in enumerate(table.columns)
            if column.type in ("", "BLOB") and column.name not in keys
        ]
        made = []
        for row in rows[table.name]:
            new = list(row)
            for i in places:
                value = rng.choice(_MIXED) if rng.random() < 0.7 else new[i]
                new[i] = value if value is not None or table.columns[i].nullable else new[i]
            made.append(tuple(new))
        found[table.name] = made
    return found


def _confirmed(pair: Pair, schema: Schema, rows: Rows) -> str:
    """The difference, if the rows of both queries are determined; the left query's order binds."""
    with closing(_CollatedCopies(schema, rows)) as copies:
        one, other = (observe(sql, copies) for sql in pair)
        if one.rows is None or other.rows is None:
            return ""
        why = differ(one, replace(other, groups=(Counter(other.rows),)))
        if not why or any(is_tied(tree, copies.engines[0]) for tree in _trees(pair, schema)):  # type: ignore[arg-type]
            return ""
        return why


class _CollatedCopies(Copies):
    """Copies whose columns have their collations."""

    def __init__(self, schema: Schema, rows: Rows) -> None:
        words = {
            column: f"{column.type} COLLATE {column.collation}"
            for table in schema.tables
            for column in table.columns
            if column.collation
        }
        tables = tuple(
            replace(
                table, columns=tuple(replace(c, type=words.get(c, c.type)) for c in table.columns)
            )
            for table in schema.tables
        )
        super().__init__(replace(schema, tables=tables), rows)


def main() -> None:
    """Explore the seeds given on the command line."""
    first, last = int(sys.argv[1]), int(sys.argv[2])
    databases = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    total = Summary()
    for start in range(first, last, 100):
        found = explore(range(start, min(start + 100, last)), databases)
        total.seen += found.seen
        total.wrong += found.wrong
        for text in found.wrong:
            print(f"{text}\n", flush=True)
        print(dict(total.seen), file=sys.stderr, flush=True)
    print(", ".join(f"{name}: {number}" for name, number in sorted(total.seen.items())))
    sys.exit(any(name.startswith("wrong") for name in total.seen))


if __name__ == "__main__":
    main()
