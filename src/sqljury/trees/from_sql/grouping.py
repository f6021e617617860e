"""From the row that FROM gives to the row that SELECT sees: groups, then windows.

While a SELECT is read, its expressions are over the row of FROM, and aggregates and window
functions are columns left of it. When all are known, expressions are rewritten to be over the row
of the groups: what equals a key becomes the key, an aggregate its column, and any other column
``BARE``, its value in some row of the group.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqljury.trees.from_sql.calls import is_aggregate_mark, number_of
from sqljury.trees.from_sql.scopes import FromScope
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Expression,
    Filter,
    Outer,
    Ref,
    Relation,
    Subquery,
    Window,
)
from sqljury.trees.walk import (
    map_outer_references,
    map_references,
    map_window,
    operands,
    width,
    with_operands,
)


@dataclass(frozen=True, slots=True)
class Settled:
    """The relation below the projection, and the outputs as expressions of its row."""

    relation: Relation
    outputs: list[Expression]


@dataclass(slots=True)
class Grouping:
    """The keys of one SELECT; its aggregates and windows are in the scope."""

    keys: tuple[Expression, ...]
    scope: FromScope

    def settle(
        self,
        relation: Relation,
        is_grouped: bool,
        outputs: list[Expression],
        having: Expression | None,
        qualify: Expression | None,
    ) -> Settled:
        """Groups, HAVING, windows and QUALIFY above what FROM and WHERE give."""
        windows = self.scope.windows
        if is_grouped:
            outputs = [self.grouped(output) for output in outputs]
            having = self.grouped(having) if having is not None else None
            qualify = self.grouped(qualify) if qualify is not None else None
            windows = [map_window(call, self.grouped) for call in windows]
            relation = Aggregate(relation, self.keys, tuple(self.scope.aggregates))
        if having is not None:
            relation = Filter(relation, having)
        if windows:
            base = width(relation)
            relation = Window(relation, tuple(windows))
            outputs = [_windowed(output, base) for output in outputs]
            qualify = _windowed(qualify, base) if qualify is not None else None
        if qualify is not None:
            relation = Filter(relation, qualify)
        return Settled(relation, outputs)

    def grouped(self, expression: Expression) -> Expression:
        """An expression over the row of FROM as one over the row of its group."""
        for i, key in enumerate(self.keys):
            if key == expression:
                return Ref(i)
        match expression:
            case Ref():
                return Ref(self._position(expression.index))
            case Subquery():
                relation = map_outer_references(expression.relation, self._around)
                expression = replace(expression, relation=relation)
        return with_operands(expression, tuple(map(self.grouped, operands(expression))))

    def _around(self, level: int, index: int) -> Expression:
        return Outer(level, self._position(index) if level == 1 else index)

    def _position(self, index: int) -> int:
        """Where a column of FROM's row, or one left of it, is in the row of the group."""
        if index < 0:
            is_aggregate = is_aggregate_mark(index)
            return len(self.keys) + number_of(index) if is_aggregate else index
        for i, key in enumerate(self.keys):
            if isinstance(key, Ref) and key.index == index:
                return i
        call = AggregateCall("BARE", (Ref(index),))
        if call not in self.scope.aggregates:
            self.scope.aggregates.append(call)
        return len(self.keys) + self.scope.aggregates.index(call)


def _windowed(expression: Expression, base: int) -> Expression:
    """Window functions as columns right of the row."""

    def column(level: int, index: int) -> Expression:
        if level == 0:
            return Ref(index if index >= 0 else base + number_of(index))
        return Outer(level, index)

    return map_references(expression, column)
