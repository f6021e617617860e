"""What `sqljury compare` says of published pairs of equivalent (and not so equivalent) queries.

    python bench/equivalence.py [--data FOLDER] [--only NAME] [--list VERDICT] [--limit N]

FOLDER holds equivalence/verieql/*.jsonlines.gz with VeriEQL's recorded outcomes (He et al. 2024),
and equivalence/spes/calcite_tests.json (Zhou et al. 2022). Each pair is asked in SQLite's dialect
if SQLite can prepare both queries, else in DuckDB's if DuckDB can; the others are dialect failures.

Every proof is tried to be refuted by generated databases that satisfy what it assumes; every
refutation is replayed in SQLite and in DuckDB. Conflicts with what is recorded are printed.

Seconds a pair stand beside those recorded for VeriEQL on databases of one row and of two rows a
table together, on the pairs that it decided; that was another machine.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb

from sqljury.judges.pair import PairAnswer
from sqljury.schema import Column, ForeignKey, Schema, Table
from sqljury.uses.queries import COMPARED_PROFILES, compare_queries

SETS = {
    "literature": "literature.jsonlines.gz",
    "calcite": "calcite2.jsonlines.gz",
    "spes": "",
}
VERDICTS = ("proved", "refuted", "no_counterexample", "unknown")
CONTRADICTED = {"foreign key": "foreign_keys_violated", "not null": "nulls"}


@dataclass(frozen=True)
class Pair:
    """One pair of a set, and what is recorded of it."""

    name: str
    left: str
    right: str
    schema: Schema
    recorded: str
    recorded_seconds: float | None = None


def main() -> None:
    """Ask, check, print."""
    options = _options()
    folder = options.data / "equivalence"
    if not folder.is_dir():
        sys.exit(f"{folder} is not there: pass --data FOLDER")
    for name in SETS:
        if options.only in (None, name):
            _measure(name, list(_pairs(folder, name))[: options.limit], options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--only", choices=SETS)
    parser.add_argument("--list", choices=(*VERDICTS, "dialect failure"), help="print these pairs")
    parser.add_argument("--limit", type=int, default=10_000)
    parser.add_argument("--no-check", action="store_true", help="do not try to refute proofs")
    return parser.parse_args()


def _measure(name: str, pairs: list[Pair], options: argparse.Namespace) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    seconds: list[tuple[float, float | None]] = []
    reasons, engines = Counter[str](), Counter[str]()
    print(f"\n{name}: {len(pairs)} pairs")
    for pair in pairs:
        dialect = _dialect(pair)
        if dialect is None:
            verdict = "dialect failure"
        else:
            schema = replace(pair.schema, dialect=dialect)
            started = time.perf_counter()
            answer = compare_queries(pair.left, pair.right, schema=schema)
            seconds.append((time.perf_counter() - started, pair.recorded_seconds))
            verdict = answer.verdict
            if verdict == "proved":
                reasons[answer.reason, answer.assumptions] += 1  # type: ignore[index]
                if not options.no_check:
                    _check_proof(pair, schema, answer)
            if verdict == "refuted":
                assert answer.witness is not None
                engines[" and ".join(answer.witness.engines)] += 1
                if pair.recorded in ("EQU", "rewrite"):
                    _show(f"refuted, recorded as {pair.recorded}", pair, answer)
        counts[pair.recorded, verdict] += 1
        if verdict == options.list:
            print(f"  {pair.name} ({pair.recorded}) {dialect}\n    {pair.left}\n    {pair.right}")
    _print_counts(counts)
    for reason, count in sorted(reasons.items(), key=str):
        print(f"  proved by {reason[0]}, assuming {', '.join(reason[1]) or 'nothing'}: {count}")
    print(f"  refutations seen in {dict(engines)}")
    _print_times("all", [own for own, _ in seconds])
    both = [(own, other) for own, other in seconds if other is not None]
    if both:
        _print_times("decided by VeriEQL", [own for own, _ in both])
        _print_times("… VeriEQL, as recorded", [other for _, other in both])


def _print_times(of: str, seconds: list[float]) -> None:
    found = sorted(seconds)
    half, late = found[len(found) // 2], found[int(len(found) * 0.95)]
    print(
        f"  {of}, {len(found)} pairs: median {half * 1000:.0f} ms, 95 % below {late * 1000:.0f} ms"
    )


def _check_proof(pair: Pair, schema: Schema, answer: PairAnswer) -> None:
    """Looks for a counterexample that satisfies what the proof assumes."""
    against = {CONTRADICTED.get(assumed) for assumed in answer.assumptions}
    kinds = [kind for kind in COMPARED_PROFILES.split("+") if kind not in against]
    tried = compare_queries(
        pair.left, pair.right, schema=schema, prove=False, profiles="+".join(kinds), seed=7
    )
    if tried.verdict == "refuted":
        _show(f"FALSE PROOF? assuming {answer.assumptions}", pair, tried)
    elif pair.recorded == "NEQ":
        _show(f"proved assuming {answer.assumptions}, recorded as different", pair, None)


def _show(what: str, pair: Pair, answer: PairAnswer | None) -> None:
    print(f"  {what}: {pair.name}\n    {pair.left}\n    {pair.right}")
    if answer is not None and answer.witness is not None:
        inserted = [x for x in answer.witness.sql.splitlines() if x.startswith("INSERT")]
        print("   ", " ".join(inserted)[:600])
        print("   ", answer.witness.left.rows[:4], answer.witness.right.rows[:4], answer.reason)
        print("   ", answer.witness.engines, answer.witness.doubt)


def _print_counts(counts: Counter[tuple[str, str]]) -> None:
    verdicts = [*VERDICTS, "dialect failure"]
    print(f"  {'recorded':24}" + "".join(f"{v:>20}" for v in verdicts))
    for recorded in sorted({recorded for recorded, _ in counts}):
        row = [counts[recorded, verdict] for verdict in verdicts]
        print(f"  {recorded:24}" + "".join(f"{n:20}" for n in row))


# ---------------------------------------------------------------- reading the sets


def _pairs(folder: Path, name: str) -> Iterator[Pair]:
    if name == "spes":
        yield from _of_spes(folder)
        return
    recorded = _recorded(folder / "verieql", name)
    for given in _lines(folder / "verieql" / SETS[name]):
        left, right = given["pair"]
        outcome, seconds = recorded[given["index"]]
        yield Pair(f"{name} {given['index']}", left, right, _schema(given), outcome, seconds)


def _of_spes(folder: Path) -> Iterator[Pair]:
    """SPES's own file has no outcome a pair; all are taken from Calcite's rewrites."""
    calcite = next(iter(_lines(folder / "verieql" / SETS["calcite"])))
    schema = _schema(calcite)
    tables = tuple(replace(t, columns=_as_in_calcite(t.columns)) for t in schema.tables)
    for given in json.loads((folder / "spes" / "calcite_tests.json").read_text()):
        yield Pair(
            given["name"], given["q1"], given["q2"], replace(schema, tables=tables), "rewrite"
        )


def _as_in_calcite(columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """DEPTNO stands behind COMM in Calcite's tables of employees; ``SELECT *`` shows it."""
    names = [column.name for column in columns]
    if "EMPNO" not in names:
        return columns
    moved = columns[names.index("DEPTNO")]
    rest = [column for column in columns if column is not moved]
    rest.insert([column.name for column in rest].index("COMM") + 1, moved)
    return tuple(rest)


