"""Are the trees equal after rewrites that the schema verifies?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.base import Needs, register
from sqljury.judges.comparing import compared
from sqljury.verdict import Verdict

if TYPE_CHECKING:
    from sqljury.queries.trees.nodes import Relation


@register
@dataclass(frozen=True)
class TreeMatch:
    """Tree matching by yes or no, after rewrites under the keys that the schema declares.

    As ``canonical``, but it assumes nothing beyond declared primary, unique and foreign keys
    (no types, no ties, no missing NULLs), accepts output columns in any order, and says
    ``incorrect`` where the trees differ.

    Source: the idea is Ascoli et al. 2024 (ETM, enhanced tree matching); the rules are ours.
    """

    name: ClassVar[str] = "tree_match"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.REFERENCE | Needs.SCHEMA

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """Correct if any reference has the same tree."""
        from sqljury.queries.canonical import canonical, columns_sorted
        from sqljury.queries.trees.context import Assumption, Context

        schema = evidence.schema()
        assert schema is not None  # needs SCHEMA
        keys = frozenset((Assumption.PRIMARY_KEY, Assumption.FOREIGN_KEY))
        context = Context(schema, evidence.dialect, keys)

        def normal(tree: Relation) -> Relation:
            return columns_sorted(canonical(tree, context), context).relation

        def compare(prediction: Relation, reference: Relation) -> Verdict:
            if normal(prediction) == normal(reference):
                return Verdict.correct("the trees are equal after rewrites")
            return Verdict.incorrect("the trees differ after rewrites")

        return compared(case, evidence.tree, compare)
