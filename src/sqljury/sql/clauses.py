"""Splits a query into the clauses that Spider's exact set match compares.

Expressions become canonical texts: names are resolved and in lower case, brackets and aliases are
removed.

Source: Yu et al. 2018 (Spider), section 5; where the paper leaves a case open, the evaluation
script's behaviour.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from sqlglot import exp

from sqljury.schema import Schema
from sqljury.sql.names import DERIVED, UNKNOWN, Names, TableScope, names_of
from sqljury.sql.tokens import parse


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison: ``left [NOT] operator right``."""

    negated: bool
    operator: str
    left: str
    right: Clauses | Conditions | None = None
    """A subquery, or the conditions in brackets; constants and columns are in ``values``."""
    values: tuple[str, ...] = ()
    """The texts of the right-hand side; empty unless ``clauses_of`` is called with ``values``."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """Comparisons in the order of the text, and the AND and OR between them."""

    parts: tuple[Condition, ...] = ()
    connectors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Clauses:
    """The clauses of a query. Two queries with equal clauses differ only in names and brackets."""

    select: tuple[str, ...]
    distinct: bool = False
    tables: tuple[str | Clauses, ...]
    on: Conditions = Conditions()
    where: Conditions = Conditions()
    group: tuple[str, ...] = ()
    having: Conditions = Conditions()
    order: tuple[str, ...] = ()
    direction: str = ""
    """``asc`` or ``desc``: the last direction in the text; empty without ORDER BY."""
    limit: str = ""
    """The number; empty without LIMIT."""
    others: tuple[str, ...] = ()
    """Parts that Spider's grammar does not have: kinds of joins, CTEs, OFFSET, windows, …"""
    set_operation: str = ""
    operand: Clauses | None = None
    """The second query of the set operation."""


def clauses_of(
    sql: str, dialect: str, schema: Schema | None = None, *, values: bool = False
) -> Clauses | None:
    """The clauses of a query, or None if the text cannot be parsed as a query.

    Args:
        schema: used to resolve unqualified columns; without it they are resolved only if FROM has
            a single table.
        values: keep the values that columns are compared with.
    """
    return _clauses_of(sql, dialect, schema, values)


# A small cache suffices: one reference is compared with many predictions in a row.
@lru_cache(maxsize=64)
def _clauses_of(sql: str, dialect: str, schema: Schema | None, values: bool) -> Clauses | None:
    tree = parse(sql, dialect)
    if not isinstance(tree, exp.Query):
        return None
    names = names_of(schema) if schema is not None else None
    try:
        clauses = _ClauseReader(names, values).top(tree)
        return clauses if clauses.select else None
    except RecursionError:
        return None


_SET_OPERATIONS = ("union", "intersect", "except")


