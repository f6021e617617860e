"""A query's value profile, read off its syntax tree."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Any, TypeVar

from sqlglot import exp

from sqljury.schema import Schema
from sqljury.sql.resolve import tables_of
from sqljury.sql.tokens import MAX_CHARS, parse
from sqljury.sql.value_profile.conditions import ConditionReader, constant_of
from sqljury.sql.value_profile.notes import Notes, Output, PlaceScope, PlaceSource
from sqljury.value_profile import ColumnUse, Pattern, ValueProfile

T = TypeVar("T")


def merged_profiles(left: ValueProfile, right: ValueProfile) -> ValueProfile:
    """What either query needs; patterns stay apart, one for each query."""
    return ValueProfile(
        tables=_unique(left.tables, right.tables),
        columns={
            name: _merged(left.columns.get(name), right.columns.get(name))
            for name in chain(left.columns, (n for n in right.columns if n not in left.columns))
        },
        patterns=_unique(left.patterns, right.patterns),
        pools=_unique(left.pools, right.pools),
        counts=_unique(left.counts, right.counts),
        limits=_unique(left.limits, right.limits),
        unread=_unique(left.unread, right.unread),
        random=left.random or right.random,
        any_rows=left.any_rows or right.any_rows,
        cuts_ties=left.cuts_ties or right.cuts_ties,
        fragile=left.fragile or right.fragile,
    )


def _merged(left: ColumnUse | None, right: ColumnUse | None) -> ColumnUse:
    if left is None or right is None:
        return left or right or ColumnUse()
    return ColumnUse(
        constants=_unique(left.constants, right.constants),
        likes=_unique(left.likes, right.likes),
        globs=_unique(left.globs, right.globs),
        numeric=left.numeric or right.numeric,
        dated=left.dated or right.dated,
        formats=_unique(left.formats, right.formats),
    )


def _unique(*parts: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(chain(*parts)))


_MOST_SLOTS = 32
"""Occurrences of tables that one pattern holds; what comes after them is left to chance."""


@lru_cache(maxsize=512)
def value_profile(sql: str, schema: Schema, dialect: str = "sqlite") -> ValueProfile | None:
    """The profile of a query on a schema; None where the text is too long to be looked at.

    Of a query that cannot be parsed (the engine may do better) the tables are known by their
    names, and all of their columns count as used.

    >>> from sqljury.schema import Column, Table
    >>> table = Table(name="t", columns=(Column(name="a", type="INT"),))
    >>> profile = value_profile("SELECT a FROM t WHERE a > 3", Schema(dialect="", tables=(table,)))
    >>> profile.patterns[0].atoms[0].values
    (3,)
    """
    tree = parse(sql, dialect)
    if tree is None:
        return _unparsed(sql, schema, dialect)
    notes = Notes(schema)
    reader = _ProfileReader(notes)
    try:
        reader.query(tree, None, {}, hard=True)
    except RecursionError:
        return _unparsed(sql, schema, dialect)
    return notes.profile()


def _unparsed(sql: str, schema: Schema, dialect: str) -> ValueProfile | None:
    tables = tables_of(sql, dialect, schema)
    if tables is None:
        return None if len(sql) > MAX_CHARS else ValueProfile()
    names = tuple(table.name for table in tables if not table.is_view)
    return ValueProfile(
        tables=names,
        columns={(t.name, c.name): ColumnUse() for t in tables for c in t.columns},
        patterns=(Pattern(tables=names),),
        unread=tuple(table.name for table in tables if table.is_view),
        cuts_ties=True,
        fragile=True,
    )


class _ProfileReader:
    """Walks queries; :class:`ConditionReader` reads conditions, found things go to the notes."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._conditions = ConditionReader(notes, self)
        self._open_ctes: set[int] = set()

    # ------------------------------------------------------------ queries

    def query(
        self, node: exp.Expr, outer: PlaceScope | None, ctes: dict[str, exp.CTE], *, hard: bool
    ) -> list[Output]:
        """Read a query; its result's columns."""
        if isinstance(node, exp.Subquery | exp.Paren):
            ctes = _with_ctes(node, ctes)
            found = self.query(node.this, outer, ctes, hard=hard)
            self._tail(node, PlaceScope(outer), ctes)
            return found
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, outer, _with_ctes(node, ctes), hard)
        if isinstance(node, exp.Select):
            return self._select(node, outer, _with_ctes(node, ctes), hard)
        if isinstance(node, exp.Table):  # brackets around a join
            scope = PlaceScope(outer)
            self._from_item(node, scope, ctes, hard)
            return [output for source in scope.sources for output in source.outputs]
        return []

    def _set_operation(
        self, node: exp.SetOperation, outer: PlaceScope | None, ctes: dict[str, exp.CTE], hard: bool
    ) -> list[Output]:
        left = self.query(node.left, outer, ctes, hard=hard)
        right = self.query(node.right, outer, ctes, hard=hard)
        for a, b in zip(left, right, strict=False):
            self._notes.link(a.place, b.place, hard=False)
        scope = PlaceScope(outer, aliases={output.name: output for output in left})
        self._tail(node, scope, ctes)
        return left

    def _select(
        self, node: exp.Select, outer: PlaceScope | None, ctes: dict[str, exp.CTE], hard: bool
    ) -> list[Output]:
        scope = PlaceScope(outer)
        self._from(node, scope, ctes, hard)
        outputs = self._projections(node, scope, ctes)
        scope.aliases = {output.name: output for output in reversed(outputs) if output.name}
        where = node.args.get("where")
        if where is not None:
            self._conditions.read(where.this, scope, ctes, hard=hard)
        having = node.args.get("having")
        if having is not None:
            self._conditions.read(having.this, scope, ctes, hard=hard)
        self._group(node, scope, ctes, outputs)
        self._tail(node, scope, ctes, outputs)
        self._notes.fragile |= _has_bare_columns(node)
        return outputs

    def _from(
        self, node: exp.Select, scope: PlaceScope, ctes: dict[str, exp.CTE], hard: bool
    ) -> None:
        start = node.args.get("from_")
        if start is not None:
            self._from_item(start.this, scope, ctes, hard)
        for join in node.args.get("joins") or ():
            self._join(join, scope, ctes, hard)

    def _join(
        self, join: exp.Join, scope: PlaceScope, ctes: dict[str, exp.CTE], hard: bool
    ) -> None:
        before = len(scope.sources)
        self._from_item(join.this, scope, ctes, hard)
        names = [column.name.lower() for column in join.args.get("using") or ()]
        if join.args.get("method") == "NATURAL":
            names = _common_names(scope.sources[:before], scope.sources[before:])
        for name in names:
            self._link_sides(scope, before, name, hard)
        condition = join.args.get("on")
        if condition is not None:
            self._conditions.read(condition, scope, ctes, hard=hard)

    def _link_sides(self, scope: PlaceScope, before: int, name: str, hard: bool) -> None:
        left = PlaceScope(None, scope.sources[:before]).find(name, "")
        right = PlaceScope(None, scope.sources[before:]).find(name, "")
        if left is not None and right is not None:
            self._notes.link(left.place, right.place, hard=hard)

    def _from_item(
        self, node: exp.Expr, scope: PlaceScope, ctes: dict[str, exp.CTE], hard: bool
    ) -> None:
        if isinstance(node, exp.Table):
            scope.sources.append(self._table(node, ctes, hard))
        elif isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table):
            self._from_item(node.this, scope, ctes, hard)
        elif isinstance(node, exp.Subquery):
            outputs = self.query(node, scope.outer, ctes, hard=hard)
            scope.sources.append(PlaceSource(node.alias_or_name.lower(), _renamed(node, outputs)))
        else:
            self._notes.unread(type(node).__name__)
        for join in node.args.get("joins") or ():
            self._join(join, scope, ctes, hard)

    def _table(self, node: exp.Table, ctes: dict[str, exp.CTE], hard: bool) -> PlaceSource:
        name = node.name.lower()
        alias = (node.alias or node.name).lower()
        cte = ctes.get(name)
        if cte is not None and not node.args.get("db"):
            return PlaceSource(alias, self._cte(cte, ctes, hard))
        slot = self._notes.occurrence(node.name) if self._notes.slots < _MOST_SLOTS else None
        return PlaceSource(alias, self._notes.outputs(node.name, slot), slot)

    def _cte(self, cte: exp.CTE, ctes: dict[str, exp.CTE], hard: bool) -> list[Output]:
        if id(cte) in self._open_ctes or self._notes.slots >= _MOST_SLOTS:
            return []  # it is recursive, or one of a chain that doubles at every link
        self._open_ctes.add(id(cte))
        try:
            return _renamed(cte, self.query(cte.this, None, ctes, hard=hard))
        finally:
            self._open_ctes.discard(id(cte))

    # ------------------------------------------------------------ clauses

    def _projections(
        self, node: exp.Select, scope: PlaceScope, ctes: dict[str, exp.CTE]
    ) -> list[Output]:
        outputs: list[Output] = []
        for item in node.expressions:
            if item.is_star and (item.name == "*" or not item.name):
                stars = scope.star(item.text("table").lower())
                self._notes.used(stars)
                outputs += stars
            else:
                outputs.append(self._projection(item, scope, ctes))
        return outputs

    def _projection(self, item: exp.Expr, scope: PlaceScope, ctes: dict[str, exp.CTE]) -> Output:
        inner = item.unalias()
        found = self._conditions.value(inner, scope, ctes)
        name = item.alias_or_name.lower()
        return Output(name, found.places, found.plain)

    def _group(
        self, node: exp.Select, scope: PlaceScope, ctes: dict[str, exp.CTE], outputs: list[Output]
    ) -> None:
        group = node.args.get("group")
        for item in group.expressions if group is not None else ():
            found = _numbered(item, outputs) or self._conditions.value(item, scope, ctes)
            self._notes.groups.extend(sorted(found.places, key=_by_slot))
        if node.args.get("distinct") is not None:
            for output in outputs:
                self._notes.groups.extend(sorted(output.places, key=_by_slot))

    def _tail(
        self,
        node: exp.Expr,
        scope: PlaceScope,
        ctes: dict[str, exp.CTE],
        outputs: list[Output] | None = None,
    ) -> None:
        """ORDER BY, LIMIT and OFFSET of whatever has them."""
        order = node.args.get("order")
        for item in order.expressions if order is not None else ():
            found = _numbered(item.this, outputs or []) or self._conditions.value(
                item.this, scope, ctes
            )
            self._notes.ordered.extend(sorted(found.places, key=_by_slot))
        limit = node.args.get("limit")
        if limit is None:
            return
        self._notes.fragile = True
        if order is None:
            self._notes.any_rows = True
        else:
            self._notes.cuts_ties = True
        self._notes.limit(_whole(limit), _whole(node.args.get("offset")))


