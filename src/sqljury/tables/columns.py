"""Matches the columns of one table with those of another, without trying all permutations.

Two tables are equal up to the order of rows and columns iff one matrix can be permuted into the
other. With cells 0 and 1 that is isomorphism of bipartite graphs, so no algorithm is known that is
fast on every table. On real tables the method of graph isomorphism programs is fast:

1. Equal columns are interchangeable, so each distinct one is processed once, with a count; so are
   equal rows.
2. Colours are refined until they are stable: a column's colour is the bag of (row colour, cell)
   over its rows, a row's colour is the cells it has in each colour of columns. Columns of
   different colours cannot match. This alone settles nearly every table.
3. If a colour still has several columns, one of them is paired with each candidate in turn and
   the colours are refined again.

If step 3 makes no progress, the search ends after a budget of processed cells.

If one table has fewer columns (injective matching), only colours with equally many columns on
both sides are used to colour rows: only those columns certainly have a partner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, repeat
from typing import Any

from sqljury.tables.values import Rows

Mapping = tuple[int | None, ...]
Column = tuple[int, ...]
Colours = list[int]
Class = tuple[tuple[int, ...], tuple[int, ...]]
"""Indexes of the columns of one colour: in the narrower table, and in the wider one."""

DEFAULT_BUDGET = 5_000_000
"""Most cells that a search processes; about a second."""
_FREE_PASSES = 8
"""Passes over both tables that are always allowed, because a large table need not be a hard one."""


class BudgetSpentError(Exception):
    """Raised if a search used up its budget without an answer."""


def match_columns(
    a: Rows,
    b: Rows,
    widths: tuple[int, int],
    *,
    keys: Sequence[Any] | None = None,
    as_set: bool = False,
    budget: int = DEFAULT_BUDGET,
) -> Mapping | None:
    """For each column of ``a`` its partner in ``b``, such that the tables have the same rows.

    None if there is no such mapping.

    Args:
        widths: the number of columns of each table; if they differ, each column of the narrower
            table gets a partner, and the other columns of the wider one get none.
        keys: row i of each table has key i, and only rows with equal keys may be matched.
        as_set: rows are compared as sets.

    Raises:
        BudgetSpentError: no answer was found within the budget.
    """
    if widths[0] > widths[1]:
        found = match_columns(b, a, (widths[1], widths[0]), keys=keys, as_set=as_set, budget=budget)
        return _inverse(found, widths[0]) if found is not None else None
    if not a or not b:
        return tuple(range(widths[0])) if not a and not b else None
    if as_set and widths[0] == widths[1]:
        a, b, as_set = list(dict.fromkeys(a)), list(dict.fromkeys(b)), False
    if not as_set and len(a) != len(b):
        return None
    guess = _by_contents(a, b, as_set)
    if guess is None or _stands(guess, a, b, keys, as_set):
        return guess
    return _ColumnSearch(a, b, keys, as_set, budget).run()


def _inverse(mapping: Mapping, width: int) -> Mapping:
    back: dict[int | None, int] = {j: i for i, j in enumerate(mapping)}
    return tuple(back.get(j) for j in range(width))


def _by_contents(a: Rows, b: Rows, as_set: bool) -> Mapping | None:
    """Maps each column to the first unused one with the same cells; None if one has no partner.

    Finds the answer for nearly all tables at a tenth of the cost of the search.
    """
    free: dict[int, list[int]] = {}
    for j, column in enumerate(zip(*b, strict=True)):
        free.setdefault(_contents(column, as_set), []).append(j)
    mapping = []
    for column in zip(*a, strict=True):
        places = free.get(_contents(column, as_set))
        if not places:
            return None
        mapping.append(places.pop(0))
    return tuple(mapping)


def _contents(column: Sequence[Any], as_set: bool) -> int:
    """A hash of a column's cells in any order.

    A sum of hashes needs no counting of cells. Each cell is wrapped in a tuple because integers are
    their own hash: 1 + 4 = 2 + 3.
    """
    return sum(map(hash, zip(set(column) if as_set else column, strict=True)))


def _stands(mapping: Mapping, a: Rows, b: Rows, keys: Sequence[Any] | None, as_set: bool) -> bool:
    """True if the tables have the same rows under a mapping."""
    columns = list(zip(*b, strict=True))
    chosen: Iterable[Any] = zip(*[columns[j] for j in mapping if j is not None], strict=True)
    if as_set:
        return set(a) == set(chosen)
    if keys is not None:
        a, chosen = list(zip(keys, a, strict=True)), zip(keys, chosen, strict=True)
    return dict.__eq__(Counter(a), Counter(chosen))


@dataclass(slots=True)
class _Side:
    """One table in the form of the search: cells as integers, each distinct column once."""

    columns: list[Column]
    places: list[list[int]]
    """For each distinct column, its indexes in the table."""


@dataclass(slots=True)
class _State:
    classes: list[Class]
    left: Colours
    right: Colours


class _ColumnSearch:
    def __init__(
        self, a: Rows, b: Rows, keys: Sequence[Any] | None, as_set: bool, budget: int
    ) -> None:
        self.as_set = as_set
        self.bijective = len(a[0]) == len(b[0])
        rows_a, left = self._distinct_rows(a, keys)
        rows_b, right = self._distinct_rows(b, keys)
        codes = _numbered(chain(chain.from_iterable(rows_a), chain.from_iterable(rows_b)))
        self.a, self.b = _side(rows_a, codes), _side(rows_b, codes)
        cells = len(rows_a) * len(self.a.columns) + len(rows_b) * len(self.b.columns)
        self.left = max(budget, _FREE_PASSES * cells)
        palette = _numbered(chain(left, right))
        self.start = [palette[key] for key in left], [palette[key] for key in right]

    def _distinct_rows(self, rows: Rows, keys: Sequence[Any] | None) -> tuple[Rows, list[Any]]:
        """Rows and their initial colours. If the widths are equal, equal rows become one with its
        count in the colour."""
        keyed = zip(keys or repeat(0), rows, strict=False)
        if not self.bijective:
            return rows, [key for key, _ in keyed]
        counted = Counter(keyed)
        return [row for _, row in counted], [(key, n) for (key, _), n in counted.items()]

    def run(self) -> Mapping | None:
        if not self._agree(*self.start):
            return None
        stack: list[Iterator[_State]] = [iter([_State(self._first_classes(), *self.start)])]
        while stack:
            state = next(stack[-1], None)
            if state is None:
                stack.pop()
            elif self._refine(state):
                if all(len(b) == 1 for _, b in state.classes):
                    mapping = self._mapping(state)
                    if mapping is not None:
                        return mapping
                else:
                    stack.append(self._branches(state))
        return None

    def _first_classes(self) -> list[Class]:
        """The initial classes: all columns; with equal widths, one class per number of
        occurrences."""
        if not self.bijective:
            return [(tuple(range(len(self.a.columns))), tuple(range(len(self.b.columns))))]
        groups: dict[int, tuple[list[int], list[int]]] = {}
        for side, places in enumerate((self.a.places, self.b.places)):
            for column, where in enumerate(places):
                groups.setdefault(len(where), ([], []))[side].append(column)
        return [(tuple(x), tuple(y)) for _, (x, y) in sorted(groups.items())]

    def _branches(self, state: _State) -> Iterator[_State]:
        """The states in which one column of the smallest class is paired with each candidate."""
        chosen = min((c for c in state.classes if len(c[1]) > 1), key=lambda c: len(c[1]))
        rest = [c for c in state.classes if c is not chosen]
        (first, *others), candidates = chosen
        for candidate in candidates:
            if len(self.a.places[first]) > len(self.b.places[candidate]):
                continue
            remaining = tuple(c for c in candidates if c != candidate)
            classes = [*rest, ((first,), (candidate,))]
            if others:
                classes.append((tuple(others), remaining))
            yield _State(classes, state.left, state.right)

    def _refine(self, state: _State) -> bool:
        """Splits classes and colours rows until nothing changes; False if the tables differ."""
        while True:
            before = len(state.classes), len(set(state.left))
            if not (self._split_columns(state) and self._colour_rows(state)):
                return False
            if (len(state.classes), len(set(state.left))) == before:
                return True

    def _split_columns(self, state: _State) -> bool:
        classes: list[Class] = []
        for group in state.classes:
            if len(group[0]) > len(group[1]) or (self.bijective and len(group[0]) < len(group[1])):
                return False
            # A class with one column on each side is checked when rows are coloured.
            if len(group[1]) == 1:
                classes.append(group)
                continue
            split = self._split(group, state)
            if split is None:
                return False
            classes.extend(split)
        state.classes = classes
        return True

    def _split(self, group: Class, state: _State) -> list[Class] | None:
        self._spend(len(group[0]) * len(state.left) + len(group[1]) * len(state.right))
        groups: dict[Any, tuple[list[int], list[int]]] = {}
        for column in group[0]:
            key = self._heap(zip(state.left, self.a.columns[column], strict=True))
            groups.setdefault(key, ([], []))[0].append(column)
        for column in group[1]:
            key = self._heap(zip(state.right, self.b.columns[column], strict=True))
            # A column of the wider table without a like column in the narrower one has no partner.
            if key in groups:
                groups[key][1].append(column)
            elif self.bijective:
                return None
        if any(len(x) > len(y) for x, y in groups.values()):
            return None
        return [(tuple(x), tuple(y)) for x, y in groups.values()]

    def _heap(self, pairs: Iterator[tuple[int, int]]) -> frozenset[Any]:
        return frozenset(pairs) if self.as_set else frozenset(Counter(pairs).items())

    def _colour_rows(self, state: _State) -> bool:
        sure = [c for c in state.classes if len(c[0]) == len(c[1])]
        left = _coloured(state.left, [[self.a.columns[i] for i in x] for x, _ in sure])
        right = _coloured(state.right, [[self.b.columns[i] for i in y] for _, y in sure])
        self._spend(sum(len(x) for x, _ in sure) * (len(left) + len(right)))
        palette = _numbered(chain(left, right))
        state.left = [palette[key] for key in left]
        state.right = [palette[key] for key in right]
        return self._agree(state.left, state.right)

    def _agree(self, left: Colours, right: Colours) -> bool:
        if self.as_set:
            return set(left) == set(right)
        return dict.__eq__(Counter(left), Counter(right))

    def _spend(self, cells: int) -> None:
        self.left -= cells
        if self.left < 0:
            raise BudgetSpentError

    def _mapping(self, state: _State) -> Mapping | None:
        """The mapping of all columns from pairs of distinct ones; None if one occurs too rarely."""
        mapping: dict[int, int] = {}
        for (x,), (y,) in state.classes:
            here, there = self.a.places[x], self.b.places[y]
            if len(here) > len(there):
                return None
            mapping.update(zip(here, there, strict=False))
        return tuple(mapping[i] for i in range(len(mapping)))


def _numbered(values: Iterator[Any]) -> dict[Any, int]:
    return dict(zip(dict.fromkeys(values), count(), strict=False))


def _side(rows: Rows, codes: dict[Any, int]) -> _Side:
    places: dict[Column, list[int]] = {}
    for i, cells in enumerate(zip(*rows, strict=True)):
        places.setdefault(tuple(map(codes.__getitem__, cells)), []).append(i)
    return _Side(list(places), list(places.values()))


def _coloured(colours: Colours, groups: list[list[Column]]) -> list[tuple[Any, ...]]:
    """For each row, its previous colour and its cells in each class of columns."""
    parts: list[Sequence[Any]] = [colours]
    for columns in groups:
        if len(columns) == 1:
            parts.append(columns[0])
        else:
            parts.append([tuple(sorted(cells)) for cells in zip(*columns, strict=True)])
    return list(zip(*parts, strict=True))
