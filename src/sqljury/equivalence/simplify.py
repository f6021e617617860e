"""Simplifies expressions by the rewrite rules, from the leaves up, until none applies.

The work is bounded. An expression that is too large to finish stays partly simplified, which is
sound because each step is.
"""

from __future__ import annotations

from sqljury.equivalence.blocks.forms import (
    affinity,
    compared_as_it_is,
    integer,
    is_sqlite,
    kind,
    null_of,
    truth_is_a_number,
)
from sqljury.equivalence.rules.base import CONDITION, EXPRESSION, Scope, Simplified
from sqljury.equivalence.rules.registry import RuleIndex, rules_of
from sqljury.sql.comparisons import COMPARISONS
from sqljury.trees.context import Assumption
from sqljury.trees.nodes import NULL, Call, Expression, Literal, Outer, Ref, Subquery
from sqljury.trees.walk import operands, with_operands

_MOST_STEPS = 2000
"""Most rule applications to one expression."""
_LEAVES = (Ref, Outer)


def simplify(expression: Expression, scope: Scope) -> Simplified:
    """A simpler expression with the same value in every row; subqueries are not rewritten."""
    return _simplified(expression, scope, condition=False)


def simplify_condition(expression: Expression, scope: Scope) -> Simplified:
    """A simpler condition that is true for the same rows; NULL may become FALSE."""
    return _simplified(expression, scope, condition=True)


# A cache, as the same expressions recur while a query is rewritten. Its keys are identities:
# hashing an expression takes as long as simplifying it. The values keep the expressions alive, so
# that no identity is used again for another one.
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
    """Simplifies one expression; keeps the assumptions and rules used."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.assumed: set[Assumption] = set()
        self.applied: dict[str, None] = {}
        self.steps = _MOST_STEPS
        # By identity, as hashing an expression visits all its parts. The values keep the
        # expressions alive, so that no identity is used again for another one.
        self.done: dict[tuple[int, bool], tuple[Expression, Expression]] = {}

    def normal(self, expression: Expression, condition: bool) -> Expression:
        """The expression simplified until no rule applies to it or its operands."""
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
        """The expression as the first applicable rule rewrites it; None if none applies."""
        name = expression.name if isinstance(expression, Call) else type(expression).__name__
        for rule in (_OF_CONDITIONS if condition else _OF_VALUES).of(name, expression):
            found = rule.apply(expression, self.scope)
            if found is None:
                continue
            if isinstance(found, Simplified):
                self.assumed |= found.assumed
                found = found.expression
            if found == NULL:
                found = null_of(kind(expression, self.scope), self.scope.context)
            self.steps -= 1
            if self.steps <= 0:
                return None
            self.applied[rule.name] = None
            return found
        return None

    def parts(self, expression: Expression, condition: bool) -> Expression:
        """The same operator with its operands simplified."""
        old = operands(expression)
        if not old:
            return expression
        name = expression.name if isinstance(expression, Call) else ""
        if name == "CASE":
            new = tuple(
                [
                    self.normal(part, True)
                    if _is_test(i, len(old))
                    else self.as_number(self.normal(part, False))
                    for i, part in enumerate(old)
                ]
            )
        else:
            # Only whether the operand is true matters, so that NULL may become FALSE.
            asked = name == "IS TRUE" or (condition and name in _JUNCTIONS)
            new = tuple([self.normal(part, asked) for part in old])
            if name not in _TRUTHS:
                new = tuple([self.as_number(part) for part in new])
        if is_sqlite(self.scope) and self.scope.context.converts:
            new = self.guarded(expression, old, new)
        return with_operands(expression, new)

    def as_number(self, expression: Expression) -> Expression:
        """1 and 0 for TRUE and FALSE in dialects where a truth value is a number."""
        if isinstance(expression, Literal) and isinstance(expression.value, bool):
            return integer(int(expression.value)) if truth_is_a_number(self.scope) else expression
        return expression

    def guarded(
        self, expression: Expression, old: tuple[Expression, ...], new: tuple[Expression, ...]
    ) -> tuple[Expression, ...]:
        """The new operands, or the old ones if SQLite would compare the new ones differently.

        ``x + 0`` has no affinity and x has one: they have the same value, but a comparison may
        convert x and not ``x + 0``.
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
            # The values of a column are already converted to its affinity, so giving an operand
            # without affinity that affinity changes nothing. The affinity BLOB converts nothing.
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


def _is_test(index: int, count: int) -> bool:
    """True if an operand of CASE is a condition, in which NULL may become FALSE."""
    return index % 2 == 0 and index < count - 1