def _with_ctes(node: exp.Expr, ctes: dict[str, exp.CTE]) -> dict[str, exp.CTE]:
    clause = node.args.get("with_")
    if clause is None:
        return ctes
    return {**ctes, **{cte.alias.lower(): cte for cte in clause.expressions}}


def _renamed(node: exp.Expr, outputs: list[Output]) -> list[Output]:
    """The columns under the names that ``AS q(a, b)`` gives them."""
    names = [name.lower() for name in node.alias_column_names]
    if not names:
        return outputs
    return [
        Output(name, output.places, output.plain)
        for name, output in zip(names, outputs, strict=False)
    ]


def _common_names(left: list[PlaceSource], right: list[PlaceSource]) -> list[str]:
    known = {output.name for source in left for output in source.outputs}
    return [out.name for source in right for out in source.outputs if out.name in known]


def _numbered(item: exp.Expr, outputs: list[Output]) -> Output | None:
    """The column that ``ORDER BY 2`` means."""
    number = constant_of(item)
    if isinstance(number, int) and 1 <= number <= len(outputs):
        return outputs[number - 1]
    return None


def _by_slot(place: Any) -> tuple[int, str]:
    return place.slot, place.column


def _whole(node: exp.Expr | None) -> int:
    value = constant_of(node.expression) if node is not None and node.expression else 0
    return value if isinstance(value, int) and value > 0 else 0


def _has_bare_columns(node: exp.Select) -> bool:
    """Whether a column stands beside aggregates or groups that do not fix its value."""
    group = node.args.get("group")
    keys = {key.sql().lower() for key in group.expressions} if group is not None else set()
    if group is None and not any(_aggregates(item) for item in node.expressions):
        return False
    names = {key.rpartition(".")[2].strip('"') for key in keys}
    for item in node.expressions:
        for column in _outside_aggregates(item):
            if isinstance(column, exp.Star) or column.name.lower() not in names:
                return True
    return False


def _aggregates(item: exp.Expr) -> bool:
    return item.find(exp.AggFunc) is not None


def _outside_aggregates(node: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(node, exp.Column | exp.Star):
        yield node
    elif not isinstance(node, exp.AggFunc | exp.Query):
        for child in node.iter_expressions():
            yield from _outside_aggregates(child)
