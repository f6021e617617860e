"""FuncEvalGMN's labelled pairs, and what networks and judges say of them; used by experiments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import sqljury as sj
from sqljury.benchmarks import read_cases
from sqljury.case import Case
from sqljury.databases import read_schemas, schema_from_ddl
from sqljury.judges import make_judge, spec_of
from sqljury.learning.graph_matching.matcher import Matcher
from sqljury.likeness.graphs import GraphForm, PairGraph, QueryGraph, graphs_of, pair_graph
from sqljury.schema import Schema
from sqljury.sql import features, hardness
from sqljury.trees.nodes import Unreadable

FILES = {
    "Spider": ("Spider_pair_dev", "spider/tables.json"),
    "Spider-DK": ("SpiderDK_pair_dev", "spider/spider_dk/tables.json.gz"),
    "WikiSQL": ("Wikisql_pair_dev", None),
}
"""The file of pairs, and that of schemas; the pairs' prompts describe WikiSQL's."""
PROVERS = ("canonical", "equivalence")

Scores = list[float | None]
"""A score a pair; None where a query cannot be read."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A labelled pair, and the schema it is read with."""

    case: Case
    schema: Schema
    label: bool

    @property
    def texts(self) -> tuple[str, str]:
        """The reference and the prediction."""
        return self.case.reference_sqls[0], str(self.case.predicted_sql)

    @property
    def slices(self) -> Iterator[str]:
        """The slices of tables 2 and 5, and the writer of the prediction."""
        reference = self.texts[0]
        yield f"hardness:{hardness(reference)}"
        for feature in features(reference, "sqlite"):
            kind = feature.partition(":")[0]
            if kind in ("joins", "nesting", "grouping") and not feature.endswith(":0"):
                yield kind
        yield f"by {self.case.source}"


def labelled_pairs(data: Path, name: str) -> list[Pair]:
    """The pairs of one of :data:`FILES`."""
    stem, path = FILES[name]
    schemas = read_schemas(data / path) if path else None
    described: dict[str, Schema] = {}
    found = []
    for case in read_cases(data / "pairs" / f"{stem}.csv.gz"):
        ddl = case.schema_sql or ""
        schema = schemas.get(case.db_id) if schemas else None
        if schema is None:
            schema = described.get(ddl) or described.setdefault(ddl, schema_from_ddl(ddl))
        found.append(Pair(case, schema, bool(case.label)))
    return found


def network_scores(
    texts: Iterable[tuple[str, str, Schema]], matchers: Sequence[Matcher]
) -> list[Scores]:
    """As the judge graph_match scores pairs of texts, but all at once; a list for each network.

    The networks see graphs of the same forms.
    """
    forms, flows = cast("tuple[GraphForm, ...]", matchers[0].views), matchers[0].flows
    known: dict[tuple[str, int], tuple[QueryGraph, ...] | Unreadable] = {}

    def graphs(sql: str, schema: Schema) -> tuple[QueryGraph, ...] | Unreadable:
        key = (sql, id(schema))
        if key not in known:
            known[key] = graphs_of(sql, schema, forms=forms, flows=flows)
        return known[key]

    pairs: list[list[PairGraph]] = []
    places: list[int] = []
    count = 0
    for left_sql, right_sql, schema in texts:
        left, right = graphs(left_sql, schema), graphs(right_sql, schema)
        if not isinstance(left, Unreadable) and not isinstance(right, Unreadable):
            places.append(count)
            pairs.append([pair_graph(*sides) for sides in zip(left, right, strict=True)])
        count += 1
    found = []
    for matcher in matchers:
        scores: Scores = [None] * count
        for place, score in zip(places, matcher.mean_scores(pairs), strict=True):
            scores[place] = score
        found.append(scores)
    return found


def judge_scores(
    data: Path, name: str, judges: Sequence[str], runs: Path | None = None
) -> list[Scores]:
    """What judges say of a file's pairs, in its order; a list for each judge.

    What :data:`PROVERS` leave unknown is 0. Verdicts are kept in ``runs``.
    """
    if not judges:
        return []
    stem, path = FILES[name]
    where = None if runs is None else runs / stem
    places = {spec_of(make_judge(judge)): place for place, judge in enumerate(judges)}
    found: list[Scores] = [[] for _ in judges]
    file = data / "pairs" / f"{stem}.csv.gz"
    with sj.evaluate([file], list(judges), schemas=path and data / path, run=where) as run:
        for record in run.records():
            score = record.verdict.score
            if score is None and record.judge.startswith(PROVERS):
                score = 0.0
            found[places[record.judge]].append(score)
    return found
