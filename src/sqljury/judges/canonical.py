"""Proof of equivalence by equal canonical operator trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.base import Judge, Needs, register
from sqljury.judges.comparing import compared
from sqljury.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from sqljury.trees.context import Assumption
    from sqljury.trees.nodes import Relation

_PERMUTED = "columns_permuted"


@register
@dataclass(frozen=True)
class CanonicalEquality(Judge):
    """Proof by rewriting: equal canonical trees give equal rows wherever the assumptions hold.

    ``correct``, with the assumptions that the proof needs, if the trees are equal; otherwise
    ``unknown``, as unequal trees prove nothing. Equal rows are equal bags, or equal sequences if
    the query orders them; the case of constants counts.

    Args:
        permuted: also accept output columns in another order; there is a label for that either
            way.
        assuming: the assumptions that a proof may make, joined by ``+``: ``primary_key``,
            ``foreign_key``, ``not_null``, ``types``, ``no_ties``, ``not_empty``; or ``declared``
            (keys and types), ``all``, ``nothing``.
    """

    name: ClassVar[str] = "canonical"
    version: ClassVar[int] = 5
    needs: ClassVar[Needs] = Needs.REFERENCE | Needs.SCHEMA

    permuted: bool = False
    assuming: str = "declared"

    def __post_init__(self) -> None:
        """Raises ValueError for assumptions that do not exist."""
        assumptions(self.assuming)

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """``correct`` if any reference has the same canonical tree."""
        from sqljury.equivalence.canonical import equality

        schema = evidence.schema()
        assert schema is not None  # needs SCHEMA
        assuming = assumptions(self.assuming)
        chance = self.assuming == "declared"

        def compare(prediction: Relation, reference: Relation) -> Verdict:
            sides = (reference, prediction, schema, evidence.dialect)
            found = equality(*sides, assuming=assuming, chance=chance)
            if found is not None:
                return _proved(found.assumptions)
            found = equality(*sides, permuted=True, assuming=assuming, chance=chance)
            if found is None:
                return Verdict(outcome=Outcome.UNKNOWN, reason="the canonical trees differ")
            if self.permuted:
                return _proved(found.assumptions, _PERMUTED)
            reason = "the canonical trees are equal up to the order of columns"
            return Verdict(outcome=Outcome.UNKNOWN, reason=reason, labels=(_PERMUTED,))

        return compared(case, evidence.tree, compare)


def assumptions(text: str) -> frozenset[Assumption]:
    """The assumptions that an option names.

    Raises:
        ValueError: there is no such assumption.
    """
    from sqljury.trees.context import ALL_ASSUMPTIONS, DECLARED_ASSUMPTIONS, Assumption

    sets = {
        "declared": DECLARED_ASSUMPTIONS,
        "all": ALL_ASSUMPTIONS,
        "nothing": frozenset[Assumption](),
    }
    if text in sets:
        return sets[text]
    known = {each.name.lower(): each for each in Assumption}
    names = text.split("+")
    wrong = [name for name in names if name not in known]
    if wrong:
        raise ValueError(
            f"there is no assumption {wrong[0]!r}; known: {', '.join([*sets, *known])}"
        )
    return frozenset(known[name] for name in names)


def _proved(assumed: frozenset[Assumption], *labels: str) -> Verdict:
    names = sorted(each.value for each in assumed)
    said = f" assuming {', '.join(names)}" if names else ""
    how = ", up to the order of columns" if labels else ""
    return Verdict.correct(
        f"the canonical trees are equal{how}{said}", labels=labels, evidence={"assumptions": names}
    )
