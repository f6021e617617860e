"""The likeness of the graphs of two queries, by a trained graph network."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from sqljury.case import Case, Json
from sqljury.evidence import Evidence
from sqljury.judges.base import Judge, Needs, register
from sqljury.judges.comparing import compared, graded
from sqljury.verdict import Verdict

if TYPE_CHECKING:
    from sqljury.learning.graph_matching.matcher import Matcher
    from sqljury.likeness.graphs import GraphForm, PairGraph, QueryGraph
    from sqljury.trees.nodes import Unreadable

    Graphs = tuple[QueryGraph, ...]
    """The graphs of one query, one per form that the model reads."""

_DIGITS = 6
"""Decimal places of a score: beyond the tenth it depends on which pairs are judged together."""
MOST_NODES = 600
"""The most nodes of a graph: attention takes memory that grows with their square."""


@register
@dataclass(frozen=True)
class GraphMatch(Judge):
    """A graph network's probability that the queries are equivalent; needs only the schema.

    The score is 1 for queries whose graphs are equal. If the model
    reads queries in two forms (canonical by what the schema declares, and by what holds for
    ordinary data), it is the mean of both. The threshold is stored in the model and was chosen on
    validation pairs. With several references the nearest counts. A query that cannot be read is
    ``unknown``.

    Args:
        model: a file that ``sqljury train graph-match`` wrote; if empty, the model shipped with
            sqljury.

    Source: Zhan et al. 2024 (FuncEvalGMN), section 4; Li et al. 2019.
    """

    name: ClassVar[str] = "graph_match"
    version: ClassVar[int] = 4
    needs: ClassVar[Needs] = Needs.REFERENCE | Needs.SCHEMA
    batch_size: ClassVar[int] = 64

    model: str = ""

    @property
    def threshold(self) -> float:
        """The lowest score that is ``correct``."""
        return self.matcher.threshold

    @property
    def runs_network(self) -> bool:
        """True: the judge runs a graph network."""
        return True

    def signature_fields(self) -> dict[str, Json]:
        """A digest of the model's file."""
        return {"model": hashlib.sha256(self._path.read_bytes()).hexdigest()[:8]}

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """The verdict by the nearest reference."""
        return self.judge_many([(case, evidence)])[0]

    def judge_many(self, asked: Sequence[tuple[Case, Evidence]]) -> list[Verdict]:
        """The verdicts on several cases; the network gets all pairs at once."""
        graphs = [self._of_case(case, evidence) for case, evidence in asked]
        waiting = {
            (id(prediction), id(reference)): _pairs(prediction, reference)
            for of_case in graphs
            for prediction, reference in _compared(of_case)
        }
        scores = dict(zip(waiting, self.matcher.mean_scores([*waiting.values()]), strict=True))

        def compare(prediction: Graphs, reference: Graphs) -> Verdict:
            key = id(prediction), id(reference)
            if key not in scores:
                return graded(1.0, self.threshold, "the graphs are equal")
            # The last digits depend on which other pairs are in the batch.
            return self._verdict(round(scores[key], _DIGITS), waiting[key])

        return [
            compared(case, of_case.__getitem__, compare)
            for (case, _), of_case in zip(asked, graphs, strict=True)
        ]

    def _of_case(self, case: Case, evidence: Evidence) -> dict[str, Graphs | Unreadable]:
        """By query, the graphs of the prediction and then of the references.

        If the prediction cannot be read, only the reason for that."""
        from sqljury.trees.nodes import Unreadable

        prediction = str(case.predicted_sql)
        found = {prediction: self._graphs(prediction, evidence)}
        if not isinstance(found[prediction], Unreadable):
            for sql in case.reference_sqls:
                found.setdefault(sql, self._graphs(sql, evidence))
        return found

    @property
    def _path(self) -> Path:
        if self.model:
            return Path(self.model)
        from sqljury.learning.graph_matching.matcher import shipped_model

        return shipped_model()

    @cached_property
    def matcher(self) -> Matcher:
        """The network.

        Raises:
            InputError: SJ020, SJ030, SJ031: the model's file is missing or invalid.
            MissingExtraError: torch is not installed.
        """
        return _loaded(str(self._path))

    def _graphs(self, sql: str, evidence: Evidence) -> Graphs | Unreadable:
        from sqljury.trees.nodes import Unreadable

        graphs = self._any_graphs(sql, evidence)
        if isinstance(graphs, Unreadable) or len(graphs[0].labels) <= MOST_NODES:
            return graphs
        return Unreadable(f"its graph has more than {MOST_NODES:,} nodes", "too_large")

    def _any_graphs(self, sql: str, evidence: Evidence) -> Graphs | Unreadable:
        from sqljury.likeness.graphs import graphs_of

        schema = evidence.schema()
        assert schema is not None  # needs SCHEMA
        views = cast("tuple[GraphForm, ...]", self.matcher.views)
        return graphs_of(sql, schema, evidence.dialect, forms=views, flows=self.matcher.flows)

    def _verdict(self, score: float, pairs: Sequence[PairGraph]) -> Verdict:
        from sqljury.likeness.graphs import only_in

        reason = f"score {score:.3f}, equivalent from {self.threshold:.3f} on"
        left, right = only_in(pairs[0])
        only: dict[str, Json] = {"only_in_reference": left, "only_in_prediction": right}
        return replace(graded(score, self.threshold, reason), evidence=only)


def _compared(graphs: Mapping[str, Graphs | Unreadable]) -> Iterator[tuple[Graphs, Graphs]]:
    """The prediction with each readable reference whose graphs differ from its own."""
    from sqljury.trees.nodes import Unreadable

    prediction, *references = graphs.values()
    if isinstance(prediction, Unreadable):
        return
    for reference in references:
        if not isinstance(reference, Unreadable) and prediction != reference:
            yield prediction, reference


def _pairs(prediction: Graphs, reference: Graphs) -> list[PairGraph]:
    from sqljury.likeness.graphs import pair_graph

    return [pair_graph(*sides) for sides in zip(reference, prediction, strict=True)]


@lru_cache(maxsize=4)
def _loaded(path: str) -> Matcher:
    from sqljury.learning.graph_matching.matcher import load_matcher

    return load_matcher(path).in_double_precision()
