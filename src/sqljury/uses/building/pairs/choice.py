"""Which labelled pairs are kept: balanced, each once, split by database."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from sqljury.sql import features
from sqljury.uses.building.chance import place
from sqljury.uses.building.pairs.labels import IDENTITY
from sqljury.uses.building.pairs.pair import GIVEN, LabelledPair

TRAIN, VALIDATION = "train", "validation"
_HARD = 0.25
"""The share of equivalent pairs that no canonical form makes equal, at most."""
_SHAPE = ("cte", "nesting", "distinct", "grouping", "joins")
"""Features that pairs of either label have equally often."""
_VALIDATION = 0.1
"""The share of pairs whose databases are held out."""


def chosen(
    labelled: Iterable[LabelledPair], form: Callable[[str, str], str], *, most: int, seed: int
) -> list[LabelledPair]:
    """As many equivalent pairs as others, at most so many, in an order of chance.

    Pairs that somebody had are all kept. Among equivalent ones those that no canonical form makes
    equal come first, up to a quarter. For each there is another one whose prediction is of the
    same shape. A pair whose queries do the same in the same way, or that does what another one
    does, is left out.

    Args:
        form: what all queries on a database share that do the same in the same way.
    """
    every = sorted(labelled, key=lambda one: place(seed, "pair", one.pair.id))
    given = [one for one in every if one.pair.origin == GIVEN and one.label is not None]
    made = [one for one in every if one.pair.origin != GIVEN]
    alike = [one for one in made if one.label is True]
    different = [one for one in made if one.label is False]
    room = max(0, most - len(given)) // 2
    alike = _once(_hard_first(alike, room), form)
    different = _once(different, form)
    kept = [one for pair in list(_matched(alike, different))[:room] for one in pair]
    return sorted([*given, *kept], key=lambda one: place(seed, "order", one.pair.id))


def _hard_first(alike: Sequence[LabelledPair], room: int) -> list[LabelledPair]:
    hard = [one for one in alike if one.how != IDENTITY][: round(_HARD * room)]
    return [*hard, *(one for one in alike if one.how == IDENTITY)]


def _matched(
    alike: Sequence[LabelledPair], different: Sequence[LabelledPair]
) -> Iterator[tuple[LabelledPair, LabelledPair]]:
    """Each equivalent pair with another one whose prediction is of the same shape.

    Else the shape would give the label away: rewrites nest queries, mistakes mostly do not.
    """
    waiting: dict[tuple[str, ...], deque[LabelledPair]] = {}
    for one in different:
        waiting.setdefault(_shape(one), deque()).append(one)
    for one in alike:
        others = waiting.get(_shape(one))
        if others:
            yield one, others.popleft()


def _shape(one: LabelledPair) -> tuple[str, ...]:
    """How a prediction nests queries and what its clauses are."""
    return tuple(name for name in features(one.pair.prediction) if name.startswith(_SHAPE))


def _once(pairs: Sequence[LabelledPair], form: Callable[[str, str], str]) -> list[LabelledPair]:
    """The pairs, none twice."""
    found: dict[tuple[str, str, str], LabelledPair] = {}
    for one in pairs:
        pair = one.pair
        key = (pair.db_id, form(pair.db_id, pair.reference), form(pair.db_id, pair.prediction))
        if key[1] != key[2]:
            found.setdefault(key, one)
    return list(found.values())


def splits(pairs: Sequence[LabelledPair], *, seed: int) -> dict[str, str]:
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
