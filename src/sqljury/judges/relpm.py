"""RelPM: how much of each query's operator tree is found in the other's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.base import Judge, Needs, register
from sqljury.judges.comparing import compared, partially
from sqljury.verdict import Verdict

if TYPE_CHECKING:
    from sqljury.likeness.matching.partial import Weights
    from sqljury.likeness.matching.trees import Node
    from sqljury.trees.nodes import Unreadable

_OMEGA_BETA = {"nodes": (1.0, 1.0), "paper": (0.5, 2.0)}
"""The variants, with their defaults of omega and beta."""


@register
@dataclass(frozen=True)
class RelPM(Judge):
    """Partial matching of canonical operator trees; needs no rows, only the schema.

    The score is F_beta of precision (how much of the prediction is found in the reference) and
    recall (the reverse). Equal canonical trees score 1. The order of output columns does not
    count. A query that cannot be read is ``unknown``.

    Args:
        by: the variant. ``nodes``: a child weighs as many nodes as it has, and its match may be
            anywhere below its parent's match. ``paper``: the equations as printed, m = alpha · self
            + (1 − alpha) · mean of the children, each matched with a child of the parent's match.
        alpha: in (0, 1), the weight of a node relative to its children when a match is chosen.
        omega: the weight of a node in the score relative to each node below it, 1 by default; with
            ``paper`` in (0, 1), relative to all nodes below it together, 0.5 by default.
        beta: how many times as much recall weighs as precision: 1 by default; 2 with ``paper``, as
            the paper prefers recall and gives no number.
        canonical: match canonical trees; false: trees as the queries are written.
        threshold: the lowest score that is ``correct``; the default is the best one on a half of
            FuncEvalGMN's pairs that is not used for reported figures.

    Source: Zhan et al. 2024 (FuncEvalGMN), section 3 and appendix A.
    """

    name: ClassVar[str] = "relpm"
    version: ClassVar[int] = 3
    needs: ClassVar[Needs] = Needs.REFERENCE | Needs.SCHEMA
    variant: ClassVar[str] = "by"

    by: str = "nodes"
    alpha: float = 0.5
    omega: float | None = None
    beta: float | None = None
    canonical: bool = True
    threshold: float = 0.98

    def __post_init__(self) -> None:
        """Raises ValueError for weights that the equations do not allow."""
        if self.by not in _OMEGA_BETA:
            raise ValueError(f"by={self.by}: one of {', '.join(_OMEGA_BETA)}")
        self._weights()

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """The verdict by the reference that matches best."""
        return compared(case, lambda sql: self._tree(sql, evidence), self._compare)

    def _tree(self, sql: str, evidence: Evidence) -> Node | Unreadable:
        from sqljury.likeness.matching.trees import operator_tree
        from sqljury.trees.nodes import Unreadable

        if not self.canonical:
            tree = evidence.tree(sql)
            return tree if isinstance(tree, Unreadable) else operator_tree(tree)
        found = evidence.canonical(sql)
        return found if isinstance(found, Unreadable) else operator_tree(found.relation)

    def _compare(self, prediction: Node, reference: Node) -> Verdict:
        return partially(prediction, reference, self._weights(), self.threshold, "operator trees")

    def _weights(self) -> Weights:
        from sqljury.likeness.matching.partial import AS_PRINTED, TreeReading, Weights

        omega, beta = _OMEGA_BETA[self.by]
        return Weights(
            self.alpha,
            omega if self.omega is None else self.omega,
            beta if self.beta is None else self.beta,
            AS_PRINTED if self.by == "paper" else TreeReading(),
        )
