"""What `equivalence` says of 17 systems' predictions for Spider dev with no database given.

    python bench/without_database.py [--data FOLDER] [--passing 2500] [--show 40]

The judge sees schemas alone. Of the predictions that are right on the one database and fail its
distilled suite (columns in any order), it should refute nearly all; of those that pass their suite,
few. Of the latter as many are taken as asked for, and of the refuted ones as many are printed with
their witness, each in the order of a hash. FOLDER holds candidates/ and spider/
(docs/reproduce.md).
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from sqljury import Case, Limits, open_databases
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.judges.equivalence import DEFAULT_PROFILES, data_profiles
from sqljury.judges.pair import PairAnswer, compare_pair
from sqljury.schema import Schema
from sqljury.tables import make_policy

PROFILES = data_profiles(DEFAULT_PROFILES)
POLICY = make_policy("strict", column_order="any")


@dataclass(frozen=True)
class Candidate:
    """A prediction, its reference, and what the official suite says of it."""

    name: str
    left: str
    right: str
    schema: Schema
    passes: bool

    @property
    def order(self) -> str:
        """A place in no order of anybody's choice."""
        return sha256(f"{self.left}\0{self.right}".encode()).hexdigest()


def main() -> None:
    """Compare, count, print."""
    options = _options()
    pool = options.data / "candidates" / "spider-dev-17-systems.jsonl.gz"
    if not pool.is_file():
        sys.exit(f"{pool} is not there: pass --data FOLDER")
    found = list(_candidates(pool, options.data / "spider" / "databases"))
    _told([each for each in found if not each.passes], "right on one database, fail the suite")
    passing = sorted((each for each in found if each.passes), key=lambda each: each.order)
    refuted = _told(passing[: options.passing], "pass the suite")
    for number, (candidate, answer) in enumerate(refuted[: options.show], 1):
        _print(number, candidate, answer)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--passing", type=int, default=2_500)
    parser.add_argument("--show", type=int, default=0)
    return parser.parse_args()


def _candidates(pool: Path, folder: Path) -> Iterator[Candidate]:
    databases = open_databases(folder)
    schemas: dict[str, Schema] = {}
    with gzip.open(pool, "rt", encoding="utf-8") as lines:
        for question in map(json.loads, lines):
            for number, given in enumerate(question["candidates"] if question["has_db"] else ()):
                if not given["ex_colperm"]:
                    continue
                db_id = question["db_id"]
                if db_id not in schemas:
                    database = databases.open(db_id)
                    assert database is not None
                    schemas[db_id] = database.schema()
                yield Candidate(
                    f"{question['index']}/{number} ({db_id})",
                    question["gold_sql"],
                    given["sql"],
                    schemas[db_id],
                    given["ts_colperm"],
                )


def _told(candidates: list[Candidate], what: str) -> list[tuple[Candidate, PairAnswer]]:
    """Prints how many are refuted, on what data; gives those back."""
    verdicts, profiles = Counter[str](), Counter[str]()
    refuted = []
    for candidate in candidates:
        evidence = DatabaseEvidence(Case(id="1"), None, ExecutionCache(), Limits())
        answer = compare_pair(
            candidate.left,
            candidate.right,
            candidate.schema,
            evidence,
            policy=POLICY,
            profiles=PROFILES,
        )
        verdicts[answer.verdict] += 1
        if answer.verdict == "refuted":
            profiles[str(answer.profile)] += 1
            refuted.append((candidate, answer))
    share = len(refuted) / max(1, len(candidates))
    print(f"{what}: {len(candidates):,}, refuted {len(refuted):,} ({share:.1%}) {dict(profiles)}")
    print(f"  {dict(verdicts)}")
    return refuted


def _print(number: int, candidate: Candidate, answer: PairAnswer) -> None:
    assert answer.witness is not None
    print(f"\n{number}: {candidate.name}; {answer.reason}")
    print(f"  {' '.join(candidate.left.split())}\n  {' '.join(candidate.right.split())}")
    for line in answer.witness.sql.splitlines():
        if line.startswith("INSERT"):
            print(f"    {line}")
    print(f"    {answer.witness.left.rows[:6]} {answer.witness.right.rows[:6]}")


if __name__ == "__main__":
    main()
