"""Train the small verifier that comes with the package, from the pools of verifier_pools.py.

    python tools/train_verifier.py --data shared/data --pools POOLS --work FOLDER --out MODEL.npz

What a question lets one expect is learned on two thirds of the databases for the last third, in
turn, so that the trees that weigh candidates see expectations as uncertain as they are for new
databases. The trees are validated on the databases of each third in turn, then trained on all.
Each step is kept in FOLDER and not made again.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from sqljury.case import Case
from sqljury.databases import open_databases
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.judges.verifier_features import Observer
from sqljury.judges.verifier_features.asked import PARTS, index_values, sketch_of, values_in
from sqljury.judges.verifier_features.facts import ROLES, facts_of, roles_of, tables_used
from sqljury.judges.verifier_features.question import (
    links,
    masked_words,
    ngrams,
    read_question,
    table_links,
)
from sqljury.learning.model_file import read_model, write_model
from sqljury.learning.small_verifier import (
    Expectations,
    SmallVerifier,
    balance,
    slope_of,
    table_of,
    train_expectations,
    train_weigher,
)
from sqljury.sql.names import names_of

FOLDS = 3
LIMITS = Limits(seconds=1.0, rows=20_000)
RIGHT, WRONG = 2, 5
"""Candidates beside the reference that are drawn for each question, at most."""
WITHOUT_DATABASE = 0.15
"""The share of questions whose database is not looked at, for cases that have none."""
TREES = 160
RESTYLED = ("rewrite", "rewritten mistake")
"""Kinds of candidates that are spelled in other ways than people write references."""
BLIND = (
    *("readable", "runs", "rows", "nulls", "repeats", "zero", "missing_values", "bare_tables"),
    *("joins", "joins_unlinked", "links_by_key", "links_odd", "outer_joins", "blocks", "items"),
    *("stars", "conditions", "ors", "distinct", "grouped", "having", "set_operation", "limit"),
    *("bare_beside_aggregate", "group_not_selected", "selected_not_grouped", "aggregates"),
    *("counts_distinct", "counts_column", "computed", "order_selected", "distinct_of_group"),
    *("limit_without_order", "twice_selected", "texts", "numbers", "likes", "likes_open"),
)
"""Features that need no question."""

Pool = dict[str, Any]


def fold_of(db_id: str) -> int:
    """The fold of a database: the same for all its questions."""
    return zlib.crc32(db_id.encode()) % FOLDS


def read_pools(folder: Path) -> Iterator[list[Pool]]:
    """The pools of each database."""
    for path in sorted(folder.glob("*.jsonl")):
        pools = [json.loads(line) for line in path.read_text().splitlines()]
        if pools:
            yield pools


# ---------------------------------------------------------------- expectations


@dataclass
class Examples:
    """What expectations are learned from, with the fold of each row."""

    columns: list[Any] = field(default_factory=list)
    roles: list[Any] = field(default_factory=list)
    tables: list[Any] = field(default_factory=list)
    read: list[bool] = field(default_factory=list)
    terms: list[list[str]] = field(default_factory=list)
    parts: list[dict[str, str]] = field(default_factory=list)
    folds: dict[str, list[int]] = field(
        default_factory=lambda: {"columns": [], "tables": [], "terms": []}
    )

    def add(self, pools: list[Pool], data: Path) -> None:
        """The questions of one database and their references."""
        database = open_databases(data / "spider/databases").open(pools[0]["db_id"])
        assert database is not None
        schema = database.schema()
        index = index_values(schema, "sqlite", lambda sql: database.execute(sql, LIMITS))
        fold, merged = fold_of(database.db_id), names_of(schema).merged
        for pool in pools:
            facts = facts_of(pool["reference"], "sqlite", schema)
            if facts is None:
                continue
            roles, used = roles_of(facts, merged), tables_used(facts)
            for asked in pool["questions"]:
                question = read_question(asked["question"])
                named = links(question, schema, values_in(question, index))
                about = table_links(question, schema, named)
                self.columns += [one.features for one in named]
                self.roles += [[one.same in roles[role] for role in ROLES] for one in named]
                self.tables += [one.features for one in about]
                self.read += [one.name in used for one in about]
                self.terms.append(list(ngrams(masked_words(question, schema))))
                self.parts.append(sketch_of(facts))
                self.folds["columns"] += [fold] * len(named)
                self.folds["tables"] += [fold] * len(about)
                self.folds["terms"].append(fold)

    def without(self, fold: int) -> Expectations:
        """Expectations learned on all other folds."""
        columns, tables, terms = (np.array(self.folds[name]) != fold for name in self.folds)
        roles = np.array(self.roles)[columns]
        chosen = np.flatnonzero(terms)
        return train_expectations(
            np.array(self.columns, dtype=np.float32)[columns],
            {role: roles[:, place] for place, role in enumerate(ROLES)},
            np.array(self.tables, dtype=np.float32)[tables],
            np.array(self.read)[tables],
            [self.terms[i] for i in chosen],
            {part: [self.parts[i][part] for i in chosen] for part in PARTS},
        )


def expectations(folder: Path, fold: int, examples: Callable[[], Examples]) -> Expectations:
    """The expectations without a fold, from the folder if they are there."""
    path = folder / f"expectations-{fold}.npz"
    if not path.exists():
        found = examples().without(fold)
        write_model(path, found.facts(), found.arrays())
        print(f"learned what to expect in fold {fold}", flush=True)
    return Expectations.from_file(*read_model(path))


# ---------------------------------------------------------------- candidates


def candidates(pool: Pool, number: int) -> list[tuple[str, bool, str]]:
    """The reference and some of its pool: the query, whether it is right, its kind."""
    chance = random.Random(f"{pool['db_id']} {number}")
    found = [(pool["reference"], True, "reference")]
    for label, most in ((True, RIGHT), (False, WRONG)):
        known = [c for c in pool["candidates"] if c["label"] is label]
        drawn = chance.sample(known, min(most, len(known)))
        found += [(one["sql"], label, one["kind"]) for one in drawn]
    return found


def observe(pools: list[Pool], data: Path, expected: Expectations) -> Iterator[dict[str, Any]]:
    """The features of the candidates of one database."""
    db_id = pools[0]["db_id"]
    database = open_databases(data / "spider/databases").open(db_id)
    assert database is not None
    cache, schema = ExecutionCache(), _OneSchema(database.schema())
    observer, blind = Observer(expected), Observer(expected)
    for pool in pools:
        for asked in pool["questions"]:
            number = asked["index"]
            alone = random.Random(number).random() < WITHOUT_DATABASE
            for sql, label, kind in candidates(pool, number):
                case = Case(id="", db_id=db_id, question=asked["question"], predicted_sql=sql)
                known = None if alone else database
                evidence = DatabaseEvidence(case, known, cache, LIMITS, schemas=schema)
                features = (blind if alone else observer).features(case, evidence)
                yield {"features": features, "label": label, "kind": kind, "question": number}


class _OneSchema:
    """The schema of a database that is not looked at."""

    def __init__(self, schema: Any) -> None:
        self._schema = schema

    def get(self, _: str) -> Any:
        return self._schema


@dataclass
class Observed:
    """All candidates of one fold."""

    names: list[str]
    vectors: Any
    labels: Any
    questions: Any
    kinds: list[str]

    @property
    def weights(self) -> Any:
        """What each candidate counts."""
        restyled = np.array([kind in RESTYLED for kind in self.kinds])
        return balance(self.labels, self.questions, restyled)


def observed(folder: Path, data: Path, pools: Path, fold: int, expected: Expectations) -> Observed:
    """The candidates of a fold, from the folder if they are there."""
    path = folder / f"features-{fold}.npz"
    if not path.exists():
        rows = [
            row
            for some in read_pools(pools)
            if fold_of(some[0]["db_id"]) == fold
            for row in observe(some, data, expected)
        ]
        names = sorted({name for row in rows for name in row["features"]})
        facts = {"names": names, "kinds": [row["kind"] for row in rows]}
        arrays = {
            "vectors": table_of([row["features"] for row in rows], names).astype(np.float32),
            "labels": np.array([row["label"] for row in rows]),
            "questions": np.array([row["question"] for row in rows]),
        }
        write_model(path, facts, arrays)
        print(f"looked at {len(rows)} candidates of fold {fold}", flush=True)
    facts, arrays = read_model(path)
    return Observed(facts["names"], *arrays.values(), facts["kinds"])


def joined(parts: list[Observed]) -> Observed:
    """The candidates of several folds."""
    assert all(part.names == parts[0].names for part in parts)
    arrays = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("vectors", "labels", "questions")
    )
    return Observed(parts[0].names, *arrays, [kind for part in parts for kind in part.kinds])


# ---------------------------------------------------------------- weighing


def auc(scores: Any, labels: Any, weights: Any) -> float:
    """The area under the ROC curve."""
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(labels, scores, sample_weight=weights))


def picked(scores: Any, found: Observed) -> float:
    """How often the best-scored candidate of a question that has both kinds is right."""
    right = total = 0
    for number in np.unique(found.questions):
        own = np.flatnonzero(found.questions == number)
        if 0 < found.labels[own].sum() < len(own):
            total += 1
            right += bool(found.labels[own[np.argmax(scores[own])]])
    return right / total


def weigher(parts: list[Observed], wanted: Callable[[str], bool], title: str) -> Any:
    """Trees on all folds, calibrated and validated on each fold in turn."""
    names = [name for name in parts[0].names if wanted(name)]
    use = [parts[0].names.index(name) for name in names]
    scores, held = [], []
    for fold in range(FOLDS):
        rest = joined([part for number, part in enumerate(parts) if number != fold])
        model = train_weigher(rest.vectors[:, use], names, rest.labels, rest.weights, trees=TREES)
        scores.append(model.trees.log_odds(parts[fold].vectors[:, use]))
        held.append(parts[fold])
    everything, odds = joined(held), np.concatenate(scores)
    weights = everything.weights
    slope = slope_of(odds, everything.labels, weights)
    print(
        f"{title}: {len(names)} features, {len(odds)} candidates held out, "
        f"AUC {auc(odds, everything.labels, weights):.4f}, "
        f"balanced accuracy {float((weights * ((odds > 0) == everything.labels)).mean()):.4f}, "
        f"best is right {picked(odds, everything):.4f}, slope {slope:.3f}",
        flush=True,
    )
    _by_kind(odds, everything)
    final = train_weigher(
        everything.vectors[:, use], names, everything.labels, weights, trees=TREES
    )
    return type(final)(final.names, final.trees, slope)


def _by_kind(odds: Any, found: Observed) -> None:
    kinds = np.array(found.kinds)
    for kind in sorted(set(kinds)):
        for label in (True, False):
            own = (kinds == kind) & (found.labels == label)
            if own.sum() >= 50:
                right = ((odds[own] > 0) == label).mean()
                print(f"    {kind:24} {'right' if label else 'wrong'} {own.sum():6} {right:.3f}")


def main() -> None:
    """All steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--pools", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    known: list[Examples] = []

    def examples() -> Examples:
        if not known:
            known.append(Examples())
            for pools in read_pools(args.pools):
                known[0].add(pools, args.data)
        return known[0]

    by_fold = [expectations(args.work, fold, examples) for fold in range(FOLDS)]
    parts = [
        observed(args.work, args.data, args.pools, fold, expected)
        for fold, expected in enumerate(by_fold)
    ]
    asked = weigher(parts, set(parts[0].names).__contains__, "with the question")
    blind = weigher(parts, lambda name: name in BLIND, "without the question")
    everything = expectations(args.work, FOLDS, examples)
    pools = [pool for some in read_pools(args.pools) for pool in some]
    card = {
        "questions": sum(len(pool["questions"]) for pool in pools),
        "references": len(pools),
        "databases": len({pool["db_id"] for pool in pools}),
        "candidates": sum(len(part.labels) for part in parts),
    }
    SmallVerifier(everything, asked, blind, card).save(args.out)
    print(f"{args.out}: {args.out.stat().st_size / 1e6:.2f} MB, {card}")


if __name__ == "__main__":
    main()
