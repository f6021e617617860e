"""How much of the reference's operator tree does the prediction's have, and back?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.base import Needs, register
from sqljury.judges.comparing import compared, partially
from sqljury.verdict import Verdict

if TYPE_CHECKING:
    from sqljury.queries.matching.labelled import Node
    from sqljury.queries.matching.partial import Weights
    from sqljury.queries.trees.nodes import Unreadable


@register
@dataclass(frozen=True)
class RelPM:
    """Partial matching of canonical operator trees; needs no rows, only the schema.

    The score is F_beta of precision (how much of the prediction is found in the reference) and
    recall (the reverse). Equal canonical trees score 1. The order of output columns does not
    count. A query that cannot be read is ``unknown``.

    Args:
        alpha: in (0, 1), what a node counts against its children when a match is chosen.
        omega: what a node weighs in the score against each node below it.
        beta: how many times as much recall weighs as precision; the paper prefers more than 1.
        canonical: match canonical trees rather than trees as written.
        threshold: the score from which on the verdict is ``correct``; the default does best on a
            half of FuncEvalGMN's pairs that no reported figure is chosen on.

    Source: Zhan et al. 2024 (FuncEvalGMN), section 3 and appendix A.
    """

    name: ClassVar[str] = "relpm"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.REFERENCE | Needs.SCHEMA

    alpha: float = 0.5
    omega: float = 1.0
    beta: float = 1.0
    canonical: bool = True
    threshold: float = 0.98

    def __post_init__(self) -> None:
        """Refuse weights that the equations do not allow."""
        self._weights()

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """Matched with the closest reference."""
        return compared(case, lambda sql: self._tree(sql, evidence), self._compare)

    def _tree(self, sql: str, evidence: Evidence) -> Node | Unreadable:
        from sqljury.queries.matching.operators import operator_tree
        from sqljury.queries.trees.nodes import Unreadable

        if not self.canonical:
            tree = evidence.tree(sql)
            return tree if isinstance(tree, Unreadable) else operator_tree(tree)
        found = evidence.canonical(sql)
        return found if isinstance(found, Unreadable) else operator_tree(found.relation)

    def _compare(self, prediction: Node, reference: Node) -> Verdict:
        return partially(prediction, reference, self._weights(), self.threshold, "operator trees")

    def _weights(self) -> Weights:
        from sqljury.queries.matching.partial import Weights

        return Weights(self.alpha, self.omega, self.beta)
