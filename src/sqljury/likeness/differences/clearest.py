"""The clearest way to tell what two queries do differently."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from sqljury.likeness.differences.blocks import Clause
from sqljury.likeness.differences.compare import differences
from sqljury.likeness.differences.kinds import Difference, DifferenceKind
from sqljury.likeness.differences.ranking import distance, ranked
from sqljury.trees.nodes import Distinct, Limit, Project, Relation, SetOperation, Sort

Trees = tuple[Relation, Relation]
"""The prediction's, the reference's."""

_MARGIN: Final = 1.0
"""The trees as written may differ in what does not matter, so they must be much clearer."""


@dataclass(frozen=True, slots=True)
class Views:
    """Two queries in three ways."""

    written: Trees
    """As they are written."""
    declared: Callable[[], Trees]
    """Canonical, assuming no more than the schema declares; asked for where NULL matters."""
    canonical: Trees
    """Canonical, assuming all that rules may assume."""


def clearest(views: Views, *, equal: bool = False) -> tuple[Difference, ...]:
    """What the prediction does differently, told from the trees that have less to tell.

    The canonical trees say only what matters, but rewriting may take two queries apart that are
    written alike. It may also assume that nothing ties and nothing is NULL; where one query asks
    for that and the other does not, it is told.

    Args:
        equal: the canonical trees are the same; what they assume is all that may be told.
    """
    found, plain = differences(*views.canonical), differences(*views.written)
    assumed = [each for each in plain if each.kind is DifferenceKind.TIES]
    nulls = list(filter(_is_about_null, plain))
    if nulls:
        declared = differences(*views.declared())
        assumed += [each for each in nulls if each in declared]
    if equal:
        return ranked([*found, *assumed])
    never = [each for each in found if each.kind is DifferenceKind.NEVER]
    margin = 0 if never or assumed else _MARGIN
    much_clearer = not found or distance(found) >= distance(plain) + margin
    if plain and (much_clearer or _is_said_alike(found, plain)):
        found = plain
    return ranked([*never, *assumed, *_repeats_that_show(found, views.written)])


def _is_said_alike(found: Sequence[Difference], plain: Sequence[Difference]) -> bool:
    """Whether both tell as much of the same clauses: then the words of the queries are better."""
    clauses = [sorted((each.clause, each.inside != "") for each in side) for side in (found, plain)]
    return clauses[0] == clauses[1] and distance(plain) <= distance(found)


def _is_about_null(difference: Difference) -> bool:
    """A condition that leaves out NULL, or asks for it, and that only one query has."""
    text = difference.reference or difference.prediction or ""
    one_sided = difference.kind in (DifferenceKind.MISSING, DifferenceKind.EXTRA)
    alone = not difference.inside and "(" not in text
    return one_sided and alone and text.endswith((" IS NULL", " IS NOT NULL"))


def _repeats_that_show(found: Iterable[Difference], written: Trees) -> list[Difference]:
    """Without DISTINCT where both queries give each row once: a key made it superfluous in one."""
    once = all(map(_gives_each_once, written))
    return [
        each
        for each in found
        if not (once and each.kind is DifferenceKind.REPEATS and each.clause is Clause.DISTINCT)
    ]


def _gives_each_once(relation: Relation) -> bool:
    while isinstance(relation, Sort | Limit | Project):
        relation = relation.input
    return isinstance(relation, Distinct) or (
        isinstance(relation, SetOperation) and not relation.all
    )
