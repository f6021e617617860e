"""Real wrong predictions and what `sqljury diff` says of them, to be read and rated by a person.

    python bench/diff_readings.py [--data FOLDER] [--seed N] [--spider N] [--bird N]

One wrong prediction a question, drawn by the seed: of 17 systems on Spider dev (wrong on the
database in every order of columns), and of 14 systems on BIRD's superhero (other rows than the
reference's, as sets). Predictions that cannot be read are drawn again. `--without SEED` leaves out
the questions of another draw of 50 and 10. docs/diff-readings.md holds the ratings.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
from collections.abc import Iterator, Set
from dataclasses import dataclass
from pathlib import Path

import sqljury as sj
from sqljury.databases import open_databases, schema_of


@dataclass(frozen=True)
class Reading:
    """A wrong prediction."""

    id: str
    question: str
    reference: str
    prediction: str
    schema: sj.Schema


def main() -> None:
    """Draw, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("SQLJURY_TEST_DATA", "../shared/data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--without", type=int)
    parser.add_argument("--spider", type=int, default=50)
    parser.add_argument("--bird", type=int, default=10)
    options = parser.parse_args()
    left_out: Set[str] = frozenset()
    if options.without is not None:
        left_out = {each.id.split("/")[0] for each in drawn(options.data, options.without, 50, 10)}
    for case in drawn(options.data, options.seed, options.spider, options.bird, left_out):
        print(f"## {case.id}\n? {case.question}\nR {case.reference}\nP {case.prediction}")
        print(said(case), end="\n\n")


def said(case: Reading) -> str:
    """What `diff` prints."""
    found = sj.diff_queries(case.reference, case.prediction, schema=case.schema)
    return found.text()


def drawn(
    data: Path, seed: int, spider: int, bird: int, left_out: Set[str] = frozenset()
) -> list[Reading]:
    """The predictions of a seed."""
    return [
        *_first(spider, _spider(data, random.Random(seed)), left_out),
        *_first(bird, _superhero(data, random.Random(seed)), left_out),
    ]


def _first(count: int, cases: Iterator[Reading], left_out: Set[str]) -> list[Reading]:
    taken: dict[str, Reading] = {}
    for case in cases:
        question = case.id.split("/")[0]
        if question not in {*left_out, *taken} and _is_read(case):
            taken[question] = case
        if len(taken) == count:
            break
    return list(taken.values())


def _is_read(case: Reading) -> bool:
    try:
        sj.diff_queries(case.reference, case.prediction, schema=case.schema)
    except sj.InputError:
        return False
    return True


def _spider(data: Path, chance: random.Random) -> Iterator[Reading]:
    with gzip.open(data / "candidates/spider-dev-17-systems.jsonl.gz", "rt") as file:
        pools = [pool for pool in map(json.loads, file) if pool["has_db"]]
    for pool in chance.sample(pools, len(pools)):
        wrong = [(n, c) for n, c in enumerate(pool["candidates"]) if c["ex_colperm"] is False]
        name = pool["db_id"]
        for number, each in chance.sample(wrong, len(wrong)):
            schema = schema_of(None, data / f"spider/databases/{name}/{name}.sqlite", "")
            case = f"spider-{pool['index']}/{number}"
            yield Reading(case, pool["question"], pool["gold_sql"], each["sql"], schema)


def _superhero(data: Path, chance: random.Random) -> Iterator[Reading]:
    path = data / "bird/databases/superhero/superhero.sqlite"
    database = open_databases(path).open("")
    assert database is not None
    limits = sj.Limits(seconds=2)
    folder = data / "rose-benchmarking/method_results/dev"
    found = []
    for file in sorted(folder.glob("*.json.gz")):
        system = file.name.removesuffix("-result.json.gz")
        with gzip.open(file, "rt") as text:
            found += [(system, each) for each in json.load(text) if each["db_id"] == "superhero"]
    for system, each in chance.sample(found, len(found)):
        one, other = (database.execute(each[k], limits) for k in ("gold_sql", "predicted_sql"))
        if not one.table or not other.table or set(one.table.rows) == set(other.table.rows):
            continue
        case = f"superhero-{each['question_id']}/{system}"
        schema = schema_of(None, path, "")
        yield Reading(case, each["question"], each["gold_sql"], each["predicted_sql"], schema)
    database.close()


if __name__ == "__main__":
    main()
