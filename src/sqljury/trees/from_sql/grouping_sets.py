"""The grouping sets of a GROUP BY with ROLLUP, CUBE or GROUPING SETS.

A SELECT with grouping sets returns the groups of each set, one set after the other, with NULL for
keys that the set lacks.

Source: SQL:1999, section 7.9; PostgreSQL's manual, section 7.2.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

from sqlglot import exp

from sqljury.trees.from_sql.reading import unsupported

_MOST = 64
"""Sets of one GROUP BY: a CUBE of six keys."""

Keys = tuple[exp.Expr, ...]


def grouping_sets(group: exp.Group) -> list[Keys] | None:
    """The keys of each set; None for a GROUP BY without grouping sets.

    Raises:
        NoTreeError: there are more than 64 sets, or MySQL's WITH ROLLUP.
    """
    for key in ("grouping_sets", "cube", "rollup"):
        if group.args.get(key):
            # MySQL's WITH ROLLUP has no total if there are no rows.
            raise unsupported(key.upper().replace("_", " "))
    if not any(isinstance(part, _SETS) for part in group.expressions):
        return None
    parts = map(_sets, group.expressions)
    found = [tuple(key for keys in choice for key in keys) for choice in product(*parts)]
    if len(found) > _MOST:
        raise unsupported(f"more than {_MOST} grouping sets")
    return found


_SETS = (exp.Rollup, exp.Cube, exp.GroupingSets)


def _sets(part: exp.Expr) -> list[Keys]:
    """The sets of one element of GROUP BY: a single one for a plain key."""
    match part:
        case exp.Rollup() | exp.Cube():
            kind = "rollup" if isinstance(part, exp.Rollup) else "cube"
            return _combined(kind, [_keys(element) for element in part.expressions])
        case exp.GroupingSets():
            return [keys for element in part.expressions for keys in _sets(element)]
    return [_keys(part)]


def _combined(kind: str, elements: Sequence[Keys]) -> list[Keys]:
    """The prefixes of the elements for ROLLUP, all their subsets for CUBE."""
    if kind == "cube" and len(elements) > _MOST.bit_length():
        raise unsupported(f"more than {_MOST} grouping sets")
    sizes = range(len(elements), -1, -1)
    chosen: list[Sequence[Keys]] = (
        [elements[:size] for size in sizes]
        if kind == "rollup"
        else [found for size in sizes for found in combinations(elements, size)]
    )
    return [tuple(key for keys in found for key in keys) for found in chosen]


def _keys(element: exp.Expr) -> Keys:
    """The keys of an element: those of ``(a, b)``, or the element itself."""
    match element:
        case exp.Tuple():
            return tuple(element.expressions)
        case exp.Paren():
            return (element.this,)
    return (element,)
