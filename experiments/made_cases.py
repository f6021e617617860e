"""Cases whose label is known from how they were made, of Spider's training databases.

    python experiments/made_cases.py DATA OUT.jsonl

Of four questions of each database, in the order of a hash: the reference with one realistic mistake
(wrong) and the reference rewritten (right), each a case of the benchmark `made`.
`ordinary_features.py --made` leaves out those that rows and generated databases do not confirm.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import defaultdict
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, Final

import sqljury as sj
from sqljury.benchmarks import write_cases
from sqljury.databases import open_databases
from sqljury.variants import mutations, rewrites

QUESTIONS: Final = 4
"""Questions of a database."""
MISTAKES: Final = 2
"""Queries with a mistake for each question, besides one that changes an order or an extreme."""


def main() -> None:
    """Draw, change, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    text = (options.data / "spider/spider_syn/train_spider.json.gz").read_bytes()
    of_database: dict[str, list[Any]] = defaultdict(list)
    for one in json.loads(gzip.decompress(text)):
        of_database[one["db_id"]].append(one)
    places = open_databases(options.data / "spider/databases")
    cases: list[sj.Case] = []
    for name, asked in sorted(of_database.items()):
        if not (options.data / f"spider/databases/{name}/{name}.sqlite").exists():
            continue
        schema = places.open(name).schema()
        distinct = {one["SpiderQuestion"]: one for one in asked}
        chosen = [distinct[one] for one in sorted(distinct, key=_hash)][:QUESTIONS]
        cases += chain.from_iterable(made(one, schema) for one in chosen)
    print(f"{len(cases):,} cases, {sum(bool(one.label) for one in cases):,} of them right")
    write_cases(cases, options.out)


def made(one: Any, schema: Any) -> list[sj.Case]:
    """The cases of one question."""
    reference = one["query"]
    wrong = mutations(reference, schema, most=12)
    turned = [v for v in wrong if v.kinds[0] in ("order", "extreme")][:1]
    others = [v for v in wrong if v not in turned][:MISTAKES]
    right = rewrites(reference, schema, most=1)
    return [
        sj.Case(
            benchmark="made",
            id=_hash(f"{one['db_id']}/{one['SpiderQuestion']}")[:12],
            source=f"{'+'.join(variant.kinds)}-{number}",
            db_id=one["db_id"],
            question=one["SpiderQuestion"],
            predicted_sql=variant.sql,
            reference_sqls=(reference,),
            label=variant in right,
        )
        for number, variant in enumerate([*turned, *others, *right])
    ]


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()


if __name__ == "__main__":
    main()
