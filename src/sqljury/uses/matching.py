"""Explain the score that a graph network gives two queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from sqljury.case import Json
from sqljury.databases import schema_of
from sqljury.errors import InputError
from sqljury.judges.graph_match import MOST_NODES, GraphMatch
from sqljury.likeness.graphs import GraphForm, PairGraph, QueryGraph, graphs_of, only_in, pair_graph
from sqljury.trees.nodes import Unreadable
from sqljury.writing import PathLike

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sqljury.learning.graph_matching.matcher import Matcher
    from sqljury.schema import Schema


@dataclass(frozen=True, slots=True)
class AttentionPeak:
    """The node ``at`` of the prediction with the most attention of a reference's ``node``.

    ``weight`` is the share of the attention that it has.
    """

    node: int
    at: int
    weight: float


@dataclass(frozen=True, slots=True)
class MatchExplanation:
    """Two graphs, their score, the nodes they share, and the attention between them."""

    texts: tuple[str, str]
    """The reference and the prediction."""
    pair: PairGraph
    score: float
    threshold: float
    attention: tuple[NDArray[Any], ...]
    """For each step, the attention weights of left nodes (rows, which sum to 1) on right nodes."""

    @property
    def equivalent(self) -> bool:
        """True if the score reaches the threshold."""
        return self.score >= self.threshold

    @property
    def summary(self) -> str:
        """The verdict, the score and the threshold in one line."""
        said = "equivalent" if self.equivalent else "not equivalent"
        return f"{said}: score {self.score:.3f}, threshold {self.threshold:.3f}"

    def looks(self, step: int) -> list[AttentionPeak]:
        """For each reference node, the prediction's node with the most attention, in one step.

        Steps count from 0; -1 is the last.
        """
        weights = self.attention[step]
        most = weights.argmax(axis=1)
        return [AttentionPeak(i, int(j), float(weights[i, j])) for i, j in enumerate(most)]

    @property
    def only(self) -> tuple[list[str], list[str]]:
        """The labels of nodes that only the reference has, and that only the prediction has."""
        return only_in(self.pair)

    @property
    def svg(self) -> str:
        """A drawing of both graphs with the attention of the first and the last step.

        It follows figure 17 of the FuncEvalGMN paper.
        """
        from sqljury.reports.graph_pair import GraphPanel, graph_pair_svg

        steps = len(self.attention)
        panels = [GraphPanel(f"step 1 of {steps}", self.attention[0])]
        if steps > 1:
            panels.append(GraphPanel(f"step {steps} of {steps}", self.attention[-1]))
        return graph_pair_svg(self.pair, self.texts, panels, self.summary)

    def to_json(self) -> dict[str, Json]:
        """A JSON object."""
        return {
            "score": self.score,
            "threshold": self.threshold,
            "equivalent": self.equivalent,
            "left": _graph_json(self.pair.left),
            "right": _graph_json(self.pair.right),
            "joins": [list(join) for join in self.pair.joins],
            "looks": {
                name: [[look.at, round(look.weight, 6)] for look in self.looks(step)]
                for name, step in (("first", 0), ("last", -1))
            },
        }


def _graph_json(graph: QueryGraph) -> dict[str, Json]:
    return {
        "labels": list(graph.labels),
        "computing": list(graph.computing),
        "types": list(graph.types),
        "edges": [[start, end, int(kind)] for start, end, kind in graph.edges],
    }


def explain_match(
    reference: str,
    prediction: str,
    *,
    schema: Schema | PathLike | None = None,
    database: PathLike | None = None,
    db_id: str = "",
    model: PathLike = "",
) -> MatchExplanation:
    """Explain the score that the judge ``graph_match`` gives two queries; runs no query.

    Args:
        schema: a schema, or a file of CREATE TABLE statements or in the format of Spider's
            ``tables.json``.
        database: a file or URL of a database to take the schema from; its rows are not read.
        db_id: the schema or database to use, if there are several.
        model: a file that ``sqljury train graph-match`` wrote; empty for the shipped one.

    Raises:
        InputError: SJ316: no schema; SJ318: a query that cannot be read; SJ020: no model.
        MissingExtraError: torch is not installed.

    Source: Zhan et al. 2024 (FuncEvalGMN), appendix H.
    """
    known = schema_of(schema, database, db_id)
    matcher = GraphMatch(str(model)).matcher
    left = _graphs(reference, "reference", known, matcher)
    right = _graphs(prediction, "prediction", known, matcher)
    pairs = [pair_graph(*sides) for sides in zip(left, right, strict=True)]
    (score,) = matcher.mean_scores([pairs])
    pair = pairs[0]
    attention = tuple(forth for forth, _ in matcher.attention(pair))
    return MatchExplanation((reference, prediction), pair, score, matcher.threshold, attention)


def _graphs(sql: str, which: str, schema: Schema, matcher: Matcher) -> tuple[QueryGraph, ...]:
    forms = cast("tuple[GraphForm, ...]", matcher.views)
    graphs = graphs_of(sql, schema, forms=forms, flows=matcher.flows)
    if isinstance(graphs, Unreadable):
        raise InputError("SJ318", f"the {which} cannot be read: {graphs.reason}.")
    if len(graphs[0].labels) > MOST_NODES:  # time grows with the product of both
        raise InputError(
            "SJ318", f"the {which} is too long: its graph has more than {MOST_NODES:,} nodes."
        )
    return graphs
