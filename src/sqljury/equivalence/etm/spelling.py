"""ETM's rules 100 to 108 and 26 (other spellings and orders), and what a schema declares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import reduce

from sqlglot import exp

from sqljury.schema import ForeignKey, Schema, Table

# ---------------------------------------------------------------- keys
# What a schema declares about single columns, by lower-case names.


Named = tuple[str, str]
"""A table's name and the name of one of its columns."""


class Keys:
    """A schema's unique columns, NOT NULL columns and foreign keys; only single-column keys."""

    def __init__(self, schema: Schema) -> None:
        self.columns: dict[str, tuple[str, ...]] = {}
        self.unique: set[Named] = set()
        self.not_null: set[Named] = set()
        self.primary: set[Named] = set()
        self.parents: dict[Named, Named] = {}
        for table in schema.tables:
            self._read(table)

    def _read(self, table: Table) -> None:
        name = table.name.lower()
        self.columns[name] = tuple([column.name.lower() for column in table.columns])
        self.not_null |= {(name, c.name.lower()) for c in table.columns if not c.nullable}
        if len(table.primary_key) == 1:
            self.primary.add((name, table.primary_key[0].lower()))
        for key in (table.primary_key, *table.unique):
            if len(key) == 1:
                self.unique.add((name, key[0].lower()))
        self.unique |= self.primary
        self.not_null |= self.primary
        for foreign_key in table.foreign_keys:
            self._refer(name, foreign_key)

    def _refer(self, name: str, key: ForeignKey) -> None:
        if len(key.columns) == len(key.target_columns) == 1:
            parent = (key.target_table.lower(), key.target_columns[0].lower())
            self.parents[name, key.columns[0].lower()] = parent

    def has(self, column: str) -> bool:
        """True if any table has a column of that name, or has that name itself."""
        return column in self.columns or any(column in names for names in self.columns.values())

    def is_unique(self, node: exp.Expr) -> bool:
        """True if the node is a column that is declared unique."""
        return named(node) in self.unique

    def is_not_null(self, node: exp.Expr) -> bool:
        """True if the node is a column that is declared NOT NULL."""
        return named(node) in self.not_null

    def equate(self, one: exp.Expr, other: exp.Expr) -> None:
        """Marks both columns as unique if one is, and as NOT NULL if one is: a join equates them.

        This is ETM's rule. It is not sound: a foreign key need not be unique.
        """
        first, second = named(one), named(other)
        if first is None or second is None:
            return
        for known in (self.unique, self.not_null):
            if first in known or second in known:
                known |= {first, second}

    def child_and_parent(self, one: exp.Expr, other: exp.Expr) -> tuple[Named, Named] | None:
        """The two columns as a foreign key and the primary key it refers to, or None."""
        names = named(one), named(other)
        for child, parent in (names, names[::-1]):
            if child and parent in self.primary and self.parents.get(child) == parent:
                return child, parent
        return None


def named(node: exp.Expr | None) -> Named | None:
    """The table and the name of a qualified column; None for any other node."""
    if isinstance(node, exp.Column) and node.table and isinstance(node.this, exp.Identifier):
        return node.table, node.name
    return None


# ---------------------------------------------------------------- spelling
# Rules 100 to 108 and 26: different spellings of the same query.


def respell(tree: exp.Expr, keys: Keys) -> exp.Expr:
    """The query with qualified lower-case names, without aliases, parentheses and WITH."""
    tree = _without_common_tables(tree)
    for identifier in list(tree.find_all(exp.Identifier)):
        _plain(identifier, keys)
    tree = tree.transform(lambda node: node.this if isinstance(node, exp.Paren) else node)
    for function in tree.find_all(exp.Anonymous):
        function.set("this", function.name.lower())
    for ordered in tree.find_all(exp.Ordered):
        ordered.set("nulls_first", None)
        ordered.set("desc", bool(ordered.args.get("desc")))
    for select in _selects_inside_out(tree):
        _without_output_names(select)
        _without_table_aliases(select)
        _qualified(select, keys)
    return tree


def _without_common_tables(tree: exp.Expr) -> exp.Expr:
    """Rule 26: each reference to a common table expression becomes its query."""
    while (clause := tree.find(exp.With)) is not None:
        scope = clause.parent
        assert scope is not None  # WITH belongs to a query
        scope.set("with_", None)
        for table in reversed(clause.expressions):
            for place in [t for t in scope.find_all(exp.Table) if t.name == table.alias]:
                alias = place.args.get("alias") or exp.TableAlias(
                    this=exp.to_identifier(place.name)
                )
                place.replace(exp.Subquery(this=table.this.copy(), alias=alias))
    return tree


def _plain(identifier: exp.Identifier, keys: Keys) -> None:
    """Rules 100 and 108: lower case, no quotes; a quoted name that no column has is a text."""
    column = identifier.parent
    if (
        identifier.args.get("quoted")
        and isinstance(column, exp.Column)
        and not column.table
        and not keys.has(identifier.name.lower())
    ):
        column.replace(exp.Literal.string(identifier.name))
        return
    identifier.set("this", identifier.name.lower())
    identifier.set("quoted", False)


def _selects_inside_out(tree: exp.Expr) -> Iterator[exp.Select]:
    yield from reversed(list(tree.find_all(exp.Select, bfs=True)))


def sources(select: exp.Select) -> list[exp.Expr]:
    """The tables and subqueries in FROM and in the joins, in order."""
    start = select.args.get("from_")
    joins = select.args.get("joins") or []
    return ([start.this] if start is not None else []) + [join.this for join in joins]


