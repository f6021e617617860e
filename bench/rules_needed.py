"""Which rewrite rules real pairs of queries need: what fires, and which equalities a rule carries.

    python bench/rules_needed.py --data FOLDER [--every N] [--together NAME,NAME…]

Pairs: the three files of labelled pairs, candidates of 17 systems for Spider dev, predictions for
BIRD dev, VeriEQL's and SPES's. A pair is equal if its canonical trees are, the columns in any
order. For every rule: the queries on which it fires, and the equalities lost without it. The rules
that lose none alone are then left out one after the other for as long as nothing is lost; what
could go together is printed last. With `--together` only the equalities lost without those rules
are counted. FOLDER: see docs/reproduce.md.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import equivalence as published
import sqljury as sj
from sqljury.databases import read_schemas, schema_from_ddl
from sqljury.equivalence import canonical as canonical_trees
from sqljury.equivalence import simplify
from sqljury.equivalence.canonical import canonical, equality
from sqljury.equivalence.rules import joins, registry
from sqljury.equivalence.rules.base import CONDITION, EXPRESSION, QUERY, RELATION, Rule
from sqljury.equivalence.rules.registry import RuleIndex
from sqljury.schema import Schema
from sqljury.trees import build_tree, forget_trees
from sqljury.trees.context import Context
from sqljury.trees.nodes import Unreadable

DIALECT = "sqlite"
LABELLED = ("Spider_pair_dev", "SpiderDK_pair_dev", "Wikisql_pair_dev")
ALL = registry.all_rules()


class Pair(NamedTuple):
    """Two queries over one schema, and the set that they are from."""

    origin: str
    left: str
    right: str
    schema: Schema


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("SQLJURY_TEST_DATA", "../shared/data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--every", type=int, default=1, help="take every Nth pair of each set")
    parser.add_argument("--together", help="rules to leave out, joined by commas")
    options = parser.parse_args()
    pairs = [pair for one in sets(options.data) for pair in list(one)[:: options.every]]
    fired, equal = measured(pairs)
    sizes = Counter(pair.origin for pair in pairs)
    kept = Counter(pair.origin for pair in equal)
    for origin, number in sizes.items():
        print(f"{origin}: {number} pairs, {kept[origin]} equal")
    print(f"all: {len(pairs)} pairs, {len(equal)} equal\n")
    if options.together:
        gone = frozenset(options.together.split(","))
        if unknown := gone - {rule.name for rule in ALL}:
            parser.error(f"no such rules: {', '.join(sorted(unknown))}")
        print(f"without {len(gone)} rules: {lost_without(gone, equal)} equalities lost")
        return
    print("| rule | queries it fires on | equalities lost without it |\n|---|---:|---:|")
    alone = {name: lost_without({name}, equal) for name in sorted({rule.name for rule in ALL})}
    for name, lost in sorted(alone.items(), key=lambda item: (item[1], fired[item[0]], item[0])):
        print(f"| `{name}` | {fired[name]} | {lost} |")
    spare: set[str] = set()
    for name in sorted((n for n in alone if not alone[n]), key=lambda n: (fired[n], n)):
        if not lost_without(spare | {name}, equal):
            spare.add(name)
    print(f"\n{len(spare)} can go together: {', '.join(sorted(spare))}")


def measured(pairs: Iterable[Pair]) -> tuple[Counter[str], dict[Pair, frozenset[str]]]:
    """On how many queries each rule fires; the equal pairs, with the rules that fire on them."""
    fired: Counter[str] = Counter()
    equal: dict[Pair, frozenset[str]] = {}
    for pair in pairs:
        sides = trees(pair)
        if sides is None:
            continue
        context = Context(pair.schema, DIALECT)
        names = [frozenset(canonical(tree, context).rules) for tree in sides]
        for side in names:
            fired.update(side)
        found = equality(*sides, pair.schema, DIALECT, permuted=True)
        if found is not None:
            equal[pair] = names[0] | names[1] | frozenset(found.rules)
        forget_trees()
    return fired, equal


def lost_without(gone: Iterable[str], equal: dict[Pair, frozenset[str]]) -> int:
    """The equalities that are not found where these rules are left out."""
    names = frozenset(gone)
    touched = [pair for pair, rules in equal.items() if rules & names]
    leave_out(names)
    lost = 0
    for pair in touched:
        sides = trees(pair)
        assert sides is not None
        lost += equality(*sides, pair.schema, DIALECT, permuted=True) is None
        forget_trees()
    leave_out(frozenset())
    return lost


def leave_out(names: frozenset[str]) -> None:
    """From now on no rule of these names is tried."""
    kept: tuple[Rule[object], ...] = tuple(rule for rule in ALL if rule.name not in names)
    registry.all_rules.cache_clear()
    registry.all_rules = _Fixed(kept)  # type: ignore[assignment]
    of = {kind: [rule for rule in kept if rule.kind is kind] for kind in registry.KINDS}
    canonical_trees._OF_RELATIONS = RuleIndex(of[RELATION])
    canonical_trees._OF_QUERIES = tuple(of[QUERY])
    simplify._OF_VALUES = RuleIndex(of[EXPRESSION])
    simplify._OF_CONDITIONS = RuleIndex((*of[EXPRESSION], *of[CONDITION]))
    joins._block_rules.cache_clear()
    forget_trees()


class _Fixed:
    """In place of the registry's search: the rules that are left."""

    def __init__(self, rules: tuple[Rule[object], ...]) -> None:
        self.rules = rules

    def __call__(self) -> tuple[Rule[object], ...]:
        return self.rules

    def cache_clear(self) -> None:
        """Nothing is kept."""


