"""Expressions simplified by the rules, from the leaves up, until none applies.

The work is bounded: what a hostile expression leaves undone stays as it is, which is sound, as each
step is.
"""

from __future__ import annotations

from sqljury.equivalence.blocks.forms import (
    affinity,
    compared_as_it_is,
    integer,
    is_sqlite,
    truth_is_a_number,
)
from sqljury.equivalence.rules.base import CONDITION, EXPRESSION, Scope, Simplified
from sqljury.equivalence.rules.registry import RuleIndex, rules_of
from sqljury.sql.comparisons import COMPARISONS
from sqljury.trees.context import Assumption
from sqljury.trees.nodes import Call, Expression, Literal, Outer, Ref, Subquery
from sqljury.trees.walk import operands, with_operands

_MOST_STEPS = 2000
"""Rules applied to one expression."""
_LEAVES = (Ref, Outer)


def simplify(expression: Expression, scope: Scope) -> Simplified:
    """An expression with the same value in every row; relations inside are left alone."""
    return _simplified(expression, scope, condition=False)


def simplify_condition(expression: Expression, scope: Scope) -> Simplified:
    """A condition of which it only counts whether it is true, simplified: NULL may become false."""
    return _simplified(expression, scope, condition=True)


# The same expressions come again and again while a query is rewritten. By identity, as hashing them
# takes as long as simplifying them; what is in it is held, so no identity is given again.
_known: dict[tuple[int, bool], tuple[Expression, Scope, Simplified]] = {}
_MOST_KNOWN = 4096


def _simplified(expression: Expression, scope: Scope, *, condition: bool) -> Simplified:
    if isinstance(expression, _LEAVES) and not condition:
        return Simplified(expression)
    known = _known.get((id(expression), condition))
    if known is not None and _same_scope(known[1], scope):
        return known[2]
    found = _by_rules(expression, scope, condition)
    if len(_known) > _MOST_KNOWN:
        _known.clear()
    _known[id(expression), condition] = (expression, scope, found)
    done = Simplified(found.expression)
    _known[id(done.expression), condition] = (done.expression, scope, done)
    return found


def _same_scope(one: Scope, other: Scope) -> bool:
    same_context = one.context is other.context or one.context == other.context
    return same_context and one.row == other.row and one.outer == other.outer


def _by_rules(expression: Expression, scope: Scope, condition: bool) -> Simplified:
    run = _Run(scope)
    try:
        found = run.normal(expression, condition)
    except RecursionError:
        return Simplified(expression)
    if not condition:
        found = run.as_number(found)
    return Simplified(found, frozenset(run.assumed), tuple(run.applied))


_OF_VALUES = RuleIndex(rules_of(EXPRESSION))
_OF_CONDITIONS = RuleIndex((*rules_of(EXPRESSION), *rules_of(CONDITION)))
_JUNCTIONS = ("AND", "OR")
_TRUTHS = ("AND", "OR", "NOT", "IS FALSE")
_COMPARED = COMPARISONS | {"IS", "IN", "BETWEEN"}


class _Run:
    """One expression being simplified."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.assumed: set[Assumption] = set()
        self.applied: dict[str, None] = {}
        self.steps = _MOST_STEPS
        # By identity: expressions are hashed deeply. What is in it is held, so no identity is
        # given again.
        self.done: dict[tuple[int, bool], tuple[Expression, Expression]] = {}

    def normal(self, expression: Expression, condition: bool) -> Expression:
        """The expression with nothing left to do in it."""
        if isinstance(expression, _LEAVES) and not condition:
            return expression
        known = self.done.get((id(expression), condition))
        if known is not None:
            return known[1]
        now = self.parts(expression, condition)
        while (changed := self.step(now, condition)) is not None:
            now = self.parts(changed, condition)
        self.done[id(expression), condition] = (expression, now)
        self.done[id(now), condition] = (now, now)
        return now

    def step(self, expression: Expression, condition: bool) -> Expression | None:
        """What the first rule that applies makes of an expression."""
        name = expression.name if isinstance(expression, Call) else type(expression).__name__
        for rule in (_OF_CONDITIONS if condition else _OF_VALUES).of(name, expression):
            found = rule.apply(expression, self.scope)
            if found is None:
                continue
            if isinstance(found, Simplified):
                self.assumed |= found.assumed
                found = found.expression
            self.steps -= 1
            if self.steps <= 0:
                return None
            self.applied[rule.name] = None
            return found
        return None

    def parts(self, expression: Expression, condition: bool) -> Expression:
        """The same operator on simple operands."""
        old = operands(expression)
        if not old:
            return expression
        name = expression.name if isinstance(expression, Call) else ""
        new = tuple(
            self.normal(part, _is_condition(name, i, len(old), condition))
            for i, part in enumerate(old)
        )
        if name not in _TRUTHS:
            of_case = name == "CASE"
            new = tuple(
                part
                if of_case and _is_condition(name, i, len(new), False)
                else self.as_number(part)
                for i, part in enumerate(new)
            )
        if is_sqlite(self.scope) and self.scope.context.converts:
            new = self.guarded(expression, old, new)
        return with_operands(expression, new)

    def as_number(self, expression: Expression) -> Expression:
        """1 and 0 for TRUE and FALSE where they are the same."""
        if isinstance(expression, Literal) and isinstance(expression.value, bool):
            return integer(int(expression.value)) if truth_is_a_number(self.scope) else expression
        return expression

    def guarded(
        self, expression: Expression, old: tuple[Expression, ...], new: tuple[Expression, ...]
    ) -> tuple[Expression, ...]:
        """The new operands, but the old ones where SQLite would compare the new ones otherwise.

        ``x + 0`` has no affinity, x has: they are the same value, and not the same in a comparison.
        """
        if isinstance(expression, Subquery):
            keep = any(self.other_affinity(a, b) for a, b in zip(old, new, strict=True))
            return old if keep else new
        if not isinstance(expression, Call) or expression.name not in _COMPARED:
            return new
        for i, (before, after) in enumerate(zip(old, new, strict=True)):
            if before is after or not self.other_affinity(before, after):
                continue
            others = new[:i] + new[i + 1 :]
            # A value that a column holds is as its affinity makes it: to convert what had no
            # affinity changed nothing then. BLOB makes nothing of it.
            converted = affinity(before, self.scope) == "" and affinity(after, self.scope) != "BLOB"
            compared = (after,) if converted else (before, after)
            if not all(compared_as_it_is(c, o, self.scope) for c in compared for o in others):
                return old
        return new

    def other_affinity(self, before: Expression, after: Expression) -> bool:
        if before is after:
            return False
        of_before, of_after = affinity(before, self.scope), affinity(after, self.scope)
        return of_before != of_after or of_before is None


def _is_condition(name: str, index: int, count: int, condition: bool) -> bool:
    """Whether of an operand only "true or not" is asked."""
    if name == "CASE":
        return index % 2 == 0 and index < count - 1
    return name == "IS TRUE" or (condition and name in _JUNCTIONS)
