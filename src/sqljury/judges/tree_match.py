"""Equality of operator trees after rewrites that the schema's keys justify."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.base import Judge, Needs, register
from sqljury.judges.comparing import compared
from sqljury.verdict import Verdict

if TYPE_CHECKING:
    from sqljury.trees.nodes import Relation


_RULES = ("", "etm")


@register
@dataclass(frozen=True)
class TreeMatch(Judge):
    """Tree matching by yes or no, after rewrites under the keys that the schema declares.

    Like ``canonical``, with three differences: the only assumptions are declared primary, unique
    and foreign keys (nothing on types, ties or NULLs), output columns may come in any order, and
    the verdict is ``incorrect`` if the trees differ.

    Args:
        rules: ``etm`` (``tree_match:etm``) uses the published rules of enhanced tree matching on
            the syntax tree instead; these ignore ties, NULL in operands, and tables that occur
            twice.

    Source: Ascoli et al. 2025 (ETM, enhanced tree matching) for the idea and for ``etm``.
    """

    name: ClassVar[str] = "tree_match"
    version: ClassVar[int] = 5
    needs: ClassVar[Needs] = Needs.REFERENCE | Needs.SCHEMA
    variant: ClassVar[str] = "rules"

    rules: str = ""

    def __post_init__(self) -> None:
        """Raises ValueError for unknown rules."""
        if self.rules not in _RULES:
            raise ValueError(f"there are no rules {self.rules!r}; known: etm")

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """``correct`` if any reference has the same tree."""
        return self._by_etm(case, evidence) if self.rules == "etm" else _verified(case, evidence)

    def _by_etm(self, case: Case, evidence: Evidence) -> Verdict:
        from sqljury.equivalence.etm import etm_form
        from sqljury.trees.nodes import Unreadable

        schema = evidence.schema()
        assert schema is not None  # needs SCHEMA

        def read(sql: str) -> object:
            form = etm_form(sql, schema, evidence.dialect)
            return form or Unreadable("it cannot be parsed", "syntax")

        return compared(case, read, lambda one, other: _verdict(one == other))


def _verdict(equal: bool) -> Verdict:
    if equal:
        return Verdict.correct("the trees are equal after rewrites")
    return Verdict.incorrect("the trees differ after rewrites")


def _verified(case: Case, evidence: Evidence) -> Verdict:
    from sqljury.equivalence.canonical import canonical, columns_sorted
    from sqljury.trees.context import Assumption, Context
    from sqljury.trees.explicit_collation import exact_schema, with_collations

    schema = evidence.schema()
    assert schema is not None  # needs SCHEMA
    keys = frozenset((Assumption.PRIMARY_KEY, Assumption.FOREIGN_KEY))
    context = Context(schema, evidence.dialect, keys)

    exact = replace(context, schema=exact_schema(schema), converts=False)

    def normal(tree: Relation) -> Relation | None:
        written = with_collations(tree, context)
        if written is None:
            return None
        return columns_sorted(canonical(written, exact), exact).relation

    def compare(prediction: Relation, reference: Relation) -> Verdict:
        ours, theirs = normal(prediction), normal(reference)
        return _verdict(prediction == reference or (ours is not None and ours == theirs))

    return compared(case, evidence.tree, compare)