def _without_output_names(select: exp.Select) -> None:
    """Rule 106: output aliases are removed; where the query uses one, its expression is written."""
    for output in [o for o in select.expressions if isinstance(o, exp.Alias)]:
        for clause in ("group", "having", "order"):
            for column in _columns_in(select.args.get(clause)):
                if not column.table and column.name == output.alias:
                    column.replace(output.this.copy())
        output.replace(output.this)


def _columns_in(node: exp.Expr | None) -> list[exp.Column]:
    return [] if node is None else list(node.find_all(exp.Column))


def _without_table_aliases(select: exp.Select) -> None:
    """Rule 103: columns are qualified by table instead of alias.

    A table that occurs several times gets a number: ``t#1``, ``t#2``.
    """
    tables = [source for source in sources(select) if isinstance(source, exp.Table)]
    twice = {name for name, times in Counter(t.name for t in tables).items() if times > 1}
    seen: Counter[str] = Counter()
    for table in tables:
        seen[table.name] += 1
        name = f"{table.name}#{seen[table.name]}" if table.name in twice else table.name
        _rename(select, table.alias_or_name, name)
        table.set("alias", exp.TableAlias(this=exp.to_identifier(name)) if name in twice else None)


def _rename(select: exp.Select, alias: str, name: str) -> None:
    for column in select.find_all(exp.Column):
        if column.table == alias:
            column.set("table", exp.to_identifier(name))


def _qualified(select: exp.Select, keys: Keys) -> None:
    """Rule 101: an unqualified column gets its table if only one can be meant."""
    found = sources(select)
    for column in _own_columns(select):
        if not column.table and (table := _table_of(column, found, keys)):
            column.set("table", exp.to_identifier(table))
    for i, output in enumerate(select.expressions):
        if isinstance(output, exp.Star) and len(found) == 1 and isinstance(found[0], exp.Table):
            name = exp.to_identifier(found[0].name)
            select.expressions[i].replace(exp.Column(this=exp.Star(), table=name))


def _own_columns(select: exp.Select) -> list[exp.Column]:
    """The columns of a SELECT without those of inner queries, which may refer to inner tables."""
    nodes = select.walk(prune=lambda node: isinstance(node, exp.Query) and node is not select)
    return [node for node in nodes if isinstance(node, exp.Column)]


def _table_of(column: exp.Column, found: list[exp.Expr], keys: Keys) -> str | None:
    tables = [source for source in found if isinstance(source, exp.Table)]
    if len(found) == 1 and tables:
        return tables[0].name
    holders = [table.name for table in tables if column.name in keys.columns.get(table.name, ())]
    return holders[0] if len(holders) == 1 else None


# ---------------------------------------------------------------- order
# Rules 102, 104 and 105: parts whose order does not matter are sorted.


TRUE = exp.EQ(this=exp.Literal.number("1.0"), expression=exp.Literal.number("1.0"))


def ordered(select: exp.Select) -> exp.Select:
    """Sorts in place: output columns, inner joins and their conditions, operands of =, AND, OR."""
    select.set("expressions", sorted(select.expressions, key=_by_text))
    _order_joins(select)
    for node in reversed(list(select.find_all(exp.EQ, exp.And, exp.Or))):
        if isinstance(node, exp.EQ):
            _order_sides(node)
        elif not isinstance(node.parent, type(node)):
            node.replace(joined(type(node), sorted(node.flatten(), key=_by_text)))
    return select


def _by_text(node: exp.Expr) -> tuple[str, str]:
    return type(node).__name__, node.sql()


def _order_sides(node: exp.EQ) -> None:
    first, second = sorted((node.this, node.expression), key=_by_text)
    node.set("this", first)
    node.set("expression", second)


def joined(kind: type[exp.Binary], operands: list[exp.Expr]) -> exp.Expr:
    """The operands joined by a binary operator, nested from the left."""
    return reduce(lambda one, other: kind(this=one, expression=other), operands)


def conjuncts(node: exp.Expr | None) -> list[exp.Expr]:
    """The operands of AND, or the node itself."""
    if node is None:
        return []
    return list(node.flatten()) if isinstance(node, exp.And) else [node]


def conjunction(operands: list[exp.Expr]) -> exp.Expr | None:
    """The operands joined by AND; None if there are none."""
    return joined(exp.And, operands) if operands else None


def inner_joins(select: exp.Select) -> list[exp.Join]:
    """The joins of a SELECT if all are inner joins with ON or no condition; else empty."""
    joins = select.args.get("joins") or []
    plain = all(not join.side and not join.method and not join.args.get("using") for join in joins)
    return list(joins) if plain else []


def set_joins(select: exp.Select, tables: list[exp.Expr], on: list[exp.Expr]) -> None:
    """Makes FROM join these tables in this order; the first join gets all conditions."""
    select.set("from_", exp.From(this=tables[0]))
    joins = [exp.Join(this=table) for table in tables[1:]]
    if joins:
        joins[0].set("on", conjunction(on))
    elif on:
        add_condition(select, on)
    select.set("joins", joins or None)


def add_condition(select: exp.Select, conditions: list[exp.Expr]) -> None:
    """Adds conditions to WHERE, before the query's own ones."""
    where = select.args.get("where")
    both = conditions + conjuncts(where.this if where else None)
    select.set("where", exp.Where(this=conjunction(both)))


def _order_joins(select: exp.Select) -> None:
    if joins := inner_joins(select):
        parts = [part for join in joins for part in conjuncts(join.args.get("on"))]
        on = [part for part in parts if not isinstance(part, exp.Boolean)]  # of a join without ON
        set_joins(select, sorted(sources(select), key=_by_text), sorted(on, key=_by_text))
