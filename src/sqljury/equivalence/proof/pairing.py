"""Two blocks give the same rows, each as often, if their inputs can be paired.

Source: Zhou et al. 2022 (SPES), section 5: a bijection between the tables of two blocks under which
the conditions are equivalent and the outputs equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from sqljury.equivalence.proof.blocks import ProofBlock
from sqljury.equivalence.proof.rows import joined, rows_of
from sqljury.equivalence.proof.session import Columns, Matched, ProofSession, Session
from sqljury.equivalence.proof.values import Frames
from sqljury.trees.nodes import Expression

_MOST_PAIRINGS = 120


def equal(
    prover: ProofSession,
    one: ProofBlock,
    other: ProofBlock,
    session: Session,
    around: tuple[Frames, Frames],
    loose: bool = False,
) -> bool:
    """Whether two blocks give the same rows, each as often."""
    return any(
        same_values(prover, found, one.outputs, other.outputs, loose)
        for found in pairings(prover, one, other, session, around)
    )


def same_values(
    prover: ProofSession,
    found: Matched,
    ones: Sequence[Expression],
    others: Sequence[Expression],
    loose: bool,
) -> bool:
    """Whether expressions have the same values in paired rows, one by one."""
    return len(ones) == len(others) and all(
        prover.same_value(
            prover.terms.value(a, found.left),
            prover.terms.value(b, found.right),
            found.session,
            loose,
        )
        for a, b in zip(ones, others, strict=True)
    )


def pairings(
    prover: ProofSession,
    one: ProofBlock,
    other: ProofBlock,
    session: Session,
    around: tuple[Frames, Frames],
) -> Iterator[Matched]:
    """The ways to pair the inputs of two blocks so that their conditions are equivalent."""
    if len(one.inputs) != len(other.inputs):
        return
    options = [
        [
            (place, columns)
            for place, a in enumerate(one.inputs)
            if (columns := prover.columns(a, b, session, around)) is not None
        ]
        for b in other.inputs
    ]
    if not all(options):
        return
    for choice in islice(_injective(options), _MOST_PAIRINGS):
        inside = Session(session)
        mine = rows_of(prover, one, around[0], inside)
        left = joined(mine, around[0])
        like = [(mine[place], columns) for place, columns in choice]
        right = joined(rows_of(prover, other, around[1], inside, like), around[1])
        found = _equivalent(prover, one, other, Matched(inside, left, right, choice))
        if found is not None:
            yield found


def _equivalent(
    prover: ProofSession, one: ProofBlock, other: ProofBlock, found: Matched
) -> Matched | None:
    """The pairing with the conditions as facts, if they are equivalent."""
    left = [prover.terms.truth(c, found.left).true for c in one.conditions]
    right = [prover.terms.truth(c, found.right).true for c in other.conditions]
    for given, goals in ((left, right), (right, left)):
        inside = Session(found.session, list(given))
        if not all(prover.follows(inside, goal) for goal in goals):
            return None
    return replace(found, session=Session(found.session, left + right))


def _injective(
    options: list[list[tuple[int, Columns]]], taken: frozenset[int] = frozenset()
) -> Iterator[tuple[tuple[int, Columns], ...]]:
    """One option of each list, no place twice."""
    if not options:
        yield ()
        return
    for place, columns in options[0]:
        if place not in taken:
            for rest in _injective(options[1:], taken | {place}):
                yield ((place, columns), *rest)
