"""Equality of relations as bags: blocks are compared one by one, by pairing their inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

import z3

from sqljury.equivalence.proof.blocks import (
    ProofBlock,
    atom,
    either,
    reads_input,
    simplified,
    without_input,
)
from sqljury.equivalence.proof.rows import assume, is_empty, joined, reader_of, rows_of
from sqljury.equivalence.proof.session import Columns, Matched, ProofSession, Session
from sqljury.equivalence.proof.values import Frames, all_same
from sqljury.trees.nodes import Expression, Relation
from sqljury.trees.properties import properties
from sqljury.trees.walk import is_correlated, width

# ---------------------------------------------------------------- pairing
# Two blocks have the same bag of rows if their inputs can be paired.
#
# Source: Zhou et al. 2022 (SPES), section 5: a bijection between the tables of two blocks under
# which the conditions are equivalent and the outputs equal.


_MOST_PAIRINGS = 120


def equal(
    prover: ProofSession,
    one: ProofBlock,
    other: ProofBlock,
    session: Session,
    around: tuple[Frames, Frames],
    loose: bool = False,
) -> bool:
    """True if it is proved that two blocks have the same rows, each as often."""
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
    """True if it is proved that expressions, one by one, have the same values in paired rows."""
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
    """The pairing with both blocks' conditions as facts; None if they are not equivalent."""
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
    """All ways to take one option of each list with no place taken twice."""
    if not options:
        yield ()
        return
    for place, columns in options[0]:
        if place not in taken:
            for rest in _injective(options[1:], taken | {place}):
                yield ((place, columns), *rest)


# ---------------------------------------------------------------- bags
# Equality of relations as bags: their blocks are equal one by one.
#
# If they are not, blocks are simplified and compared again: an input with at most one matching row
# that no output reads becomes an EXISTS, and two blocks over the same rows whose conditions exclude
# each other become one.
#
# Source: Zhou et al. 2022 (SPES), sections 4 and 5.


def same_blocks(
    prover: ProofSession,
    left: Relation,
    right: Relation,
    session: Session,
    around: tuple[Frames, Frames],
    loose: bool,
) -> bool:
    """True if two relations provably have equal blocks, as read or after merging."""
    ones, others = (
        [b for b in reader_of(prover, frames).blocks(r) if not is_empty(prover, b, frames, session)]
        for r, frames in zip((left, right), around, strict=True)
    )
    if _each_equal(prover, ones, others, session, around, loose):
        return True
    merged = _fewer(prover, ones, around[0], session), _fewer(prover, others, around[1], session)
    if merged == (ones, others):
        return False
    return _each_equal(prover, *merged, session, around, loose)


def _each_equal(
    prover: ProofSession,
    ones: list[ProofBlock],
    others: list[ProofBlock],
    session: Session,
    around: tuple[Frames, Frames],
    loose: bool,
) -> bool:
    if len(ones) != len(others):
        return False
    others = list(others)
    for one in ones:
        found = next((b for b in others if equal(prover, one, b, session, around, loose)), None)
        if found is None:
            return False
        others.remove(found)
    return True


def _fewer(
    prover: ProofSession, blocks: list[ProofBlock], around: Frames, session: Session
) -> list[ProofBlock]:
    """Blocks with the same rows, simplified.

    Inputs that are only looked up become EXISTS; blocks that exclude each other become one.
    """
    waiting = [_looked_up(prover, block, around, session) for block in blocks]
    made: list[ProofBlock] = []
    while waiting:
        block = waiting.pop(0)
        for place, other in enumerate(waiting):
            whole = _either(prover, block, other, around, session)
            if whole is not None:
                waiting[place] = whole
                break
        else:
            made.append(block)
    return made


def _looked_up(
    prover: ProofSession, block: ProofBlock, around: Frames, session: Session
) -> ProofBlock:
    for place in reversed(range(len(block.inputs))):
        if len(block.inputs) > 1 and _is_looked_up(prover, block, place, around, session):
            block = without_input(simplified(block, reader_of(prover, around)), place)
    return block


def _is_looked_up(
    prover: ProofSession, block: ProofBlock, place: int, around: Frames, session: Session
) -> bool:
    """True if an input has at most one matching row for the others, and no output reads it."""
    relation = block.inputs[place]
    if reads_input(block, place) or is_correlated(relation):
        return False
    keys = properties(relation, prover.context).keys
    if not keys:
        return False
    inside = Session(session)
    rows = rows_of(prover, block, around, inside)
    again = list(rows)
    again[place] = rows_of(prover, atom(relation), around, inside)[0]
    for each in (rows, again):
        assume(prover, block.conditions, joined(each, around), inside)
    pairs = list(zip(rows[place].frame.values, again[place].frame.values, strict=True))
    return any(prover.follows(inside, all_same(pairs[i] for i in sorted(key))) for key in keys)


def _either(
    prover: ProofSession, one: ProofBlock, other: ProofBlock, around: Frames, session: Session
) -> ProofBlock | None:
    """One block for two over the same rows whose conditions are never both true; else None."""
    plain = replace(one, conditions=()), replace(other, conditions=())
    for found in pairings(prover, *plain, session, (around, around)):
        columns = _moved(one, found.choice)
        inside = Session(found.session)
        assume(prover, one.conditions, found.left, inside)
        assume(prover, other.conditions, found.right, inside)
        if columns is not None and prover.follows(inside, z3.BoolVal(False)):
            return either(one, other, columns)
    return None


def _moved(one: ProofBlock, choice: Sequence[tuple[int, Columns]]) -> list[int] | None:
    """For each column of the second block the paired column of the first; None if one has none."""
    starts = [sum(map(width, one.inputs[:place])) for place in range(len(one.inputs))]
    found: list[int] = []
    for place, columns in choice:
        for column in columns:
            if column is None:
                return None
            found.append(starts[place] + column)
    return found
