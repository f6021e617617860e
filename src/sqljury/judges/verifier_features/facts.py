"""The clauses of a query per SELECT, and the roles of its columns, for the verifier's features."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from sqljury.schema import Schema
from sqljury.sql import parse
from sqljury.sql.names import DERIVED, UNKNOWN, Names, TableScope, names_of

if TYPE_CHECKING:
    from sqlglot import exp

_AGGREGATES = {"count": "count", "avg": "avg", "sum": "sum", "max": "max", "min": "min"}
_OPERATORS = {
    "eq": "=",
    "neq": "!=",
    "gt": ">",
    "gte": ">=",
    "lt": "<",
    "lte": "<=",
    "like": "like",
    "ilike": "like",
    "glob": "like",
    "between": "between",
    "in": "in",
    "is": "is",
    "exists": "exists",
}
_SET_OPERATIONS = ("union", "intersect", "except")


@dataclass(frozen=True, slots=True)
class ExpressionFacts:
    """The column and the aggregate of an expression: ``count(distinct t.c)``."""

    column: str
    """``table.column`` in lower case, ``*``, or empty for no column or several."""
    function: str = ""
    """An aggregate, ``other`` for any other computation, empty for a plain column."""
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class ConditionFacts:
    """One condition on a column."""

    item: ExpressionFacts
    operator: str
    """With ``not`` in front if it is negated: ``not in``, ``not like``."""
    values: tuple[str, ...] = ()
    is_text: bool = False
    has_query: bool = False


@dataclass(frozen=True, slots=True)
class SelectFacts:
    """One SELECT of a query."""

    place: str
    """``top``, an ``operand`` of a set operation, or inside ``from``, ``where``, ``having``."""
    items: tuple[ExpressionFacts, ...]
    distinct: bool
    tables: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    """Pairs of columns that are compared: joins, and IN with the column of its subquery."""
    outer_joins: int
    where: tuple[ConditionFacts, ...]
    having: tuple[ConditionFacts, ...]
    ors: int
    group: tuple[ExpressionFacts, ...]
    order: tuple[tuple[ExpressionFacts, bool], ...]
    """The sort keys, each with True if it is descending."""
    limit: int | None


@dataclass(frozen=True, slots=True)
class Facts:
    """The blocks of a query, the outermost first, and its outermost set operation if any."""

    blocks: tuple[SelectFacts, ...]
    set_operation: str

    @property
    def top(self) -> SelectFacts:
        """The outermost block; the first operand of a set operation."""
        return self.blocks[0]


@lru_cache(maxsize=256)
def facts_of(sql: str, dialect: str, schema: Schema) -> Facts | None:
    """The facts of a query, or None if it cannot be parsed or has an unknown construct.

    >>> from sqljury.schema import Column, Table
    >>> schema = Schema(dialect="sqlite", tables=(Table(name="t", columns=(Column(name="a"),)),))
    >>> facts_of("SELECT count(*) FROM t WHERE a > 3", "sqlite", schema).top.where[0].operator
    '>'
    """
    from sqlglot import exp

    tree = parse(sql, dialect)
    if not isinstance(tree, exp.Query):
        return None
    reader = _BlockCollector(names_of(schema))
    try:
        reader.query(tree, "top", None)
    except (RecursionError, AttributeError, TypeError, ValueError):
        return None  # a construct that this reader does not know
    if not reader.blocks or not reader.blocks[0].items:
        return None
    operation = _bare(tree).key
    return Facts(tuple(reader.blocks), operation if operation in _SET_OPERATIONS else "")


class _BlockCollector:
    """Collects blocks, outer ones before inner ones."""

    def __init__(self, names: Names) -> None:
        self.blocks: list[SelectFacts] = []
        self._names = names
        self._ctes: set[str] = set()

    def query(self, tree: exp.Expr, place: str, outer: TableScope | None) -> None:
        tree = _bare(tree)
        with_ = tree.args.get("with_")
        ctes = with_.expressions if with_ else ()
        self._ctes |= {cte.alias.lower() for cte in ctes}
        if tree.key in _SET_OPERATIONS:
            self.query(tree.this, place, outer)
            self.query(tree.expression, "operand" if place == "top" else place, outer)
        elif tree.key == "select":
            self._select(tree, place, outer)
        for cte in ctes:
            self.query(cte.this, "from", None)

    def _select(self, tree: exp.Expr, place: str, outer: TableScope | None) -> None:
        from_ = tree.args.get("from_")
        sources = [from_.this] if from_ is not None else []
        sources += [join.this for join in tree.args.get("joins") or ()]
        tables = []
        for one in sources:
            name = one.name.lower() if one.key == "table" else ""
            known = name and name not in self._ctes
            tables.append((one.alias_or_name.lower(), name if known else DERIVED))
        scope = TableScope(tuple(tables), outer, self._names)
        inner = [(one.this, "from") for one in sources if one.key == "subquery"]
        block = _BlockReader(scope, inner)
        self.blocks.append(block.read(tree, place, tuple(t for _, t in tables if t != DERIVED)))
        for query, where in block.inner:
            self.query(query, where, scope if where != "from" else outer)


class _BlockReader:
    """Reads the clauses of one SELECT and collects its subqueries, which are read later."""

    def __init__(self, scope: TableScope, inner: list[tuple[exp.Expr, str]]) -> None:
        self.scope = scope
        self.inner = inner
        self._links: list[tuple[str, str]] = []
        self._ors = 0
        self._named: dict[str, exp.Expr] = {}
        self._items: list[exp.Expr] = []

    def read(self, tree: exp.Expr, place: str, tables: tuple[str, ...]) -> SelectFacts:
        args = tree.args
        self._items = list(tree.expressions)
        self._named = {one.alias.lower(): one.this for one in self._items if one.key == "alias"}
        joins = args.get("joins") or ()
        where: list[ConditionFacts] = []
        for join in joins:
            where += self._conditions(join.args.get("on"), "where")
            for name in join.args.get("using") or ():
                column = name.name.lower()
                self._links.append((self.scope.table_of(column, "") + "." + column,) * 2)
        where += self._conditions(args.get("where") and args["where"].this, "where")
        having = self._conditions(args.get("having") and args["having"].this, "having")
        for item in self._items:
            self.inner += [(query, "where") for query in _queries(item)]
        group, order = (getattr(args.get(key), "expressions", ()) for key in ("group", "order"))
        return SelectFacts(
            place,
            tuple(self.item(one) for one in self._items),
            args.get("distinct") is not None,
            tables,
            tuple(self._links),
            sum(bool(join.args.get("side")) for join in joins),
            tuple(where),
            tuple(having),
            self._ors,
            tuple(self.item(one) for one in group),
            tuple((self.item(key.this), bool(key.args.get("desc"))) for key in order),
            _number(args.get("limit")),
        )

    def item(self, node: exp.Expr) -> ExpressionFacts:
        """The facts of an expression; aliases and numbers of SELECT items are resolved."""
        from sqlglot import exp

        node = _plain(node)
        if node.key == "literal" and str(node.this).isdigit():
            place = int(str(node.this))
            if 1 <= place <= len(self._items):
                node = _plain(self._items[place - 1])
        if node.key == "column" and not node.text("table"):
            same = self._named.get(node.name.lower())
            if same is not None and self._is_unknown(node):
                node = _plain(same)
        if node.key == "star":
            return ExpressionFacts("*")
        if node.key == "column":
            return ExpressionFacts("*" if node.this.key == "star" else self._column(node))
        function = _AGGREGATES.get(node.key, "other")
        if function == "other":
            columns = set(map(self._column, node.find_all(exp.Column)))
            return ExpressionFacts(columns.pop() if len(columns) == 1 else "", "other")
        inside = node.this
        distinct = inside is not None and inside.key == "distinct"
        if distinct:
            inside = inside.expressions[0] if inside.expressions else inside.this
        if inside is None or inside.key == "star":
            return ExpressionFacts("*", function, distinct)
        return ExpressionFacts(self.item(inside).column, function, distinct)

    def _column(self, node: exp.Expr) -> str:
        name = node.name.lower()
        return f"{self.scope.table_of(name, node.text('table').lower())}.{name}"

    def _is_unknown(self, node: exp.Expr) -> bool:
        return self.scope.table_of(node.name.lower(), "") in (UNKNOWN, DERIVED)

    def _conditions(self, node: exp.Expr | None, key: str) -> list[ConditionFacts]:
        """The conditions that AND and OR connect in a clause."""
        found: list[ConditionFacts] = []
        waiting: list[tuple[exp.Expr, bool]] = [] if node is None else [(node, False)]
        while waiting:
            at, negated = waiting.pop()
            if at.key in ("and", "or"):
                self._ors += at.key == "or"
                waiting += [(at.expression, negated), (at.this, negated)]
            elif at.key in ("paren", "not"):
                waiting.append((at.this, negated != (at.key == "not")))
            elif at.key != "boolean":  # a JOIN without ON is parsed as ON TRUE
                found += self._comparison(at, negated, key)
        return found

    def _comparison(self, node: exp.Expr, negated: bool, key: str) -> Iterator[ConditionFacts]:
        """The facts of a condition; nothing if it only joins tables."""
        queries = list(_queries(node))
        self.inner += [(query, key) for query in queries]
        operator = _OPERATORS.get(node.key, "other")
        left = node.this if node.this is not None and not isinstance(node.this, str) else node
        rights = [node.args[k] for k in ("expression", "low", "high") if node.args.get(k)]
        rights += [one for one in node.expressions if one is not None]
        if _is_value(left) and rights and not _is_value(rights[0]):
            left, rights = rights[0], [left]
            operator = {">": "<", "<": ">", ">=": "<=", "<=": ">="}.get(operator, operator)
        item = ExpressionFacts("") if node.key == "exists" else self.item(left)
        if rights and rights[0].key == "column" and not self._is_text(rights[0]):
            self._links.append((item.column, self._column(rights[0])))
            if operator == "=" and not item.function:
                return
        if node.key == "in" and queries:
            selected = queries[0].selects if hasattr(queries[0], "selects") else []
            if selected and _plain(selected[0]).key == "column":
                self._links.append((item.column, f"?.{_plain(selected[0]).name.lower()}"))
        values = tuple(
            f"-{one.this.this}" if one.key == "neg" else str(one.name)
            for one in rights
            if _is_value(one) or self._is_text(one)
        )
        text = any(one.args.get("is_string") or self._is_text(one) for one in rights)
        name = f"not {operator}" if negated else operator
        yield ConditionFacts(item, name, values, text, bool(queries))

    def _is_text(self, node: exp.Expr) -> bool:
        """True for "x" in double quotes that is no column: SQLite reads it as a text."""
        if node.key != "column" or node.text("table") or not node.this.args.get("quoted"):
            return False
        return self._is_unknown(node)


def _plain(node: exp.Expr) -> exp.Expr:
    while node.key in ("alias", "paren", "ordered") or (
        node.key in ("cast", "distinct") and node.this is not None
    ):
        node = node.this
    return node


def _bare(tree: exp.Expr) -> exp.Expr:
    while tree.key in ("subquery", "paren"):
        tree = tree.this
    return tree


def _queries(node: exp.Expr) -> Iterator[exp.Expr]:
    """The outermost queries inside an expression."""
    waiting = [node]
    while waiting:
        at = waiting.pop()
        if at.key in ("select", *_SET_OPERATIONS):
            yield at
        else:
            waiting += list(at.iter_expressions())


def _is_value(node: exp.Expr) -> bool:
    return node.key == "literal" or (node.key == "neg" and node.this.key == "literal")


def _number(limit: exp.Expr | None) -> int | None:
    if limit is None:
        return None
    text = str((limit.expression or limit).name)
    return int(text) if text.isdigit() else -1


ROLES = ("select", "condition", "group", "order")


def roles_of(facts: Facts, merged: Mapping[str, str]) -> dict[str, set[str]]:
    """By role, the columns that have it in a query.

    Of columns that foreign keys make equal only the first is named. Columns that only join tables
    have no role.
    """
    found: dict[str, set[str]] = {role: set() for role in ROLES}
    for block in facts.blocks:
        outer = block.place in ("top", "operand")
        for item in block.items:
            if outer:
                found["select"].add(item.column)
            elif block.place != "from" and item.function in ("max", "min", "avg", "sum"):
                found["order"].add(item.column)
        for one in (*block.where, *block.having):
            if not (one.has_query and one.operator in ("in", "not in")):
                found["condition"].add(one.item.column)
        found["group"] |= {item.column for item in block.group}
        found["order"] |= {item.column for item, _ in block.order}
    return {role: {merged.get(one, one) for one in columns} for role, columns in found.items()}


def tables_used(facts: Facts) -> set[str]:
    """The tables of all blocks."""
    return {table for block in facts.blocks for table in block.tables}
