"""CodeBLEU: n-grams, keywords, subtrees and data flow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.base import Judge, Needs, register
from sqljury.judges.comparing import compared, graded
from sqljury.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from sqljury.likeness.matching.trees import Node
    from sqljury.trees.nodes import Unreadable

_TREES = ("syntax", "operator")


@register
@dataclass(frozen=True)
class CodeBLEU(Judge):
    """CodeBLEU with the syntax tree, or (``codebleu:operator``) with the canonical operator tree.

    The mean of four parts: BLEU, BLEU in which keywords weigh five times as much, the share of
    the reference's subtrees that the prediction has, and the share of its data flow (which
    operator reads which column).

    Args:
        tree: ``syntax`` or ``operator``; the latter needs the schema.
        threshold: the lowest score that is ``correct``; the default is the best one on a half of
            FuncEvalGMN's pairs that is not used for reported figures.

    Source: Ren et al. 2020 (CodeBLEU); Zhan et al. 2024 (FuncEvalGMN), table 1.
    """

    name: ClassVar[str] = "codebleu"
    version: ClassVar[int] = 2
    needs: ClassVar[Needs] = Needs.REFERENCE
    variant: ClassVar[str] = "tree"

    tree: str = "syntax"
    threshold: float = 0.72

    def __post_init__(self) -> None:
        """Raises ValueError for an unknown tree."""
        if self.tree not in _TREES:
            raise ValueError(f"there is no tree {self.tree!r}; known: {', '.join(_TREES)}")

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """The verdict by the most similar reference."""
        if self.tree == "operator" and evidence.schema() is None:
            return Verdict(outcome=Outcome.DATABASE_MISSING, reason=f"no schema of {case.db_id!r}")
        return compared(case, lambda sql: self._read(sql, evidence), self._compare)

    def _read(self, sql: str, evidence: Evidence) -> tuple[Sequence[str], Node] | Unreadable:
        from sqljury.likeness.matching.tokens import tokens_of
        from sqljury.trees.nodes import Unreadable

        tokens = tokens_of(sql, evidence.dialect)
        if tokens is None:
            return Unreadable("it cannot be cut into tokens", "syntax")
        tree = self._tree(sql, evidence)
        return tree if isinstance(tree, Unreadable) else (tokens, tree)

    def _tree(self, sql: str, evidence: Evidence) -> Node | Unreadable:
        from sqljury.likeness.matching.trees import operator_tree, syntax_tree
        from sqljury.trees.nodes import Unreadable

        if self.tree == "syntax":
            tree = syntax_tree(sql, evidence.dialect)
            return tree or Unreadable("it cannot be parsed", "syntax")
        found = evidence.canonical(sql)
        return found if isinstance(found, Unreadable) else operator_tree(found.relation)

    def _compare(
        self, prediction: tuple[Sequence[str], Node], reference: tuple[Sequence[str], Node]
    ) -> Verdict:
        from sqljury.likeness.matching.tokens import codebleu

        found = codebleu(prediction, reference)
        measures = {"ngrams": found.ngrams, "keywords": found.keywords, "tree": found.tree}
        if found.data_flow is not None:
            measures["data_flow"] = found.data_flow
        parts = ", ".join(f"{name} {value:.3f}" for name, value in measures.items())
        return graded(found.score, self.threshold, parts, **measures)