def _recorded(folder: Path, name: str) -> dict[int, tuple[str, float | None]]:
    """VeriEQL's outcome by pair: NEQ, EQU (up to some number of rows), or why there is none; and
    what it took for databases of up to two rows a table, where it decided."""
    path = folder / "experiments" / "2023_03_27" / f"{name}.out.gz"
    found: dict[int, tuple[str, float | None]] = {}
    for line in _lines(path):
        states = line["states"]
        outcome = next((s for s in ("NEQ", "EQU") if s in states), states[0])
        first: list[float | None] = [part for each in line["times"][:2] for part in each or (None,)]
        known = [part for part in first if part is not None]
        decided = outcome in ("NEQ", "EQU") and len(known) == len(first)
        found[line["index"]] = (outcome, sum(known) if decided else None)
    return found


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt") as lines:
        yield from map(json.loads, lines)


def _schema(given: dict[str, Any]) -> Schema:
    """A schema with its constraints; names are TABLE__COLUMN there."""
    constraints = given["constraint"] or []
    held = {c["not_null"]["value"].upper() for c in constraints if "not_null" in c}
    tables = []
    for table, columns in given["schema"].items():
        keys = [c["primary"] for c in constraints if _is_of(c.get("primary"), table)]
        others = [c["foreign"] for c in constraints if _is_of(c.get("foreign"), table)]
        tables.append(
            Table(
                name=table,
                columns=tuple(
                    Column(name=c, type=t or "INT", nullable=f"{table}__{c}".upper() not in held)
                    for c, t in columns.items()
                ),
                primary_key=tuple(_name(v)[1] for key in keys[:1] for v in key),
                foreign_keys=tuple(
                    ForeignKey(
                        columns=(_name(one)[1],),
                        target_table=_name(other)[0],
                        target_columns=(_name(other)[1],),
                    )
                    for one, other in others
                ),
            )
        )
    return Schema(dialect="sqlite", tables=tuple(tables))


def _is_of(constraint: list[dict[str, str]] | None, table: str) -> bool:
    return constraint is not None and _name(constraint[0])[0].upper() == table.upper()


def _name(value: dict[str, str]) -> tuple[str, str]:
    table, _, column = value["value"].partition("__")
    return table, column


# ---------------------------------------------------------------- what engines can prepare


def _dialect(pair: Pair) -> str | None:
    script = [
        f'CREATE TABLE "{t.name}" ({", ".join(f"{c.name} {c.type}" for c in t.columns)})'
        for t in pair.schema.tables
    ]
    for dialect, connection, error in (
        ("sqlite", sqlite3.connect(":memory:"), sqlite3.Error),
        ("duckdb", duckdb.connect(":memory:"), duckdb.Error),
    ):
        try:
            for statement in script:
                connection.execute(statement)
            for sql in (pair.left, pair.right):
                connection.execute(f"EXPLAIN {sql}")
            return dialect
        except error:
            continue
        finally:
            connection.close()
    return None


if __name__ == "__main__":
    main()
