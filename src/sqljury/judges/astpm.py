"""How much of the reference's syntax tree does the prediction's have, and back?"""

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


@register
@dataclass(frozen=True)
class ASTPM(Judge):
    """Partial matching of syntax trees: what is left of ``relpm`` where queries are not understood.

    Aliases, the table in front of a column, brackets, case and quotes are not compared.

    Args:
        alpha: in (0, 1), what a node counts against its children when a match is chosen.
        omega: what a node weighs in the score against each node below it.
        beta: how many times as much recall weighs as precision.
        threshold: the score from which on the verdict is ``correct``; the default does best on a
            half of FuncEvalGMN's pairs that no reported figure is chosen on.

    Source: Zhan et al. 2024 (FuncEvalGMN), section 5.2 and appendix A.
    """

    name: ClassVar[str] = "astpm"
    version: ClassVar[int] = 2
    needs: ClassVar[Needs] = Needs.REFERENCE

    alpha: float = 0.5
    omega: float = 1.0
    beta: float = 1.0
    threshold: float = 0.98

    def __post_init__(self) -> None:
        """Refuse weights that the equations do not allow."""
        self._weights()

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """Matched with the closest reference."""
        return compared(case, lambda sql: _tree(sql, evidence.dialect), self._compare)

    def _compare(self, prediction: Node, reference: Node) -> Verdict:
        return partially(prediction, reference, self._weights(), self.threshold, "syntax trees")

    def _weights(self) -> Weights:
        from sqljury.likeness.matching.partial import Weights

        return Weights(self.alpha, self.omega, self.beta)


def _tree(sql: str, dialect: str) -> Node | Unreadable:
    from sqljury.likeness.matching.trees import syntax_tree
    from sqljury.trees.nodes import Unreadable

    return syntax_tree(sql, dialect) or Unreadable("it cannot be parsed", "syntax")
