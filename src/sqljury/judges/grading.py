"""A graded score for a pair of queries, from what generated databases show of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Final

from sqljury.judges.counterexample import Look, Search

if TYPE_CHECKING:
    from sqljury.databases.generated import DataProfile

# How much a difference on such data weighs, from 0 to 1. Chosen on one half of labelled pairs
# (identifiers by hash), by looking at which differences people call one.
_COUNTED: Final[dict[str, float]] = {
    "clean": 1.0,
    "duplicates": 0.9,
    "foreign_keys_violated": 0.8,
    "nulls": 0.7,
    "keys_violated": 0.7,
    "edge_values": 0.5,
}
_NOT_COUNTED: Final[dict[str, float]] = {"nulls": 0.5, "keys_violated": 0.35}
_DEFAULT_NOT_COUNTED: Final = 0.5
_SLIGHT: Final = 0.4
_RARE: Final = 0.4
"""What is left of the weight where only one database of very many differs."""
_CONVINCED: Final = 3
"""So many informative databases without a difference halve the doubt."""
_CHANCE: Final = 0.3
"""How much is lost where chance decided on many databases."""


def graded(search: Search, profiles: Collection[DataProfile]) -> float:
    """The score, in [0, 1]: above one half iff no database of the profiles tells them apart.

    Refuted: one half, less the more a difference weighs: on clean data more than where foreign
    keys are violated, on many databases more than on a few, a slight one (other types, no row
    against NULL) less. Not refuted: one half and more, the more databases were informative; less
    again where profiles that do not count differ, or where chance decided.
    """
    counted = max(
        (_COUNTED[kind] * _weight(looks) for kind, looks in _by_profile(search, profiles)),
        default=0.0,
    )
    if counted:
        return 0.5 * (1 - counted)
    others = {look.plan.profile for look in search.looks} - set(profiles)
    outside = max(
        (
            _NOT_COUNTED.get(kind, _DEFAULT_NOT_COUNTED) * _weight(looks)
            for kind, looks in _by_profile(search, others)
        ),
        default=0.0,
    )
    agreeing = sum(1 for look in search.looks if look.equal and look.informative)
    undecided = sum(1 for look in search.looks if look.equal is None)
    trust: float = (1 - 0.5 ** (agreeing / _CONVINCED)) * (1 - outside)
    return 0.5 + 0.5 * trust * (1 - _CHANCE * min(1, undecided / 4))


def _by_profile(
    search: Search, profiles: Collection[DataProfile]
) -> list[tuple[DataProfile, list[Look]]]:
    return [(kind, search.tried(kind)) for kind in sorted(profiles)]


def _weight(looks: Sequence[Look]) -> float:
    """How much the differences among some databases weigh together."""
    weights = [_SLIGHT if look.slight else 1.0 for look in looks if look.equal is False]
    if not weights:
        return 0.0
    share = min(1.0, 2 * sum(weights) / len(looks))
    return (_RARE + (1 - _RARE) * share) * max(weights)
