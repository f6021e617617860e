"""Real queries on real databases: a text, its tree and its canonical tree have the same rows.

    python bench/tree_soundness.py --data FOLDER [--sample N] [--show 10]

1. Each query of a benchmark as text, as its tree and as its canonical tree, on its database. The
   canonical tree assumes what is true of that database, and that there are no ties.
2. Candidates of one question whose canonical trees are equal, on the databases of the question's
   test suite; a database that breaks what their trees assume does not count.

FOLDER holds spider/, bird/ and candidates/ (docs/reproduce.md).
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import os
import sys
import tarfile
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from checks.real_databases import RealCopies
from checks.same_rows import differ, observe
from checks.soundness import FAULTS, Finding, Query, Stage, check, is_tied, read
from sqljury.trees.context import Assumption


@dataclass(frozen=True)
class Asked:
    """A query and the file of its database."""

    sql: str
    database: Path


def main() -> None:
    """Run, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("SQLJURY_TEST_DATA", "../shared/data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--sample", type=int, help="this many queries, or questions, of each")
    parser.add_argument("--show", type=int, default=10)
    options = parser.parse_args()
    if not (options.data / "spider" / "databases").exists():
        sys.exit(f"{options.data}: no spider/databases: pass --data FOLDER (docs/reproduce.md)")
    sweeps = {
        "Spider dev": spider_dev(options.data),
        "Spider train": spider_train(options.data),
        "17 systems on Spider dev": candidates(options.data),
        "BIRD superhero": superhero(options.data),
    }
    for name, queries in sweeps.items():
        chosen = [asked for asked in dict.fromkeys(queries) if asked.database.exists()]
        sweep(name, thinned(chosen, options.sample), options.show)
    pools(options.data, options.sample, options.show)


