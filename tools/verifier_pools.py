"""Pools of right and wrong queries for the Spider train questions: what `verifier` is trained on.

For each reference query: other ways to say it, realistic mistakes, mistakes in other ways to say
it, two mistakes at once, and the references of similar questions about the same database. Each is
labelled by its rows on the real database and, where these are equal, by the judge `equivalence` on
generated ones.

    python tools/verifier_pools.py --data shared/data --out FOLDER [--workers N]

One file for each database; what is there is not made again.
"""

from __future__ import annotations

import argparse
import gzip
import json
import logging
import os
import random
import zlib
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

from sqljury.case import Case
from sqljury.databases import open_databases
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits, ResultTable
from sqljury.judges import make_judge
from sqljury.sql import normalise_text, top_level_order
from sqljury.sql.names import words
from sqljury.tables import compare, make_policy
from sqljury.variants import mutations, neighbours, rewrites
from sqljury.verdict import Outcome

LIMITS = Limits(seconds=1.0, rows=20_000)
POLICY = make_policy("strict", column_order="any")
EQUIVALENCE = "equivalence:strict,column_order=any,seconds=0.6,prove=false"
REWRITES, MUTATIONS, NEIGHBOURS, DOUBLE, STYLED, OTHERS = 4, 16, 6, 3, 3, 4


def train_questions(data: Path) -> dict[str, list[dict[str, Any]]]:
    """The 7,000 questions of Spider train by database, each with its paraphrase and its query."""
    with gzip.open(data / "spider/spider_syn/train_spider.json.gz") as stream:
        items = json.load(stream)
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for number, item in enumerate(items):
        found[item["db_id"]].append(
            {
                "index": number,
                "question": item["SpiderQuestion"],
                "paraphrase": item["SpiderSynQuestion"],
                "query": item["query"],
            }
        )
    return found


class Labeller:
    """One database: executes candidates and compares them with a reference."""

    def __init__(self, data: Path, db_id: str) -> None:
        self.db_id = db_id
        self.database = open_databases(data / "spider/databases").open(db_id)
        self.cache = ExecutionCache()
        self.judge = make_judge(EQUIVALENCE)

    def rows(self, sql: str) -> ResultTable | None:
        """The rows of a query, None where it does not run."""
        return DatabaseEvidence(self._case(sql), self.database, self.cache, LIMITS).rows(sql).table

    def label(self, reference: str, wanted: ResultTable, sql: str) -> tuple[bool, str]:
        """Whether a query gives what a reference does, and how that is known."""
        table = self.rows(sql)
        if table is None:
            return False, "error"
        ordered = top_level_order(reference, "sqlite")
        if not compare(wanted, table, POLICY, ordered=ordered).equal:
            return False, "execution"
        case = self._case(sql, reference)
        verdict = self.judge.judge(case, DatabaseEvidence(case, self.database, self.cache, LIMITS))
        return verdict.outcome is not Outcome.INCORRECT, verdict.labels[0] if verdict.labels else ""

    def _case(self, sql: str, *references: str) -> Case:
        return Case(id="", db_id=self.db_id, predicted_sql=sql, reference_sqls=references)


def candidates(sql: str, labeller: Labeller, near: list[str]) -> dict[str, str]:
    """Candidates beside a reference, each with its kind."""
    assert labeller.database is not None
    schema = labeller.cache.schema(labeller.database)
    chance = random.Random(zlib.crc32(f"{labeller.db_id} {sql}".encode()))
    found: dict[str, str] = {}
    same = rewrites(sql, schema, most=REWRITES)
    wrong = mutations(sql, schema, most=MUTATIONS)
    for one in same:
        found.setdefault(one.sql, "rewrite")
    for one in wrong:
        found.setdefault(one.sql, one.kinds[0])
    close = neighbours(sql, schema)
    for text in chance.sample(close, min(NEIGHBOURS, len(close))):
        found.setdefault(text, "neighbour")
    for one in chance.sample(wrong, min(DOUBLE, len(wrong))):
        for two in mutations(one.sql, schema, most=1, seed=1):
            found.setdefault(two.sql, "two")
    for one in chance.sample(same, min(STYLED, len(same))):
        for two in mutations(one.sql, schema, most=1, seed=2):
            found.setdefault(two.sql, "rewritten mistake")
    for text in near:
        found.setdefault(text, "other")
    return {text: kind for text, kind in found.items() if normalise_text(text) != sql}


def similar(query: str, known: dict[str, list[dict[str, Any]]]) -> list[str]:
    """References of the questions that share most words with a query's."""

    def bag(key: str) -> set[str]:
        return {word for one in known[key] for word in words(one["question"])}

    own = bag(query)
    others = [(len(own & bag(key)) / len(own | bag(key)), key) for key in known if key != query]
    ranked = sorted(others, key=lambda pair: (-pair[0], pair[1]))
    return [known[key][0]["query"] for _, key in ranked[:OTHERS]]


def pools_of(labeller: Labeller, items: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """One pool for each distinct reference of a database."""
    known: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for item in items:
        known[normalise_text(item["query"])].append(item)
    for key, asked in known.items():
        reference = asked[0]["query"]
        wanted = labeller.rows(reference)
        if wanted is None:
            continue
        pool = []
        for sql, kind in candidates(reference, labeller, similar(key, known)).items():
            label, how = labeller.label(reference, wanted, sql)
            pool.append({"sql": sql, "kind": kind, "label": label, "how": how})
        texts = [{k: item[k] for k in ("index", "question", "paraphrase")} for item in asked]
        yield {
            "db_id": labeller.db_id,
            "reference": reference,
            "questions": texts,
            "candidates": pool,
        }


def one_database(work: tuple[str, list[dict[str, Any]]], *, data: Path, out: Path) -> str:
    """Write the pools of a database, if they are not there."""
    logging.disable(logging.CRITICAL)
    db_id, items = work
    target = out / f"{db_id}.jsonl"
    if target.exists():
        return f"{db_id}: there already"
    labeller = Labeller(data, db_id)
    if labeller.database is None:
        return f"{db_id}: no such database"
    pools = list(pools_of(labeller, items))
    part = target.with_suffix(".part")
    part.write_text("".join(json.dumps(pool) + "\n" for pool in pools))
    part.replace(target)
    return f"{db_id}: {len(pools)} references, {sum(len(p['candidates']) for p in pools)} others"


def main() -> None:
    """Make the pools of all databases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    work = sorted(train_questions(args.data).items())
    with Pool(args.workers) as pool:
        job = partial(one_database, data=args.data, out=args.out)
        for number, line in enumerate(pool.imap_unordered(job, work), 1):
            print(f"{number}/{len(work)} {line}", flush=True)


if __name__ == "__main__":
    main()