@dataclass(frozen=True, slots=True)
class _ClauseReader:
    """Reads a query in its surroundings; ``replace`` gives the reader for an inner query."""

    names: Names | None
    values: bool
    scope: TableScope | None = None
    merged: Mapping[str, str] = field(default_factory=dict)
    """Columns that foreign keys make equal, mapped to one of them; empty in subqueries."""
    ctes: tuple[str, ...] = ()
    nested: bool = False
    """True in a subquery, where the script also compares DISTINCT in aggregates."""

    def top(self, tree: exp.Expr) -> Clauses:
        """Reads the outermost query; foreign keys only merge columns of tables in its FROM."""
        if self.names is None:
            return self.query(tree)
        first = tree
        while first.key in _SET_OPERATIONS or first.key == "subquery":
            first = first.this
        tables = {source.name.lower() for source in _sources(first)}
        merged = {
            column: same
            for column, same in self.names.merged.items()
            if column.partition(".")[0] in tables
        }
        return replace(self, merged=merged).query(tree)

    def query(self, tree: exp.Expr, tail: exp.Expr | None = None) -> Clauses:
        """Reads a SELECT with the set operations that follow it.

        Args:
            tail: the node whose ORDER BY and LIMIT apply, if not ``tree`` itself.
        """
        tree = _bare(tree)
        tail = tail or tree
        reader = self._with_ctes(tree)
        if tree.key == "select":
            return reader._select(tree, tail)
        if tree.key not in _SET_OPERATIONS:
            return reader._around(tree.this if tree.key == "subquery" else tree, tail)
        following: Clauses | None = None
        operation = ""
        node = tree
        while node.key in _SET_OPERATIONS:
            # The script reads ORDER BY and LIMIT of a set operation as its last operand's.
            operand = reader._operand(node.expression, tail if following is None else None)
            following = replace(operand, set_operation=operation, operand=following)
            operation = node.key + (" all" if node.args.get("distinct") is False else "")
            node = _bare(node.this)
        return replace(reader._operand(node, None), set_operation=operation, operand=following)

    def _operand(self, tree: exp.Expr, tail: exp.Expr | None) -> Clauses:
        inner = _bare(tree)
        if inner is tree or (inner.key == "select" and not any(map(inner.args.get, _TAIL))):
            return self.query(inner, tail)
        return self._around(inner, tail)

    def _around(self, inner: exp.Expr, tail: exp.Expr | None) -> Clauses:
        """Brackets that change the meaning, read as ``SELECT * FROM (inner)``."""
        source = self._inner().query(inner) if inner.key in _QUERIES else self._text(inner)
        clauses = Clauses(select=("*",), tables=(source,))
        return self._with_tail(clauses, tail) if tail is not None else clauses

    def _with_ctes(self, tree: exp.Expr) -> _ClauseReader:
        with_ = tree.args.get("with_")
        if with_ is None:
            return self
        return replace(self, ctes=self.ctes + tuple(cte.alias.lower() for cte in with_.expressions))

    def _inner(self) -> _ClauseReader:
        return replace(self, merged={}, nested=True)

    # ------------------------------------------------------------ clauses

    def _select(self, tree: exp.Expr, tail: exp.Expr) -> Clauses:
        sources = _sources(tree)
        tables = tuple((source.alias_or_name.lower(), self._table(source)) for source in sources)
        reader = replace(self, scope=TableScope(tables, self.scope, self.names))
        args = tree.args
        clauses = Clauses(
            select=tuple(reader._text(item) for item in tree.expressions),
            distinct=args.get("distinct") is not None,
            tables=tuple(self._source(source) for source in sources),
            on=reader._on(args.get("joins") or ()),
            where=reader._conditions(args.get("where")),
            group=tuple(reader._group(args.get("group"))),
            having=reader._conditions(args.get("having")),
            others=tuple(reader._others(tree)),
        )
        return reader._with_tail(clauses, tail)

    def _with_tail(self, clauses: Clauses, tree: exp.Expr) -> Clauses:
        """The clauses with the ORDER BY and LIMIT of a tree, if it has them."""
        order, limit = tree.args.get("order"), tree.args.get("limit")
        if order is not None:
            keys = order.expressions
            # Like the script: the last direction in the text counts for all keys.
            written = [key.args["desc"] for key in keys if key.args.get("desc") is not None]
            clauses = replace(
                clauses,
                order=tuple(self._text(key.this) for key in keys),
                direction="desc" if written and written[-1] else "asc",
            )
        if limit is not None:
            clauses = replace(clauses, limit=self._text(limit.expression or limit))
        return clauses

    def _table(self, source: exp.Expr) -> str:
        """The name of a table of FROM; :data:`DERIVED` for a subquery or a CTE."""
        name: str = source.name.lower() if source.key == "table" else ""
        return DERIVED if not name or name in self.ctes else name

    def _source(self, source: exp.Expr) -> str | Clauses:
        """A table's name, or the clauses of a subquery in FROM, whose values the script always
        compares."""
        if source.key == "subquery" and source.this.key in _QUERIES:
            return replace(self._inner(), values=True).query(source.this)
        return source.name.lower() if source.key == "table" else self._text(source)

    def _on(self, joins: Iterable[exp.Expr]) -> Conditions:
        parts: list[Condition] = []
        connectors: list[str] = []
        for join in joins:
            on = join.args.get("on")
            # A JOIN without ON is parsed as ON TRUE.
            conditions = self._conditions(on if on is not None and on.key != "boolean" else None)
            connectors.extend(["and"] if parts and conditions.parts else [])
            connectors.extend(conditions.connectors)
            parts.extend(conditions.parts)
        return Conditions(tuple(parts), tuple(connectors))

    def _group(self, group: exp.Expr | None) -> Iterator[str]:
        for key, value in group.args.items() if group is not None else ():
            if key == "expressions":
                yield from (self._text(item) for item in value)
            elif value:
                yield f"{key}({self._value_text(value)})"

    def _others(self, tree: exp.Expr) -> Iterator[str]:
        """Texts of all parts that Spider's grammar does not have, so that they are compared too."""
        for join in tree.args.get("joins") or ():
            words = [str(join.args.get(key) or "").lower() for key in ("method", "side", "kind")]
            kind = " ".join(word for word in words if word not in _PLAIN_JOINS)
            if kind:
                yield f"{kind} join"
        for key, value in tree.args.items():
            if value and key not in _READ:
                yield f"{key}({self._value_text(value)})"
        distinct = tree.args.get("distinct")
        if distinct is not None and distinct.args.get("on") is not None:
            yield f"distinct on({self._text(distinct.args['on'])})"

    # ------------------------------------------------------------ conditions

    def _conditions(self, clause: exp.Expr | None) -> Conditions:
        """The comparisons joined by AND and OR, in the order of the text."""
        if clause is None:
            return Conditions()
        parts: list[Condition] = []
        connectors: list[str] = []
        # A stack instead of recursion: generated queries have thousands of ORs.
        waiting: list[exp.Expr | str] = [clause.this if clause.key in _CLAUSE_KEYS else clause]
        while waiting:
            node = waiting.pop()
            if isinstance(node, str):
                connectors.append(node)
            elif node.key in _CONNECTORS:
                waiting.extend((node.expression, node.key, node.this))
            else:
                parts.append(self._condition(node, negated=False))
        return Conditions(tuple(parts), tuple(connectors))

    def _condition(self, node: exp.Expr, *, negated: bool) -> Condition:
        if node.key == "not":
            return self._condition(node.this, negated=not negated)
        if node.key == "paren":
            if node.this.key in _CONNECTORS:
                return Condition(negated, "()", "", self._conditions(node.this))
            return self._condition(node.this, negated=negated)
        negated ^= bool(node.args.get("negate"))
        if node.key == "exists":
            return Condition(negated, "exists", "", self._subquery(node.this))
        if node.key not in _OPERATORS:
            return Condition(negated, "", self._text(node))
        rights = self._rights(node)
        query = next((found for right in rights if (found := self._subquery(right))), None)
        plain = tuple(self._text(right) for right in rights) if self.values and not query else ()
        return Condition(negated, _OPERATORS[node.key], self._text(node.this), query, plain)

    def _rights(self, node: exp.Expr) -> list[exp.Expr]:
        found = [node.args[key] for key in _RIGHT_SIDES if node.args.get(key) is not None]
        return found + node.expressions

    def _subquery(self, node: exp.Expr) -> Clauses | None:
        node = _bare(node)
        if node.key in _QUERIES:
            return self._inner().query(node)
        return None

    # ------------------------------------------------------------ expressions

    def _text(self, node: exp.Expr) -> str:
        """An expression as canonical text."""
        key = node.key
        if key == "column":
            return self._column(node)
        if key in _TRANSPARENT or (key == "distinct" and not self.nested):
            inner = node.this if key != "distinct" else None
            return self._text(inner) if inner is not None else self._value_text(node.expressions)
        if key == "star":
            return "*"
        if key == "literal":
            if node.is_string:
                return f"'{node.name}'"
            try:
                return f"{float(node.name):g}"
            except ValueError:
                return str(node.name).lower()
        if key in _QUERIES:
            return repr(self._inner().query(node))
        parts = [self._value_text(value) for value in node.args.values() if value]
        return f"{key}({', '.join(parts)})"

    def _value_text(self, value: Any) -> str:
        """The text of a node's argument: a node, a list, a name or a flag."""
        if isinstance(value, list | tuple):
            return ", ".join(map(self._value_text, value))
        return self._text(value) if hasattr(value, "args") else str(value).lower()

    def _column(self, node: exp.Expr) -> str:
        name = "*" if node.this.key == "star" else node.name.lower()
        qualifier = node.text("table").lower()
        scope = self.scope or TableScope((), None, self.names)
        table = scope.table_of(name, qualifier)
        if table == UNKNOWN and self.names is not None and node.this.args.get("quoted"):
            # SQLite reads "x" as a string if there is no such column.
            return f"'{node.name}'"
        column = f"{table}.{name}"
        return self.merged.get(column, column)


