"""Milliseconds per pair of the judge `equivalence`, and how its score ranks labelled pairs.

    python bench/fuzz.py [--data FOLDER] [--sample N] [--column-order any]

Times are of the clock and, in brackets, of the processor: the latter hardly depend on what else the
machine does.

FOLDER holds pairs/*.csv.gz and spider/databases (docs/reproduce.md). Each pair is compared twice:
with generated databases alone, and with a counterexample cut down and replayed. AUC is given for
two halves of each file (by a hash of the pair) and for both together; the generator was tuned on
the even half only. A pair that occurs twice counts once in `distinct`.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

from sklearn.metrics import accuracy_score, cohen_kappa_score, roc_auc_score

from sqljury import Case, Limits, open_databases, read_cases
from sqljury.databases import read_schemas, schema_from_ddl
from sqljury.databases.generated import DataProfile, Material, further_plans, plans_for
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.judges.counterexample import Searcher, Side, graded
from sqljury.judges.equivalence import DEFAULT_PROFILES, data_profiles
from sqljury.judges.pair import compare_pair
from sqljury.schema import Schema
from sqljury.sql import merged_profiles, value_profile
from sqljury.tables import Policy, make_policy

T = TypeVar("T")

FILES = ("Spider_pair_dev", "SpiderDK_pair_dev", "Wikisql_pair_dev")
PROFILES = data_profiles(DEFAULT_PROFILES)
ORDER = [*PROFILES, *(kind for kind in DataProfile if kind not in PROFILES)]


class Seconds(NamedTuple):
    """What something took, by the clock and by the processor."""

    clock: float
    processor: float


@dataclass(frozen=True)
class Measured:
    """One pair: its label, its score, what it took."""

    key: tuple[str, str]
    even: bool
    label: bool
    score: float
    fuzzing: Seconds
    whole: Seconds


def main() -> None:
    """Measure, print."""
    options = _options()
    if not (options.data / "pairs").is_dir():
        sys.exit(f"{options.data / 'pairs'} is not there: pass --data FOLDER")
    policy = make_policy("strict", column_order=options.column_order)
    for name in FILES:
        cases = list(read_cases(options.data / "pairs" / f"{name}.csv.gz"))
        cases = cases[:: max(1, len(cases) // options.sample)]  # the files are sorted by label
        found = _measured(cases, options.data / "spider", policy)
        print(f"\n{name}: {len(found):,} pairs")
        _print_times("generated databases", [pair.fuzzing for pair in found])
        _print_times("and a witness", [pair.whole for pair in found])
        for half, chosen in (
            ("even half", [pair for pair in found if pair.even]),
            ("odd half", [pair for pair in found if not pair.even]),
            ("all", found),
            ("distinct", list({pair.key: pair for pair in found}.values())),
        ):
            _print_ranking(half, chosen)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--sample", type=int, default=10_000, help="so many pairs of each")
    parser.add_argument("--column-order", choices=("given", "any"), default="any")
    return parser.parse_args()


def _measured(cases: Sequence[Case], spider: Path, policy: Policy) -> list[Measured]:
    databases = open_databases(spider / "databases")
    others = read_schemas(spider / "tables.json")
    schemas: dict[str, Schema] = {}
    found = []
    for case in cases:
        key = case.db_id if case.db_id != "dev_db" else str(case.schema_sql)
        if key not in schemas:
            database = databases.open(case.db_id)
            schema = database.schema() if database is not None else others.get(case.db_id)
            schemas[key] = schema or schema_from_ddl(str(case.schema_sql))
        found.append(_pair(case, schemas[key], policy))
    return found


def _pair(case: Case, schema: Schema, policy: Policy) -> Measured:
    left, right = case.reference_sqls[0], str(case.predicted_sql)
    evidence = DatabaseEvidence(case, None, ExecutionCache(), Limits())
    value_profile.cache_clear()
    score, fuzzing = _timed(lambda: _fuzzed(left, right, schema, evidence, policy))
    value_profile.cache_clear()
    answer, whole = _timed(
        lambda: compare_pair(left, right, schema, evidence, policy=policy, profiles=PROFILES)
    )
    assert answer.failure is not None or answer.score == score, (left, right)
    even = int(hashlib.sha256(f"{left}\0{right}".encode()).hexdigest(), 16) % 2 == 0
    distinct = " ".join(left.split()), " ".join(right.split())
    return Measured(distinct, even, bool(case.label), score, fuzzing, whole)


def _timed(work: Callable[[], T]) -> tuple[T, Seconds]:
    clock, processor = time.perf_counter(), time.process_time()
    found = work()
    return found, Seconds(time.perf_counter() - clock, time.process_time() - processor)


def _fuzzed(
    left: str, right: str, schema: Schema, evidence: DatabaseEvidence, policy: Policy
) -> float:
    """The score from generated databases alone; 0 where a query fails."""
    profiles = value_profile(left, schema), value_profile(right, schema)
    assert profiles[0] is not None and profiles[1] is not None
    material = Material(merged_profiles(*profiles), schema)
    sides = Side(left, profiles[0]), Side(right, profiles[1])
    scratch = evidence.generated(material.tables)
    further = further_plans(material, PROFILES)
    with closing(Searcher(*sides, material, scratch, evidence, policy)) as searcher:
        search = searcher.search(plans_for(material, ORDER), PROFILES, further=further, seconds=5)
    return 0.0 if search.failure is not None else graded(search, PROFILES)


def _print_times(name: str, seconds: Sequence[Seconds]) -> None:
    clock, processor = (
        sorted(second * 1000 for second in kind) for kind in zip(*seconds, strict=True)
    )
    half, late = len(clock) // 2, int(len(clock) * 0.95)
    print(
        f"  {name:20} median {clock[half]:6.1f} ms ({processor[half]:.1f})   "
        f"95 % below {clock[late]:6.1f} ms ({processor[late]:.1f})"
    )


def _print_ranking(name: str, pairs: Sequence[Measured]) -> None:
    labels, scores = [pair.label for pair in pairs], [pair.score for pair in pairs]
    said = [score >= 0.5 for score in scores]
    print(
        f"  {name:10} n {len(pairs):5,}   AUC {roc_auc_score(labels, scores):.4f}   "
        f"accuracy {accuracy_score(labels, said):.4f}   "
        f"kappa {cohen_kappa_score(labels, said):.4f}"
    )


if __name__ == "__main__":
    main()
