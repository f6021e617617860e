"""Rules 100 to 108 and 26: what is only another spelling of the same query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sqlglot import exp

from sqljury.equivalence.etm.keys import Keys


def respell(tree: exp.Expr, keys: Keys) -> exp.Expr:
    """Names in lower case and in full, no aliases, no parentheses, no WITH."""
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
    """Rule 26: each reference to a common table is its query."""
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
    """Rules 100 and 108; what stands in double quotes and is no name is a text."""
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
    """What stands in FROM and in the joins, in order."""
    start = select.args.get("from_")
    joins = select.args.get("joins") or []
    return ([start.this] if start is not None else []) + [join.this for join in joins]


def _without_output_names(select: exp.Select) -> None:
    """Rule 106: an output column's name is its expression wherever the query uses it."""
    for output in [o for o in select.expressions if isinstance(o, exp.Alias)]:
        for clause in ("group", "having", "order"):
            for column in _columns_in(select.args.get(clause)):
                if not column.table and column.name == output.alias:
                    column.replace(output.this.copy())
        output.replace(output.this)


def _columns_in(node: exp.Expr | None) -> list[exp.Column]:
    return [] if node is None else list(node.find_all(exp.Column))


def _without_table_aliases(select: exp.Select) -> None:
    """Rule 103: columns are named by their table; tables that stand here twice keep a number."""
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
    """Rule 101: a column has its table where only one can be meant."""
    found = sources(select)
    for column in _own_columns(select):
        if not column.table and (table := _table_of(column, found, keys)):
            column.set("table", exp.to_identifier(table))
    for i, output in enumerate(select.expressions):
        if isinstance(output, exp.Star) and len(found) == 1 and isinstance(found[0], exp.Table):
            name = exp.to_identifier(found[0].name)
            select.expressions[i].replace(exp.Column(this=exp.Star(), table=name))


def _own_columns(select: exp.Select) -> list[exp.Column]:
    """Without those of inner queries, which may mean their own tables."""
    nodes = select.walk(prune=lambda node: isinstance(node, exp.Query) and node is not select)
    return [node for node in nodes if isinstance(node, exp.Column)]


def _table_of(column: exp.Column, found: list[exp.Expr], keys: Keys) -> str | None:
    tables = [source for source in found if isinstance(source, exp.Table)]
    if len(found) == 1 and tables:
        return tables[0].name
    holders = [table.name for table in tables if column.name in keys.columns.get(table.name, ())]
    return holders[0] if len(holders) == 1 else None