def trees(pair: Pair) -> tuple[object, object] | None:
    """The trees of both queries, None where one cannot be read."""
    left, right = (build_tree(sql, pair.schema, DIALECT) for sql in (pair.left, pair.right))
    return None if isinstance(left, Unreadable) or isinstance(right, Unreadable) else (left, right)


def sets(data: Path) -> Iterator[Iterator[Pair]]:
    """The sets of pairs, each without the pairs that are one text twice."""
    spider = _schemas(data / "spider" / "tables.json")
    for name in LABELLED:
        yield _distinct(_labelled(data, name, spider))
    yield _distinct(_candidates(data, spider))
    yield _distinct(_bird(data))
    for name in published.SETS:
        yield _distinct(
            Pair(name, pair.left, pair.right, replace(pair.schema, dialect=DIALECT))
            for pair in published._pairs(data / "equivalence", name)
        )


def _distinct(pairs: Iterable[Pair]) -> Iterator[Pair]:
    seen = set()
    for pair in pairs:
        key = pair.left, pair.right, pair.schema.tables
        if pair.left != pair.right and key not in seen:
            seen.add(key)
            yield pair


def _schemas(path: Path) -> dict[str, Schema]:
    return {name: replace(one, dialect=DIALECT) for name, one in read_schemas(path).by_id.items()}


def _labelled(data: Path, name: str, spider: dict[str, Schema]) -> Iterator[Pair]:
    for case in sj.read_cases(data / "pairs" / f"{name}.csv.gz"):
        schema = spider.get(case.db_id)
        if schema is None and case.schema_sql is not None:
            schema = replace(schema_from_ddl(case.schema_sql), dialect=DIALECT)
        if schema is not None and case.predicted_sql is not None:
            yield Pair(name, case.reference_sqls[0], case.predicted_sql, schema)


def _candidates(data: Path, spider: dict[str, Schema]) -> Iterator[Pair]:
    """One candidate in four: some 3,000."""
    path = data / "candidates" / "spider-dev-17-systems.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        found = [
            Pair("17 systems", question["gold_sql"], given["sql"], spider[question["db_id"]])
            for question in map(json.loads, lines)
            for given in question["candidates"]
        ]
    yield from found[::4]


def _bird(data: Path) -> Iterator[Pair]:
    """One prediction in eight of 14 methods: some 2,500."""
    schemas = _schemas(data / "bird" / "dev_tables.json.gz")
    found = []
    for path in sorted((data / "rose-benchmarking" / "method_results" / "dev").glob("*.json.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for given in json.load(file):
                if given.get("predicted_sql"):
                    schema = schemas[given["db_id"]]
                    found.append(Pair("BIRD", given["gold_sql"], given["predicted_sql"], schema))
    yield from found[::8]


if __name__ == "__main__":
    main()
