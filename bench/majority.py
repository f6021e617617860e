"""Majority voting over 100,000 candidates, beside a vote that runs every candidate.

    python bench/majority.py [--candidates N] [--distinct N]

One question, a database of 10,000 rows, candidates drawn from a few thousand texts as models write
them: a few common ones, a long tail, one in ten that fails. Both sides run queries through the same
read-only, limited execution. The naive side runs each candidate as it comes and counts the sorted
rows, as scripts do; it is measured on a part of the candidates and scaled up. That both find the
same groups is checked on that part.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import tempfile
import time
from collections import Counter
from pathlib import Path

import sqljury as sj
from sqljury.databases import open_databases
from sqljury.databases.protocol import Database
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.uses.select.results import Results

_ROWS = 10_000
_NAIVE = 5_000


def main() -> None:
    """Time both, print a table."""
    options = _options()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        _build(folder / "shop.sqlite")
        pool = _pool(options.candidates, options.distinct)
        part = pool[:_NAIVE]
        database = open_databases(str(folder)).open("shop")
        assert database is not None
        naive, votes = _naively(database, part)
        grouped, groups = _grouped(database, part)
        database.close()
        assert sorted(votes.values()) == sorted(groups.values()), "both count the same groups"
        whole = _selected(folder, pool)
    scaled = naive / len(part) * len(pool)
    print(f"{len(pool):,} candidates, {len(set(pool)):,} distinct, {_ROWS:,} rows in the table")
    print(f"naive: {naive:.2f} s for {len(part):,}, {scaled:.1f} s for all at that pace")
    print(f"groups of the first {len(part):,}: {grouped:.2f} s")
    print(f"select --strategy majority, all of it: {whole:.1f} s, {scaled / whole:.1f} x faster")


def _build(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, shop INTEGER, price REAL)")
    generator = random.Random(0)
    rows = [(i, generator.randrange(50), generator.randrange(1000) / 4) for i in range(_ROWS)]
    connection.executemany("INSERT INTO item VALUES (?, ?, ?)", rows)
    connection.commit()
    connection.close()


def _pool(candidates: int, distinct: int) -> list[str]:
    """Texts with frequencies as 1/rank."""
    generator = random.Random(1)
    texts = [_text(number, generator) for number in range(distinct)]
    weights = [1 / (rank + 1) for rank in range(distinct)]
    return generator.choices(texts, weights, k=candidates)


def _text(number: int, generator: random.Random) -> str:
    if generator.random() < 0.1:
        return f"SELECT shop, cost{number} FROM item"
    least = generator.choice((10, 20, 100, 240))
    order = generator.choice(("", " ORDER BY shop"))
    measure = generator.choice(("count(*)", "count(id)", "max(price)", "avg(price)"))
    return (
        f"SELECT T{number}.shop, {measure} FROM item AS T{number} "
        f"WHERE T{number}.price > {least} GROUP BY T{number}.shop{order}"
    )


def _naively(database: Database, pool: list[str]) -> tuple[float, Counter[object]]:
    start = time.perf_counter()
    votes: Counter[object] = Counter()
    for sql in pool:
        run = database.execute(sql, sj.Limits())
        if run.table is not None:
            votes[tuple(sorted(run.table.rows))] += 1
    return time.perf_counter() - start, votes


def _grouped(database: Database, pool: list[str]) -> tuple[float, Counter[object]]:
    start = time.perf_counter()
    case = sj.Case(id="1", db_id="shop", pool=tuple(pool))
    evidence = DatabaseEvidence(case, database, ExecutionCache(), sj.Limits())
    found = Results(match="strict;row_order=free").judge(case, evidence)
    group_of = dict(zip(dict.fromkeys(pool), found.evidence["group"], strict=True))
    votes: Counter[object] = Counter(group_of[sql] for sql in pool if group_of[sql] is not None)
    return time.perf_counter() - start, votes


def _selected(folder: Path, pool: list[str]) -> float:
    start = time.perf_counter()
    case = sj.Case(id="1", db_id="shop", pool=tuple(pool))
    found = sj.select([case], ["majority"], folder, match="strict,row_order=free", workers=1)
    assert found.picks["majority"][0].sql is not None
    return time.perf_counter() - start


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidates", type=int, default=100_000)
    parser.add_argument("--distinct", type=int, default=3_000)
    return parser.parse_args()


if __name__ == "__main__":
    main()
