"""Sets of values of one ordered type, as unions of ranges, and the conditions that say them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

from sqljury.trees.nodes import Call, Expression, Literal
from sqljury.trees.order import sort_key

Value = int | float | str
Cut = tuple[int, Value, int]
"""A boundary just before (last number 0) or just after (1) a value. The first number is 0, or -1
and 1 for the boundaries below and above all values."""
Range = tuple[Cut, Cut]

LOWEST: Cut = (-1, 0, 0)
HIGHEST: Cut = (1, 0, 0)


_ALL = ((LOWEST, HIGHEST),)


@dataclass(frozen=True, slots=True)
class ValueSet:
    """A set of values: its ranges in order, disjoint and not adjacent."""

    ranges: tuple[Range, ...]

    def __and__(self, other: ValueSet) -> ValueSet:
        if other.ranges == _ALL:
            return self
        return intersection([self, other])

    def complement(self) -> ValueSet:
        """The set of all values that are not in this set."""
        cuts = [LOWEST, *(cut for found in self.ranges for cut in found), HIGHEST]
        pairs = zip(cuts[::2], cuts[1::2], strict=True)
        return ValueSet(tuple((low, high) for low, high in pairs if low < high))

    def mapped(self, value: Callable[[Value], Value]) -> ValueSet:
        """The set with each boundary's value replaced; ``value`` must keep their order."""

        def moved(cut: Cut) -> Cut:
            return cut if cut[0] else (0, value(cut[1]), cut[2])

        return ValueSet(tuple((moved(low), moved(high)) for low, high in self.ranges))

    def of_integers(self) -> ValueSet:
        """The set with the same integers whose boundaries are all just before an integer."""
        whole = [(_before_integer(low), _before_integer(high)) for low, high in self.ranges]
        return _merged([(low, high) for low, high in whole if low < high])


NOTHING = ValueSet(())
EVERYTHING = ValueSet(((LOWEST, HIGHEST),))


def points(values: Iterable[Value]) -> ValueSet:
    """The set of exactly these values."""
    return _merged([((0, value, 0), (0, value, 1)) for value in values])


def union(sets: Iterable[ValueSet]) -> ValueSet:
    """The values that are in any of the sets."""
    return _merged([found for one in sets for found in one.ranges])


def intersection(sets: Iterable[ValueSet]) -> ValueSet:
    """The values that are in all of the sets."""
    return union(one.complement() for one in sets).complement()


def _merged(ranges: list[Range]) -> ValueSet:
    merged: list[Range] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return ValueSet(tuple(merged))


def compared(operator: str, value: Value) -> ValueSet:
    """The set of all x for which ``x operator value`` is true."""
    before, after = (0, value, 0), (0, value, 1)
    match operator:
        case "=":
            return ValueSet(((before, after),))
        case "<>":
            return ValueSet(((LOWEST, before), (after, HIGHEST)))
        case "<":
            return ValueSet(((LOWEST, before),))
        case "<=":
            return ValueSet(((LOWEST, after),))
        case ">":
            return ValueSet(((after, HIGHEST),))
        case _:
            return ValueSet(((before, HIGHEST),))


def _before_integer(cut: Cut) -> Cut:
    end, value, after = cut
    if end or isinstance(value, str):
        return cut
    whole = math.floor(value)
    return (0, whole + 1 if after or whole < value else whole, 0)


# ---------------------------------------------------------------- as conditions


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes sets as conditions on ``subject``: equal sets give equal conditions.

    ``literals`` has the constant to write for each value. ``integers`` is true if all boundaries
    are just before integers. ``domain`` is the set of all possible values of the subject.
    """

    subject: Expression
    literals: dict[Value, Literal]
    integers: bool
    domain: ValueSet

    def written(self, values: ValueSet) -> Expression:
        """The condition: single values as one IN; a range that lacks single values with NOT IN."""
        points: list[Value] = []
        parts: list[Expression] = []
        for run in self._runs(values):
            if all(map(self._is_point, run)):
                points += [low[1] for low, _ in run]
            else:
                parts.append(self._range(run))
        if points:
            parts.append(self._one_of("IN", "=", points))
        return _joined("OR", parts)

    def _runs(self, values: ValueSet) -> list[list[Range]]:
        """The ranges, grouped so that between ranges of one group a single value is missing."""
        runs = [[values.ranges[0]]]
        for before, after in pairwise(values.ranges):
            if self._is_point((before[1], after[0])):
                runs[-1].append(after)
            else:
                runs.append([after])
        return runs

    def _is_point(self, found: Range) -> bool:
        low, high = found
        if low[0] or high[0]:
            return False
        if self.integers:
            assert not isinstance(low[1], str)
            return high[1] == low[1] + 1
        return low[1] == high[1]

    def _range(self, run: list[Range]) -> Expression:
        low, high = run[0][0], run[-1][1]
        first, last = self.domain.ranges[0][0], self.domain.ranges[-1][1]
        parts: list[Expression] = []
        if low != first:
            parts.append(self._comparison(">" if low[2] else ">=", low[1]))
        if high != last and self.integers:
            assert not isinstance(high[1], str)
            parts.append(self._comparison("<=", high[1] - 1))
        elif high != last:
            parts.append(self._comparison("<=" if high[2] else "<", high[1]))
        holes = [before[1][1] for before, _ in pairwise(run)]
        if holes:
            parts.append(self._none_of(holes))
        return _joined("AND", parts)

    def _comparison(self, operator: str, value: Value) -> Call:
        return Call(operator, (self.subject, self.literals[value]))

    def _one_of(self, listed: str, single: str, values: list[Value]) -> Call:
        if len(values) == 1:
            return self._comparison(single, values[0])
        return Call(listed, (self.subject, *(self.literals[v] for v in values)))

    def _none_of(self, values: list[Value]) -> Expression:
        if len(values) == 1:
            return self._comparison("<>", values[0])
        return Call("NOT", (self._one_of("IN", "=", values),))


def _joined(name: str, parts: list[Expression]) -> Expression:
    return parts[0] if len(parts) == 1 else Call(name, tuple(sorted(parts, key=sort_key)))
