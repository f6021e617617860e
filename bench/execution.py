"""What a safe execution costs over plain ``connection.execute(sql).fetchall()``, on SQLite.

    python bench/execution.py [--rounds 7]

Small queries on a small database, every text prepared anew as in a real evaluation, then again
from the statement cache; then one large result. Both sides alternate and the best round counts.
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sqljury.databases import open_databases
from sqljury.execution import Limits

LIMITS = Limits()
SHAPES = (
    "SELECT count(*) FROM singer WHERE age > {i}",
    "SELECT name, country, age FROM singer WHERE id <> {i} ORDER BY age DESC LIMIT 10",
    "SELECT country, count(*), avg(age) FROM singer WHERE id <> {i} GROUP BY country",
    "SELECT s.name, c.title FROM singer AS s JOIN concert AS c ON c.singer = s.id "
    "WHERE c.year > {i} AND s.age > 20",
    "SELECT name FROM singer WHERE id NOT IN (SELECT singer FROM concert WHERE year > {i})",
)
LARGE = (
    "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r LIMIT 300000) "
    "SELECT x, 'value ' || x, x / 3.0 FROM r"
)


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        path = _make(Path(folder))
        plain = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None)
        database = open_databases(path).open("bench")
        assert database is not None
        fresh = [shape.format(i=i) for i in range(400) for shape in SHAPES]
        for name, texts in (
            ("small, new text", fresh),
            ("small, same text", [shape.format(i=5) for shape in SHAPES] * 400),
            ("300,000 rows", [LARGE]),
        ):
            sides: list[Callable[[str], Any]] = [
                lambda sql: plain.execute(sql).fetchall(),
                lambda sql: database.execute(sql, LIMITS),
            ]
            base, safe = _best(sides, texts, rounds)
            count = len(texts)
            print(
                f"{name:18s} plain {base / count * 1e6:12,.1f} µs   "
                f"safe {safe / count * 1e6:12,.1f} µs   {safe / base:5.2f} x   "
                f"+{(safe - base) / count * 1e6:,.1f} µs a query"
            )
        database.close()


def _make(folder: Path) -> Path:
    path = folder / "bench.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(
        "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, country TEXT, age INT);"
        "CREATE TABLE concert (id INTEGER PRIMARY KEY, singer INT, title TEXT, year INT);"
    )
    connection.executemany(
        "INSERT INTO singer VALUES (?, ?, ?, ?)",
        [(i, f"Singer {i}", f"Country {i % 4}", 20 + i) for i in range(20)],
    )
    connection.executemany(
        "INSERT INTO concert VALUES (?, ?, ?, ?)",
        [(i, i % 15, f"Concert {i}", 1000 + i) for i in range(30)],
    )
    connection.commit()
    connection.close()
    return path


def _best(
    sides: Sequence[Callable[[str], Any]], texts: Sequence[str], rounds: int
) -> tuple[float, ...]:
    times: list[list[float]] = [[] for _ in sides]
    for _ in range(rounds):
        for side, seconds in zip(sides, times, strict=True):
            start = time.perf_counter()
            for sql in texts:
                side(sql)
            seconds.append(time.perf_counter() - start)
    return tuple(min(seconds) for seconds in times)


if __name__ == "__main__":
    main()
