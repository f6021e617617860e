"""Which databases are generated: their profiles, sizes and seeds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from sqljury.databases.generated.edges import Traps
from sqljury.databases.generated.material import Material
from sqljury.value_profile import ValueProfile


class DataProfile(StrEnum):
    """Which rules the rows of a generated database keep or break."""

    CLEAN = "clean"
    """All keys and foreign keys hold, nothing is NULL, no two rows of a table are equal."""
    NULLS = "nulls"
    """As clean, but nullable columns are sometimes NULL."""
    DUPLICATES = "duplicates"
    """As clean, but tables without a key may have equal rows."""
    FOREIGN_KEYS_VIOLATED = "foreign_keys_violated"
    """As clean, but some foreign keys refer to rows that do not exist."""
    KEYS_VIOLATED = "keys_violated"
    """As clean, but some key values occur twice."""
    EDGE_VALUES = "edge_values"
    """As clean, but with rare values: negative numbers, fractions, '01' together with '1',
    texts that differ in case, texts mixed with numbers if no type is declared."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How one database is generated.

    Args:
        tuples: how often a pattern is instantiated (one row per table of the pattern).
        wide: use many different values, so that there are few ties.
        aimed: rows fulfil all conditions; otherwise one condition is broken half of the time.
        missed: all conditions are broken, so that few or no rows pass.
        group: number of rows of the first group; the next has one more, the third one fewer, all
            for one query's pattern; 0 for random sizes.
        unlike: one group is larger than each other one, but smaller than two of them together.
        empty: one table stays empty.
        edges: use edge-case values.
        traps: include the edge cases that break proofs.
        besides: further profiles whose rules the rows may break.
    """

    profile: DataProfile
    seed: int
    tuples: int
    wide: bool = False
    aimed: bool = False
    missed: bool = False
    group: int = 0
    unlike: bool = False
    empty: bool = False
    edges: bool = False
    traps: Traps | None = None
    besides: frozenset[DataProfile] = frozenset()

    @property
    def licence(self) -> frozenset[DataProfile]:
        """All profiles whose rules the rows may break."""
        return self.besides | {self.profile}


_LARGEST = 130
"""Generate at most this many rows to reach a LIMIT or a count."""


def plans_for(
    material: Material, profiles: Iterable[DataProfile] = DataProfile, *, seed: int = 0
) -> list[Plan]:
    """The databases to generate, grouped by profile, cheapest first.

    A profile that the tables do not allow (no keys, no foreign keys, …) gets none.
    """
    return [
        replace(plan, seed=seed * 1000 + number)
        for kind in profiles
        if _has_room(material, kind)
        for number, plan in enumerate(_plans(material.profile, kind))
    ]


def _has_room(material: Material, kind: DataProfile) -> bool:
    relations = material.relations.values()
    if kind is DataProfile.NULLS:
        return any(cell.nullable for relation in relations for _, cell in relation.used)
    if kind is DataProfile.DUPLICATES:
        return any(not relation.keys for relation in relations)
    if kind is DataProfile.FOREIGN_KEYS_VIOLATED:
        return any(relation.references for relation in relations)
    if kind is DataProfile.KEYS_VIOLATED:
        return any(relation.keys for relation in relations)
    # Edge-case values are tried only if nothing else shows a difference: see further_plans.
    return kind is not DataProfile.EDGE_VALUES


def _plans(profile: ValueProfile, kind: DataProfile) -> Iterator[Plan]:
    yield Plan(kind, 0, tuples=1, aimed=True)
    yield Plan(kind, 0, tuples=2, aimed=True, wide=True)
    yield Plan(kind, 0, tuples=4)
    yield Plan(kind, 0, tuples=6, wide=True)
    yield Plan(kind, 0, tuples=6, group=2)
    yield Plan(kind, 0, tuples=9, wide=True, group=3)
    if kind is DataProfile.CLEAN:
        yield from _clean_plans(profile, kind)


def _clean_plans(profile: ValueProfile, kind: DataProfile) -> Iterator[Plan]:
    for number in range(4):
        yield Plan(kind, 0, tuples=3 + number, wide=number % 2 == 0)
        yield Plan(kind, 0, tuples=5 + 2 * number, wide=number % 2 == 1, aimed=number == 2)
    yield Plan(kind, 0, tuples=2, missed=True)
    yield Plan(kind, 0, tuples=3, missed=True, wide=True)
    yield Plan(kind, 0, tuples=3, empty=True)
    if any(pattern.groups for pattern in profile.patterns):
        for number in range(3):
            yield Plan(kind, 0, tuples=9 + 2 * number, group=3, aimed=number == 1)
        if profile.cuts_ties:
            yield from _largest_groups(kind, 6)
    for count in [c for c in profile.counts if 1 < c < _LARGEST][:2]:
        yield Plan(kind, 0, tuples=3 * count, group=count, wide=True, aimed=True)
        yield Plan(kind, 0, tuples=3 * count, group=count, wide=True, aimed=True)
    for limit in [n for n in profile.limits if 3 < n < _LARGEST][:2]:
        yield Plan(kind, 0, tuples=limit + 2, wide=True, aimed=True)
        yield Plan(kind, 0, tuples=limit + 1, aimed=True)


def further_plans(
    material: Material, profiles: Iterable[DataProfile] = DataProfile, *, seed: int = 0
) -> list[Plan]:
    """Databases to try if those of :func:`plans_for` show no difference: for queries that keep the
    first rows of an order, where few databases show a difference, and with rare values."""
    profiles = frozenset(profiles)
    plans: list[Plan] = []
    if material.profile.cuts_ties:
        plans += _first_rows(material, profiles)
    if DataProfile.EDGE_VALUES in profiles:
        plans += _edge_plans(profiles)
    return [replace(plan, seed=seed * 1000 + 500 + i) for i, plan in enumerate(plans)]


TRAP_PLANS = 20


def trap_plans(
    besides: frozenset[DataProfile], traps: Traps, *, empty: bool = True, seed: int = 0
) -> Iterator[Plan]:
    """Small databases full of values that break proofs: ties, NULLs, equal rows, similar values.

    Args:
        besides: further profiles whose rules the rows may break.
        empty: a table may have no rows.
    """
    for n in range(TRAP_PLANS):
        yield Plan(
            DataProfile.EDGE_VALUES,
            seed * 1000 + 700 + n,
            tuples=6 if n % 5 == 2 else 2 + n % 3,
            aimed=n % 4 == 0,
            group=3 if n % 5 == 2 else 0,
            empty=empty and n % 7 == 5,
            edges=n % 5 != 4,
            traps=traps._replace(untyped=traps.untyped and n % 2 == 1),
            besides=besides if n % 3 else frozenset(),
        )


def _first_rows(material: Material, profiles: frozenset[DataProfile]) -> Iterator[Plan]:
    groups = any(pattern.groups for pattern in material.profile.patterns)
    if DataProfile.CLEAN in profiles and groups:
        yield from _largest_groups(DataProfile.CLEAN, 30)
    kind = DataProfile.FOREIGN_KEYS_VIOLATED
    if kind in profiles and _has_room(material, kind):
        # The first row in the order has no partner in the other table.
        for n in range(12):
            yield Plan(kind, 0, tuples=2 + n % 4, wide=True, aimed=n % 2 == 0)


def _edge_plans(profiles: frozenset[DataProfile]) -> Iterator[Plan]:
    for n in range(24):
        yield Plan(DataProfile.EDGE_VALUES, 0, tuples=1 + n % 5, aimed=n % 4 == 0, edges=True)
    if DataProfile.NULLS in profiles:
        for n in range(4):
            yield Plan(DataProfile.NULLS, 0, tuples=1 + n, edges=True)


def _largest_groups(kind: DataProfile, many: int) -> Iterator[Plan]:
    for number in range(many):
        size = 2 + number // 2 % 2
        yield Plan(kind, 0, tuples=3 * size + 1, group=size, unlike=True, aimed=True)
