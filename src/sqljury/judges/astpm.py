"""ASTPM: how much of each query's syntax tree is found in the other's."""

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
    """Partial matching of syntax trees, as ``relpm`` does it for operator trees; needs no schema.

    Aliases, the table in front of a column, brackets, case and quotes are not compared.

    Args:
        alpha: in (0, 1), the weight of a node relative to its children when a match is chosen.
        omega: the weight of a node in the score relative to each node below it.
        beta: how many times as much recall weighs as precision.
        threshold: the lowest score that is ``correct``; the default is the best one on a half of
            FuncEvalGMN's pairs that is not used for reported figures.

    Source: Zhan et al. 2024 (FuncEvalGMN), section 5.2 and appendix A.
    """

    name: ClassVar[str] = "astpm"
    version: ClassVar[int] = 3
    needs: ClassVar[Needs] = Needs.REFERENCE

    alpha: float = 0.5
    omega: float = 1.0
    beta: float = 1.0
    threshold: float = 0.98

    def __post_init__(self) -> None:
        """Raises ValueError for weights that the equations do not allow."""
        self._weights()

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """The verdict by the reference that matches best."""
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