def thinned(items: list[Asked], sample: int | None) -> list[Asked]:
    """Every n-th item, so that about ``sample`` are left."""
    return items[:: max(1, len(items) // sample)] if sample else items


# ---------------------------------------------------------------- the queries


def spider_file(data: Path, db_id: str) -> Path:
    """The file of a Spider database."""
    return data / "spider" / "databases" / db_id / f"{db_id}.sqlite"


def spider_dev(data: Path) -> Iterator[Asked]:
    """The references of Spider dev."""
    for case in json.loads((data / "spider" / "dev.json").read_text()):
        yield Asked(case["query"], spider_file(data, case["db_id"]))


def spider_train(data: Path) -> Iterator[Asked]:
    """The references of Spider train."""
    with gzip.open(data / "spider" / "train_gold.sql.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            sql, _, db_id = line.rstrip("\n").rpartition("\t")
            yield Asked(sql, spider_file(data, db_id))


def candidates(data: Path) -> Iterator[Asked]:
    """The distinct predictions of 17 systems on Spider dev."""
    for question in questions(data):
        for candidate in question["candidates"]:
            yield Asked(candidate["sql"], spider_file(data, question["db_id"]))


def questions(data: Path) -> Iterator[dict]:  # type: ignore[type-arg]
    """The pools of candidates."""
    pool = data / "candidates" / "spider-dev-17-systems.jsonl.gz"
    with gzip.open(pool, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def superhero(data: Path) -> Iterator[Asked]:
    """The references of BIRD dev on the one database that is here."""
    path = data / "bird" / "databases" / "superhero" / "superhero.sqlite"
    for case in json.loads((data / "bird" / "dev.json").read_text()):
        if case["db_id"] == "superhero":
            yield Asked(case["SQL"], path)


# ---------------------------------------------------------------- 1. text, tree, canonical tree


def sweep(name: str, queries: list[Asked], show: int) -> None:
    """Count what became of each query; print the faults."""
    start = time.perf_counter()
    seen: Counter[str] = Counter()
    databases: dict[Path, RealCopies] = {}
    for asked in queries:
        if asked.database not in databases:
            databases[asked.database] = RealCopies(asked.database)
        found = _compared(asked.sql, databases[asked.database])
        seen[found.stage] += 1
        if found.stage in (*FAULTS, Stage.UNREADABLE):
            show -= 1
            if show >= 0:
                print(f"  {found.stage}: {asked.database.stem}: {asked.sql}\n    {found.why[:400]}")
                print(f"    {found.text}\n    {', '.join(found.rules)}")
    for copies in databases.values():
        copies.close()
    counts = ", ".join(f"{stage} {count:,}" for stage, count in seen.most_common())
    seconds = time.perf_counter() - start
    print(f"{name}: {len(queries):,} queries: {counts} ({seconds:.0f} s)", flush=True)


def _compared(sql: str, copies: RealCopies) -> Finding:
    query = read(sql, copies.schema, copies.held | {Assumption.NO_TIES})
    if not isinstance(query, Finding):
        return check(query, copies)
    runs = query.stage is not Stage.UNREADABLE or observe(sql, copies).rows is not None
    return query if runs else Finding(Stage.UNDETERMINED, "not SQL")


# ---------------------------------------------------------------- 2. equal trees on test suites


def pools(data: Path, sample: int | None, show: int) -> None:
    """Compare the rows of candidates with equal canonical trees on the test suites."""
    start = time.perf_counter()
    asked = [question for question in questions(data) if question["has_db"]]
    if sample:
        asked = asked[:: max(1, len(asked) // sample)]
    by_database: dict[str, list[list[str]]] = defaultdict(list)
    for question in asked:
        texts = [candidate["sql"] for candidate in question["candidates"]]
        by_database[question["db_id"]].append(list(dict.fromkeys([question["gold_sql"], *texts])))
    seen: Counter[str] = Counter()
    for db_id, texts_of_questions in by_database.items():
        with tempfile.TemporaryDirectory() as folder:
            suite = unpacked(data, db_id, Path(folder))
            if suite:
                _pools_of(texts_of_questions, suite, seen, show)
    counts = ", ".join(f"{what} {count:,}" for what, count in seen.most_common())
    seconds = time.perf_counter() - start
    print(f"Equal trees on test suites: {len(asked):,} questions: {counts} ({seconds:.0f} s)")


def unpacked(data: Path, db_id: str, folder: Path) -> list[Path]:
    """The databases of a test suite."""
    archive = data / "spider" / "test_suite" / f"{db_id}.tar.xz"
    if not archive.exists():
        return []
    with tarfile.open(fileobj=io.BytesIO(archive.read_bytes())) as tar:
        tar.extractall(folder, filter="data")
    return sorted(folder.rglob("*.sqlite"))


def _pools_of(
    texts_of_questions: list[list[str]], suite: list[Path], seen: Counter[str], show: int
) -> None:
    base = RealCopies(suite[0])
    merged: list[list[Query]] = []
    for texts in texts_of_questions:
        groups: dict[object, list[Query]] = defaultdict(list)
        for text in texts:
            query = read(text, base.schema)
            if not isinstance(query, Finding):
                groups[query.canonical.relation].append(query)
        merged += [group for group in groups.values() if len(group) > 1]
    base.close()
    for path in suite:
        with closing(RealCopies(path)) as copies:
            for group in merged:
                for query in group[1:]:
                    outcome = _same(group[0], query, copies)
                    seen[outcome] += 1
                    if outcome == "different" and seen[outcome] <= show:
                        print(f"  {path.stem}\n    {group[0].sql}\n    {query.sql}")


def _same(one: Query, other: Query, copies: RealCopies) -> str:
    assumed = one.canonical.assumptions | other.canonical.assumptions
    seen = [observe(query.sql, copies) for query in (one, other)]
    if any(found.rows is None for found in seen):
        return Stage.UNDETERMINED
    if differ(*seen) is None:
        return Stage.SAME
    if not assumed - {Assumption.NO_TIES} <= copies.held:
        return "broken assumption"
    trees = (one.tree, other.tree, one.canonical.relation)
    if any(is_tied(tree, copies.engines[0]) for tree in trees):
        return Stage.UNDETERMINED
    return "different"


if __name__ == "__main__":
    main()
