"""Why a graph network says that two queries are alike or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from sqljury.api.inputs import PathLike
from sqljury.case import Json
from sqljury.databases import schema_of
from sqljury.errors import InputError
from sqljury.judges.graph_match import MOST_NODES, GraphMatch
from sqljury.likeness.graphs import GraphForm, PairGraph, QueryGraph, graphs_of, only_in, pair_graph
from sqljury.trees.nodes import Unreadable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sqljury.learning.graph_matching.matcher import Matcher
    from sqljury.schema import Schema


@dataclass(frozen=True, slots=True)
class AttentionPeak:
    """Where a node of the reference looks most: a node of the prediction, and how much of its
    attention that one has."""

    node: int
    at: int
    weight: float


@dataclass(frozen=True, slots=True)
class MatchExplanation:
    """Two graphs, their score, what they share, and who looks at whom in each step."""

    texts: tuple[str, str]
    """The reference and the prediction."""
    pair: PairGraph
    score: float
    threshold: float
    attention: tuple[NDArray[Any], ...]
    """For each step the weights of left nodes (rows, each adding up to 1) on right ones."""

    @property
    def equivalent(self) -> bool:
        """Whether the score reaches the threshold."""
        return self.score >= self.threshold

    @property
    def summary(self) -> str:
        """The score in a line."""
        said = "equivalent" if self.equivalent else "not equivalent"
        return f"{said}: score {self.score:.3f}, threshold {self.threshold:.3f}"

    def looks(self, step: int) -> list[AttentionPeak]:
        """Where each node of the reference looks most, in a step (from 0; -1 for the last)."""
        weights = self.attention[step]
        most = weights.argmax(axis=1)
        return [AttentionPeak(i, int(j), float(weights[i, j])) for i, j in enumerate(most)]

    @property
    def only(self) -> tuple[list[str], list[str]]:
        """Labels of what only the reference has, and of what only the prediction has."""
        return only_in(self.pair)

    @property
    def svg(self) -> str:
        """Both graphs with the attention of the first and the last step, as figure 17."""
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
    """The graphs of two queries as the judge ``graph_match`` sees them; nothing is executed.

    Args:
        schema: a schema, or a file of CREATE TABLE statements or in the form of Spider's
            ``tables.json``.
        database: a database to take the schema from: a file, or a URL; nothing in it is read.
        db_id: which schema or database, where there are several.
        model: a file that ``sqljury train graph-match`` wrote; the one that comes with sqljury if
            empty.

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
        raise InputError("SJ318", f"the {which} has a graph of more than {MOST_NODES:,} nodes.")
    return graphs