_QUERIES = (*_SET_OPERATIONS, "select")
_TAIL = ("order", "limit")
_READ = ("expressions", "distinct", "from_", "joins", "where", "group", "having", *_TAIL)
_PLAIN_JOINS = ("", "inner", "cross", "outer")
_CLAUSE_KEYS = ("where", "having")
_CONNECTORS = ("and", "or", "xor")
_TRANSPARENT = ("paren", "alias", "subquery")
_RIGHT_SIDES = ("expression", "query", "low", "high")
_OPERATORS = {
    "between": "between",
    "eq": "=",
    "gt": ">",
    "lt": "<",
    "gte": ">=",
    "lte": "<=",
    "neq": "!=",
    "in": "in",
    "like": "like",
    "ilike": "ilike",
    "glob": "glob",
    "is": "is",
}


def _sources(tree: exp.Expr) -> list[exp.Expr]:
    """The tables of FROM and its joins."""
    from_ = tree.args.get("from_")
    first = [from_.this] if from_ is not None else []
    return first + [join.this for join in tree.args.get("joins") or ()]


def _bare(tree: exp.Expr) -> exp.Expr:
    """A query without its outer brackets, except brackets with an alias, ORDER BY or the like."""
    while tree.key == "subquery" and not any(
        value for key, value in tree.args.items() if key != "this"
    ):
        tree = tree.this
    return tree
