"""Subqueries in conditions: unknowns to z3, which is told what they have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import z3

from sqljury.equivalence.proof.blocks import ProofBlock
from sqljury.equivalence.proof.containment import witnessed
from sqljury.equivalence.proof.rows import is_empty, opened_blocks, taken
from sqljury.equivalence.proof.session import ProofSession, Session
from sqljury.equivalence.proof.values import Asked, Truth, Value, same
from sqljury.trees.nodes import Limit, SubqueryKind
from sqljury.trees.properties import properties
from sqljury.trees.walk import relations

_MOST_LINKS = 24


def asked_in(prover: ProofSession, formulas: Sequence[z3.BoolRef]) -> list[Asked]:
    """The subqueries whose unknowns occur in formulas."""
    names = set(_names(formulas))
    return [each for each in prover.terms.asked.values() if each.name in names]


def links(prover: ProofSession, asked: list[Asked], session: Session) -> list[z3.BoolRef]:
    """What z3 is told of subqueries: which are equal, and which follow from others."""
    names = {each.name for each in asked}
    plain = Session(None, [f for f in session.all_facts() if not names & set(_names([f]))])
    plain.instances = session.all_instances()
    prover.depth += 1
    try:
        return list(islice(_each_link(prover, asked, plain), _MOST_LINKS))
    finally:
        prover.depth -= 1


def _each_link(prover: ProofSession, asked: list[Asked], plain: Session) -> Iterator[z3.BoolRef]:
    given = z3.And(*plain.all_facts())
    for one in asked:
        if one.subquery.kind is not SubqueryKind.EXISTS:
            continue
        if _exists(prover, None, one, plain):
            yield z3.Implies(given, _true(one))
        elif _never(prover, one, plain):
            yield z3.Implies(given, z3.Not(_true(one)))
        for other in asked:
            both = other is not one and other.subquery.kind is SubqueryKind.EXISTS
            if both and _exists(prover, other, one, plain):
                yield z3.Implies(z3.And(given, _true(other)), _true(one))
    for place, one in enumerate(asked):
        for other in asked[:place]:
            if one.subquery.kind is other.subquery.kind and _agree(prover, one, other, plain):
                yield z3.Implies(given, _agreeing(one, other))


def _never(prover: ProofSession, asked: Asked, plain: Session) -> bool:
    """Whether a subquery has no rows."""
    blocks = opened_blocks(prover, asked.subquery.relation, asked.around)
    return all(is_empty(prover, block, asked.around, plain) for block in blocks)


def _exists(prover: ProofSession, given: Asked | None, wanted: Asked, plain: Session) -> bool:
    """Whether a subquery has a row, given that another has one."""
    if any(isinstance(r, Limit) for r in relations(wanted.subquery.relation)):
        return False
    goals = opened_blocks(prover, wanted.subquery.relation, wanted.around)
    starts = [ProofBlock((), (), ())]
    if given is not None:
        starts = opened_blocks(prover, given.subquery.relation, given.around)
    for start in starts:
        inside = Session(plain)
        taken(prover, start, given.around if given is not None else (), inside)
        if not any(witnessed(prover, goal, wanted.around, inside) for goal in goals):
            return False
    return True


def _agree(prover: ProofSession, one: Asked, other: Asked, plain: Session) -> bool:
    around = (one.around, other.around)
    left, right = one.subquery.relation, other.subquery.relation
    if one.subquery.kind is SubqueryKind.SCALAR:
        single = all(properties(r, prover.context).unique(()) for r in (left, right))
        return single and prover.bags(left, right, plain, around)
    if one.subquery.kind is SubqueryKind.IN:
        operands = zip(one.operands, other.operands, strict=True)
        return (
            len(one.operands) == len(other.operands)
            and all(prover.same_value(a, b, plain) for a, b in operands)
            and prover.sets(left, right, plain, around)
        )
    return False


def _names(formulas: Sequence[z3.ExprRef]) -> Iterator[str]:
    seen: set[int] = set()
    waiting = list(formulas)
    while waiting:
        term = waiting.pop()
        if term.get_id() in seen:
            continue
        seen.add(term.get_id())
        if z3.is_const(term) and term.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            yield term.decl().name()
        waiting += term.children()


def _true(asked: Asked) -> z3.BoolRef:
    assert isinstance(asked.symbol, Truth)
    return asked.symbol.true


def _agreeing(one: Asked, other: Asked) -> z3.BoolRef:
    a, b = one.symbol, other.symbol
    if isinstance(a, Value) and isinstance(b, Value):
        return same(a, b)
    assert isinstance(a, Truth) and isinstance(b, Truth)
    return z3.And(a.true == b.true, a.false == b.false)
