"""Is the prediction's canonical operator tree that of the reference?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.base import Needs, register
from sqljury.judges.comparing import compared
from sqljury.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from sqljury.queries.trees.context import Assumption
    from sqljury.queries.trees.nodes import Relation

_PERMUTED = "columns_permuted"


@register
@dataclass(frozen=True)
class Canonical:
    """Proof by rewriting: equal canonical trees give equal rows wherever the assumptions hold.

    ``correct`` with the least list of assumptions (none, primary key, foreign key, not null, no
    ties, types) if the trees are equal; otherwise ``unknown``, as unequal trees prove nothing.
    Rows are compared as bags, as sequences where the query orders them; constants with case.

    Args:
        permuted: also accept output columns in another order; it is a label either way.
    """

    name: ClassVar[str] = "canonical"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.REFERENCE | Needs.SCHEMA

    permuted: bool = False

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """Correct if any reference has the same canonical tree."""
        from sqljury.queries.canonical import trees_equal_under

        schema = evidence.schema()
        assert schema is not None  # needs SCHEMA

        def compare(prediction: Relation, reference: Relation) -> Verdict:
            sides = (reference, prediction, schema, evidence.dialect)
            found = trees_equal_under(*sides)
            if found is not None:
                return _proved(found)
            found = trees_equal_under(*sides, permuted=True)
            if found is None:
                return Verdict(outcome=Outcome.UNKNOWN, reason="the canonical trees differ")
            return _proved(found, _PERMUTED) if self.permuted else _only_permuted()

        return compared(case, evidence.tree, compare)


def _proved(assumed: frozenset[Assumption], *labels: str) -> Verdict:
    names = sorted(assumed)
    said = f" assuming {', '.join(names)}" if names else ""
    how = ", up to the order of columns" if labels else ""
    return Verdict.correct(
        f"the canonical trees are equal{how}{said}", labels=labels, evidence={"assumptions": names}
    )


def _only_permuted() -> Verdict:
    reason = "the canonical trees are equal up to the order of columns"
    return Verdict(outcome=Outcome.UNKNOWN, reason=reason, labels=(_PERMUTED,))
