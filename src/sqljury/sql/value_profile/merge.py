"""Two profiles made one: data for a pair serves both of its queries."""

from __future__ import annotations

from itertools import chain
from typing import TypeVar

from sqljury.value_profile import ColumnUse, ValueProfile

T = TypeVar("T")


def merged_profiles(left: ValueProfile, right: ValueProfile) -> ValueProfile:
    """What either query needs; patterns stay apart, one for each query."""
    return ValueProfile(
        tables=_unique(left.tables, right.tables),
        columns={
            name: _merged(left.columns.get(name), right.columns.get(name))
            for name in chain(left.columns, (n for n in right.columns if n not in left.columns))
        },
        patterns=_unique(left.patterns, right.patterns),
        pools=_unique(left.pools, right.pools),
        counts=_unique(left.counts, right.counts),
        limits=_unique(left.limits, right.limits),
        unread=_unique(left.unread, right.unread),
        random=left.random or right.random,
        any_rows=left.any_rows or right.any_rows,
        cuts_ties=left.cuts_ties or right.cuts_ties,
        fragile=left.fragile or right.fragile,
    )


def _merged(left: ColumnUse | None, right: ColumnUse | None) -> ColumnUse:
    if left is None or right is None:
        return left or right or ColumnUse()
    return ColumnUse(
        constants=_unique(left.constants, right.constants),
        likes=_unique(left.likes, right.likes),
        globs=_unique(left.globs, right.globs),
        numeric=left.numeric or right.numeric,
        dated=left.dated or right.dated,
        formats=_unique(left.formats, right.formats),
    )


def _unique(*parts: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(chain(*parts)))
