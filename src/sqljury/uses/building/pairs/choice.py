"""Which labelled pairs are kept: balanced, each once, split by database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sqljury.uses.building.chance import place
from sqljury.uses.building.pairs.labels import IDENTITY
from sqljury.uses.building.pairs.pair import GIVEN, Labelled

TRAIN, VALIDATION = "train", "validation"
_HARD = 0.25
_VALIDATION = 0.1
"""The share of pairs whose databases are held out."""


def chosen(
    labelled: Iterable[Labelled], form: Callable[[str, str], str], *, most: int, seed: int
) -> list[Labelled]:
    """As many equivalent pairs as others, at most so many, in an order of chance.

    Pairs that somebody had are all kept. Among equivalent ones those that no canonical form makes
    equal come first, up to a quarter. A pair whose queries do the same in the same way, or that
    does what another one does, is left out.

    Args:
        form: what all queries on a database share that do the same in the same way.
    """
    every = sorted(labelled, key=lambda one: place(seed, "pair", one.pair.id))
    given = [one for one in every if one.pair.origin == GIVEN and one.label is not None]
    made = [one for one in every if one.pair.origin != GIVEN]
    alike = [one for one in made if one.label is True]
    others = [one for one in made if one.label is False]
    each = min(len(alike), len(others), max(0, most - len(given)) // 2)
    hard = [one for one in alike if one.how != IDENTITY][: round(_HARD * each)]
    plain = [one for one in alike if one.how == IDENTITY]
    same = _once([*hard, *plain], form, each)
    different = _once(others, form, len(same))
    kept = [*given, *same[: len(different)], *different]
    return sorted(kept, key=lambda one: place(seed, "order", one.pair.id))


def _once(pairs: Sequence[Labelled], form: Callable[[str, str], str], most: int) -> list[Labelled]:
    """The first pairs, none twice."""
    found: dict[tuple[str, str, str], Labelled] = {}
    for one in pairs:
        if len(found) == most:
            break
        pair = one.pair
        key = (pair.db_id, form(pair.db_id, pair.reference), form(pair.db_id, pair.prediction))
        if key[1] != key[2]:
            found.setdefault(key, one)
    return list(found.values())


def splits(pairs: Sequence[Labelled], *, seed: int) -> dict[str, str]:
    """The split of each database: whole databases are held out, until a tenth of the pairs is.

    With one database there is nothing to hold out.
    """
    counts: dict[str, int] = {}
    for one in pairs:
        counts[one.pair.db_id] = counts.get(one.pair.db_id, 0) + 1
    found = dict.fromkeys(counts, TRAIN)
    held = 0
    for db_id in sorted(counts, key=lambda name: place(seed, "database", name)):
        if held >= _VALIDATION * len(pairs) or len(counts) < 2:
            break
        found[db_id] = VALIDATION
        held += counts[db_id]
    return found
