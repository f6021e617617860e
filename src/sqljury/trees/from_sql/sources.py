"""Builds the FROM clause: tables, queries, functions and joins; and common table expressions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sqlglot import exp

from sqljury.schema import Table
from sqljury.sql.resolve import exact_name, is_qualified, shown_name
from sqljury.trees.from_sql.expressions import expression
from sqljury.trees.from_sql.reading import NoTreeError, invalid, plain, unsupported
from sqljury.trees.from_sql.scopes import (
    ROWIDS,
    TABLE_SUFFIX,
    Cte,
    Ctes,
    Environment,
    FromItem,
    FromScope,
    NamedRelation,
    identifier,
)
from sqljury.trees.from_sql.structs import declared_type, element_of, fields_of
from sqljury.trees.nodes import (
    TRUE,
    Call,
    Expression,
    Filter,
    Join,
    JoinKind,
    Recursive,
    Ref,
    Relation,
    Scan,
    SetKind,
    SetOperation,
    TableFunction,
    Working,
)
from sqljury.trees.walk import outer_references, shift, width

Piece = tuple[Relation, FromScope]
"""A relation, and the scope in which its columns can be named."""

_MOST_JOINS = 64
"""SQLite's own limit; each join makes the tree deeper."""
_OF_FUNCTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "sqlite": {
        "JSON_EACH": ("key", "value", "type", "atom", "id", "parent", "fullkey", "path"),
        "JSON_TREE": ("key", "value", "type", "atom", "id", "parent", "fullkey", "path"),
        "GENERATE_SERIES": ("value",),
        "PRAGMA_TABLE_INFO": ("cid", "name", "type", "notnull", "dflt_value", "pk"),
    },
    "snowflake": {
        "SPLIT_TO_TABLE": ("seq", "index", "value"),
        "STRTOK_SPLIT_TO_TABLE": ("seq", "index", "value"),
    },
}
"""Output columns of table functions, by dialect."""
_MASTER = frozenset(("sqlite_master", "sqlite_schema", "sqlite_temp_master"))
_MASTER_COLUMNS = ("type", "name", "tbl_name", "rootpage", "sql")


def from_clause(node: exp.Expr, environment: Environment) -> Piece | None:
    """The relation that a SELECT reads and the scope of its expressions; None without FROM."""
    start = node.args.get("from_")
    if start is None:
        return None
    relation, scope, late = _joined(start.this, node.args.get("joins") or [], environment)
    for condition in late:
        relation = Filter(relation, expression(condition, scope))
    return relation, scope


def _joined(
    first: exp.Expr, joins: list[exp.Join], environment: Environment
) -> tuple[Relation, FromScope, list[exp.Expr]]:
    if len(joins) > _MOST_JOINS:
        raise NoTreeError(f"more than {_MOST_JOINS} joins", "too_deep")
    late: list[exp.Expr] = []
    pieces = [_item(first, environment)]
    grouped = _commas_bind_last(joins, environment)
    for join in joins:
        if grouped and _is_comma(join):
            pieces.append(_item(join.this, environment))
        else:
            pieces[-1] = _join(pieces[-1], join, environment, late)
    relation, scope = pieces[0]
    for right, right_scope in pieces[1:]:
        relation = Join(JoinKind.INNER, relation, right, TRUE)
        scope = scope.with_right(right_scope)
    return relation, scope, late


def _commas_bind_last(joins: list[exp.Join], environment: Environment) -> bool:
    """True if commas must be joined after all JOINs, because these have outer joins or NATURAL.

    In SQLite, commas and JOIN have the same precedence.
    """
    return environment.dialect != "sqlite" and any(
        join.args.get("side") in ("RIGHT", "FULL") or join.args.get("method") for join in joins
    )


def _is_comma(join: exp.Join) -> bool:
    keys = ("side", "kind", "method", "on", "using")
    return not any(join.args.get(key) for key in keys) and not _is_lateral(join.this)


# ---------------------------------------------------------------- joins

_KINDS = {
    "": JoinKind.INNER,
    "LEFT": JoinKind.LEFT,
    "RIGHT": JoinKind.RIGHT,
    "FULL": JoinKind.FULL,
}


def _join(left: Piece, join: exp.Join, environment: Environment, late: list[exp.Expr]) -> Piece:
    kind = _kind(join)
    relation, left_scope = left
    right, right_scope, lateral = _right(join, left_scope, environment)
    if lateral and getattr(join.this, "args", {}).get("cross_apply") is False:
        kind = JoinKind.LEFT  # OUTER APPLY
    names = _using(join, left_scope, right_scope)
    scope = left_scope.with_right(right_scope)
    if names:
        condition = _merge(names, kind, left_scope, right_scope, scope)
    else:
        condition = _condition(join, kind, scope, late)
    joined = Join(kind, relation, right, condition, lateral)
    return joined, left_scope if kind in (JoinKind.SEMI, JoinKind.ANTI) else scope


def _kind(join: exp.Join) -> JoinKind:
    side, kind, method = (
        str(join.args.get(key) or "").upper() for key in ("side", "kind", "method")
    )
    if kind in ("SEMI", "ANTI") and side in ("", "LEFT"):
        return JoinKind[kind]
    if kind not in ("", "INNER", "OUTER", "CROSS", "STRAIGHT") or side not in _KINDS:
        raise unsupported(f"{side} {kind} JOIN".strip())
    if method not in ("", "NATURAL") or join.args.get("pivots") or join.args.get("nearest"):
        raise unsupported(f"{method} JOIN".strip())
    if join.args.get("match_condition") is not None:
        raise unsupported("MATCH_CONDITION")
    return _KINDS[side]


def _is_lateral(node: exp.Expr) -> bool:
    is_function = isinstance(node, exp.Table) and isinstance(node.this, exp.Func)
    return is_function or isinstance(node, exp.Lateral | exp.Unnest)


def _right(
    join: exp.Join, left: FromScope, environment: Environment
) -> tuple[Relation, FromScope, bool]:
    """The right side of a join, and whether it reads the left row (lateral)."""
    node = join.this
    if not _is_lateral(node):
        if environment.dialect != "duckdb":
            return (*_item(node, environment), False)
        try:
            return (*_item(node, environment), False)
        except NoTreeError as error:  # DuckDB allows lateral queries without the keyword
            if error.kind != "unknown_name":
                raise
    relation, scope = _item(node, left.inside())
    if any(level == 1 for level, _ in outer_references(relation)):
        return (
            relation,
            FromScope(environment, scope.sources, scope.merged, scope.merged_order),
            True,
        )
    return (*_item(node, environment), False)


def _using(join: exp.Join, left: FromScope, right: FromScope) -> list[str]:
    names = [identifier(node) for node in join.args.get("using") or []]
    if str(join.args.get("method") or "").upper() != "NATURAL":
        return names
    known = {name for source in left.sources for name in _visible(source)}
    found = (name for source in right.sources for name in _visible(source) if name in known)
    return list(dict.fromkeys(found))


def _visible(source: FromItem) -> Iterable[str]:
    return (c.lower() for i, c in enumerate(source.columns) if i not in source.hidden)


def _merge(
    names: list[str],
    kind: JoinKind,
    left: FromScope,
    right: FromScope,
    scope: FromScope,
) -> Expression:
    """The join condition of USING; registers the merged columns in ``scope``."""
    by, equal = left.width, []
    hidden: set[int] = set()
    for name in names:
        position, ours = _only(left, name)
        hidden_position, theirs = _only(right, name)
        hidden.add(hidden_position + by)
        theirs = shift(theirs, by)
        equal.append(Call("=", (ours, theirs)))
        scope.merged[name] = (position, _merged_value(kind, ours, theirs))
    scope.sources = [
        source.hiding(frozenset(p - source.start for p in hidden if p >= source.start))
        for source in scope.sources
    ]
    before = [name for name in scope.merged_order if name not in names]
    scope.merged_order = (*names, *before)
    return equal[0] if len(equal) == 1 else Call("AND", tuple(equal))


def _merged_value(kind: JoinKind, left: Expression, right: Expression) -> Expression:
    match kind:
        case JoinKind.RIGHT:
            return right
        case JoinKind.FULL:
            return Call("COALESCE", (left, right))
        case _:
            return left


def _only(scope: FromScope, name: str) -> tuple[int, Expression]:
    found = scope.columns("", name)
    if not found:
        raise NoTreeError(f"USING names {name}, which is not on both sides", "unknown_name")
    if len(found) > 1 and scope.dialect != "sqlite":  # SQLite takes the first
        raise NoTreeError(f"{name} is in several tables", "ambiguous_name")
    return found[0]


def _condition(
    join: exp.Join, kind: JoinKind, scope: FromScope, late: list[exp.Expr]
) -> Expression:
    node = join.args.get("on")
    if node is None:
        return TRUE
    scope.aliases_seen = False
    try:
        return expression(node, scope)
    except NoTreeError as error:
        # SQLite treats ON of an inner join as part of WHERE, so it can read later tables.
        later = scope.dialect == "sqlite" and kind is JoinKind.INNER
        if error.kind != "unknown_name" or not later:
            raise
        late.append(node)
        return TRUE


# ---------------------------------------------------------------- what is joined


def _item(node: exp.Expr, environment: Environment) -> Piece:
    environment.work.enter()
    try:
        if isinstance(node, exp.Table):
            return _table(node, environment)
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table | exp.Subquery):
            return _bracket(node, environment)
        if isinstance(node, exp.Subquery | exp.Values):
            return _query(node, environment)
        if isinstance(node, exp.Lateral):
            return _lateral(node, environment)
        if isinstance(node, exp.Unnest):
            return _unnest(node, environment)
        if isinstance(node, exp.TableFromRows) and _is_flatten(node.this, environment):
            return _flatten(node.this, *_alias(node), environment)
        raise unsupported(f"{type(node).__name__} in FROM")
    finally:
        environment.work.level -= 1


def _alias(node: exp.Expr) -> tuple[str, tuple[str, ...]]:
    """The alias in lower case, and its column names in brackets."""
    alias = node.args.get("alias")
    if alias is None:
        return "", ()
    columns = tuple(plain(column.name) for column in alias.args.get("columns") or [])
    return identifier(alias.args.get("this")), columns


def _named(names: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    if len(new) > len(names):
        raise invalid(f"{len(new)} names for {len(names)} columns")
    return (*new, *names[len(new) :])


def _one(relation: Relation, source: FromItem, environment: Environment) -> Piece:
    return relation, FromScope(environment, [source])


def _refuse(node: exp.Expr, *keys: str) -> None:
    for key in keys:
        if node.args.get(key):
            raise unsupported(key.upper().replace("_", " "))


def _bracket(node: exp.Subquery, environment: Environment) -> Piece:
    """Joined tables in brackets: their names are visible outside unless the brackets have an
    alias."""
    inner = node.this
    name, columns = _alias(node)
    if isinstance(inner, exp.Subquery):
        if not isinstance(inner.this, exp.Table | exp.Subquery):
            # A query in brackets followed by joins, or in double brackets.
            piece = _query(inner, environment)
        else:
            piece = _bracket(inner, environment)
        joins = node.args.get("joins") or inner.args.get("joins") or []
        piece = _with_joins(piece, joins, environment)
    else:
        piece = _item(inner, environment)
    if not name:
        return piece
    relation, scope = piece
    found = tuple(column for source in scope.sources for column in source.columns)
    hidden = frozenset(source.start + i for source in scope.sources for i in source.hidden)
    if any(not isinstance(value, Ref) for _, value in scope.merged.values()):
        raise unsupported("a name for a FULL JOIN with USING")
    return _one(relation, FromItem(name, _named(found, columns), hidden=hidden), environment)


def _with_joins(piece: Piece, joins: list[exp.Join], environment: Environment) -> Piece:
    late: list[exp.Expr] = []
    for join in joins:
        piece = _join(piece, join, environment, late)
    if late:
        raise NoTreeError("ON names a table outside of its brackets", "unknown_name")
    return piece


def _query(node: exp.Expr, environment: Environment) -> Piece:
    name, columns = _alias(node)
    _refuse(node, "sample", "pivots")
    query = environment.work.build(node, environment)
    names = _outer_names(_named(query.names, columns), environment)
    source = FromItem(name, names, unnamed={} if columns else query.unnamed)
    return _one(query.relation, source, environment)


def _outer_names(names: tuple[str, ...], environment: Environment) -> tuple[str, ...]:
    """The names by which a query around reads the columns: SQLite gives a column named ``true`` or
    ``false`` another name."""
    if environment.dialect != "sqlite":
        return names
    return tuple(
        f"column{place}" if name.casefold() in ("true", "false") else name
        for place, name in enumerate(names, start=1)
    )


def _lateral(node: exp.Lateral, environment: Environment) -> Piece:
    _refuse(node, "view", "outer", "ordinality")
    name, columns = _alias(node)
    inner = node.this
    if isinstance(inner, exp.Subquery):
        query = environment.work.build(inner, environment)
        return _one(query.relation, FromItem(name, _named(query.names, columns)), environment)
    if _is_flatten(inner, environment):
        return _flatten(inner, name, columns, environment)
    return _function(inner, name, columns, environment)


_FLATTENED = ("seq", "key", "path", "index", "value", "this")


def _is_flatten(node: exp.Expr, environment: Environment) -> bool:
    named = isinstance(node, exp.Anonymous) and plain(node.name).upper() == "FLATTEN"
    return environment.dialect == "snowflake" and (named or isinstance(node, exp.Explode))


def _flatten(
    node: exp.Expr, name: str, columns: tuple[str, ...], environment: Environment
) -> Piece:
    """Snowflake's FLATTEN(INPUT => …, OUTER => …)."""
    first = [] if isinstance(node, exp.Anonymous) else [node.this]
    call = _with_keywords("FLATTEN", [*first, *node.expressions], "input", environment)
    if "input" not in call.name:
        raise invalid("FLATTEN without INPUT")
    names = _named(_FLATTENED, columns)
    call = replace(call, columns=names)
    return _one(call, FromItem(name or "flatten", names), environment)


def _with_keywords(
    name: str, parts: list[exp.Expr], first: str, environment: Environment
) -> TableFunction:
    """A call of Snowflake's with its arguments in the order of their names, which are part of its
    name; one without a name is called ``first``."""
    arguments = {}
    for part in parts:
        named = isinstance(part, exp.Kwarg)
        arguments[part.this.name.lower() if named else first] = part.expression if named else part
    empty = FromScope(environment)
    operands = tuple(expression(arguments[key], empty) for key in sorted(arguments))
    return TableFunction(" ".join((name, *sorted(arguments))), operands, ())


def _wildcard(
    prefix: str, name: str, columns: tuple[str, ...], environment: Environment
) -> Piece | None:
    """BigQuery's wildcard table: all tables whose names have a prefix, and the rest of the name in
    the hidden column _TABLE_SUFFIX. None if the schema has no such table.

    Nothing is known of it but its columns, those of the last of the tables.
    """
    tables = environment.work.tables
    short = prefix.rpartition(".")[2]
    family = [key for key in sorted(tables) if key.startswith((prefix, short))]
    if not family:
        return None
    last = tables[family[-1]]
    known = tuple(column.name for column in last.columns)
    hidden = frozenset((len(known),))
    types = _types(last, "bigquery")
    source = FromItem(name, (*_named(known, columns), ""), hidden=hidden, types=types)
    source.positions.setdefault(TABLE_SUFFIX, len(known))
    operand = expression(exp.Literal.string(prefix), FromScope(environment))
    call = TableFunction("WILDCARD TABLE", (operand,), (*known, TABLE_SUFFIX))
    return _one(call, source, environment)


def _unnest(node: exp.Unnest, environment: Environment) -> Piece:
    _refuse(node, "explode_array")
    name, columns = _alias(node)
    empty = FromScope(environment)
    operands = tuple(expression(part, empty) for part in node.expressions)
    columns = columns or (name or "unnest",)
    offset = node.args.get("offset")
    if environment.dialect != "bigquery":
        _refuse(node, "offset")
        return _one(
            TableFunction("UNNEST", operands, columns), FromItem(name, columns), environment
        )
    name = name or columns[0].lower()  # the alias names the element, and fields are read from it
    element = element_of(declared_type(operands[0], empty)) if len(operands) == 1 else ""
    item = FromItem(name, columns, types={0: element}, fields=tuple(fields_of(element)))
    if not offset:
        return _one(TableFunction("UNNEST", operands, ("element",)), item, environment)
    number = plain(offset.name) if isinstance(offset, exp.Identifier) else "offset"
    call = TableFunction("UNNEST WITH OFFSET", operands, ("element", "offset"))
    return call, FromScope(environment, [item, FromItem(number.lower(), (number,), start=1)])


def _function(
    node: exp.Expr, name: str, columns: tuple[str, ...], environment: Environment
) -> Piece:
    if environment.dialect == "snowflake" and plain(node.name).upper() == "GENERATOR":
        numbers = _with_keywords("GENERATOR", node.expressions, "rowcount", environment)
        return _one(numbers, FromItem(name, ()), environment)
    call = expression(node, FromScope(environment))
    if not isinstance(call, Call):
        raise unsupported(f"{type(node).__name__} in FROM")
    known = _OF_FUNCTIONS.get(environment.dialect, {}).get(call.name)
    names = _named(known, columns) if known else columns or (name or call.name.lower(),)
    source = FromItem(name or call.name.lower(), names)
    return _one(TableFunction(call.name, call.operands, names), source, environment)


# ---------------------------------------------------------------- tables


def _table(node: exp.Table, environment: Environment) -> Piece:
    _refuse(node, "pivots", "system_time", "version", "sample", "rows_from", "changes", "when")
    _refuse(node, "laterals", "partition", "format", "ordinality", "only")
    name, columns = _alias(node)
    call = node.this
    if isinstance(call, exp.Anonymous) and plain(call.name).upper() == "TABLE":
        call = call.expressions[0] if len(call.expressions) == 1 else call
    if _is_flatten(call, environment):
        piece = _flatten(call, name, columns, environment)
    elif isinstance(node.this, exp.Func):
        piece = _function(call, name, columns, environment)
    else:
        piece = _plain_table(node, name, columns, environment)
    return _with_joins(piece, node.args.get("joins") or [], environment)


def _plain_table(
    node: exp.Table, name: str, columns: tuple[str, ...], environment: Environment
) -> Piece:
    called = identifier(node.this)
    namespace = identifier(node.args.get("db"))
    cte = None if namespace or is_qualified(node) else environment.ctes.find(called)
    if cte is not None:
        if cte.reading and cte.working is None:
            raise invalid(f"{called} reads itself")
        return _common_table(cte, name or called, columns, environment)
    tables, own = environment.work.tables, shown_name(called)
    table = tables.get(f"{shown_name(namespace)}.{own}") or tables.get(own)
    if table is not None:
        return _scan(table, name or called, columns, environment)
    if called.endswith("*") and environment.dialect == "bigquery":
        prefix = f"{namespace}.{called[:-1]}" if namespace else called[:-1]
        found = _wildcard(prefix, name or called, columns, environment)
        if found is not None:
            return found
    if called in _MASTER and environment.dialect == "sqlite":
        scan = Scan(called, _MASTER_COLUMNS)
        return _one(scan, FromItem(name or called, _named(_MASTER_COLUMNS, columns)), environment)
    raise NoTreeError(f"no table {called}", "unknown_name")


def _scan(table: Table, name: str, columns: tuple[str, ...], environment: Environment) -> Piece:
    names = tuple(column.name for column in table.columns)
    shown, dialect = names, environment.dialect
    if environment.work.exact:
        shown = tuple(exact_name(column, dialect) for column in names)
    source = FromItem(name, _named(shown, columns), types=_types(table, dialect))
    asked = environment.dialect == "sqlite" and not environment.work.row_ids.isdisjoint((name, ""))
    if not asked or table.is_view or not ROWIDS.isdisjoint(source.positions):
        return _one(Scan(table.name, names), source, environment)
    key = _row_id_column(table)
    if key is None:
        names = (*names, "rowid")
        source = FromItem(name, (*source.columns, ""), hidden=frozenset((len(names) - 1,)))
        key = len(names) - 1
    for row_id in ROWIDS:
        source.positions.setdefault(row_id, key)
    return _one(Scan(table.name, names), source, environment)


def _types(table: Table, dialect: str) -> dict[int, str]:
    """The types of a BigQuery table's columns; elsewhere nobody reads them here."""
    if dialect != "bigquery":
        return {}
    return {i: column.type for i, column in enumerate(table.columns)}


def _row_id_column(table: Table) -> int | None:
    """The column that is an alias of SQLite's row id: one declared exactly INTEGER PRIMARY KEY.

    None without one.
    """
    if len(table.primary_key) != 1:
        return None
    wanted = table.primary_key[0].lower()
    for i, column in enumerate(table.columns):
        if column.name.lower() == wanted:
            return i if column.type.strip().upper() == "INTEGER" else None
    return None


def _common_table(cte: Cte, name: str, columns: tuple[str, ...], environment: Environment) -> Piece:
    if cte.working is not None:
        before, names = cte.working
        depth = environment.work.steps - before - 1
        relation: Relation = Working(depth, len(names), names)
        return _one(relation, FromItem(name, _named(names, columns)), environment)
    query = _read(cte, environment)
    names = _named(query.names, cte.columns)
    unnamed = {} if cte.columns else query.unnamed
    names = _outer_names(_named(names, columns), environment)
    return _one(query.relation, FromItem(name, names, unnamed=unnamed), environment)


def _read(cte: Cte, environment: Environment) -> NamedRelation:
    from sqljury.trees.from_sql.sources import is_recursive, recursive

    # Its names are resolved where it was defined, at the depth of the query that reads it.
    at = replace(cte.environment, depth=environment.depth)
    cte.reading = True
    try:
        if cte.recursive and is_recursive(cte):
            return recursive(cte, at)
        return environment.work.build(cte.node, at)
    finally:
        cte.reading = False


def with_ctes(node: exp.Expr, environment: Environment) -> Environment:
    """The environment of a query with its own WITH added."""
    clause = node.args.get("with_")
    if clause is None:
        return environment
    if clause.args.get("search") or clause.args.get("cycle") or clause.args.get("udfs"):
        raise unsupported("SEARCH or CYCLE of a recursive query")
    # In SQLite and T-SQL, a WITH is recursive without the keyword RECURSIVE.
    recursive = bool(clause.args.get("recursive")) or environment.dialect in ("sqlite", "tsql")
    ctes = environment.ctes
    together = Ctes({}, environment.ctes)
    for definition in clause.expressions:
        name, columns = _alias(definition)
        cte = Cte(name, definition.this, columns, environment, recursive)
        if recursive:  # all can read each other
            cte.environment = replace(environment, ctes=together)
            together.named[name] = cte
        else:
            before, ctes = ctes, Ctes({name: cte}, ctes)
            cte.recursive = _is_recursive_union(cte, environment.dialect)
            cte.environment = replace(environment, ctes=ctes if cte.recursive else before)
    return replace(environment, ctes=together if recursive else ctes)


# ---------------------------------------------------------------- recursion
#
# WITH RECURSIVE: the rows that it starts with, and those that each step adds.


def _is_recursive_union(cte: Cte, dialect: str) -> bool:
    """True for Snowflake's recursion without the keyword RECURSIVE."""
    return dialect == "snowflake" and isinstance(cte.node, exp.Union) and is_recursive(cte)


def is_recursive(cte: Cte) -> bool:
    """True if a common table expression reads itself."""
    return _reads(cte.node, cte.name)


def _reads(node: exp.Expr, name: str) -> bool:
    # A nested query whose own WITH defines the name refers to that definition.
    return any(
        identifier(part.this) == name and not part.args.get("db")
        for part in node.walk(prune=lambda part: _defines(part, name))
        if isinstance(part, exp.Table) and isinstance(part.this, exp.Identifier)
    )


def _defines(node: exp.Expr, name: str) -> bool:
    clause = node.args.get("with_")
    return clause is not None and any(
        identifier(cte.args["alias"].this) == name for cte in clause.expressions
    )


def recursive(cte: Cte, environment: Environment) -> NamedRelation:
    """The relation and column names of a common table expression that reads itself.

    Raises:
        NoTreeError: it is not a UNION of queries that do not read it and then queries that do.
    """
    node = cte.node
    if not isinstance(node, exp.Union):
        raise invalid(f"{cte.name} reads itself outside of a union")
    _refuse_of_recursion(node)
    seeds, steps = _split(node, cte.name)
    every = not node.args.get("distinct")
    seed = _together(seeds, environment, every)
    names = (*cte.columns, *seed.names[len(cte.columns) :])
    cte.working = (environment.work.steps, names)
    environment.work.steps += 1
    try:
        step = _together(steps, environment, True)
    finally:
        environment.work.steps -= 1
        cte.working = None
    if width(step.relation) != width(seed.relation):
        raise invalid(f"the two sides of {cte.name} have different numbers of columns")
    return NamedRelation(Recursive(seed.relation, step.relation, every, names), names)


def _refuse_of_recursion(node: exp.Expr) -> None:
    for key in ("order", "limit", "offset", "with_"):
        # A LIMIT here ends the recursion; a Limit above the Recursive would not.
        if node.args.get(key) is not None:
            raise unsupported(f"{key.upper().strip('_')} of a recursive query")


def _split(node: exp.Expr, name: str) -> tuple[list[exp.Expr], list[exp.Expr]]:
    """The query of a union that does not read ``name``, and those that do, which must come last."""
    arms: list[exp.Expr] = []
    distinct = node.args.get("distinct")
    rest: exp.Expr = node
    while isinstance(rest, exp.Union) and _reads(rest.this, name):
        if rest.args.get("distinct") != distinct:
            raise unsupported("UNION and UNION ALL in one recursive query")
        arms.append(rest.expression)
        rest = rest.this
    if not isinstance(rest, exp.Union):
        raise invalid(f"{name} has nothing to start with")
    steps = [rest.expression, *reversed(arms)]
    if not all(_reads(step, name) for step in steps) or rest.args.get("distinct") != distinct:
        raise unsupported("this order of queries in a recursive query")
    return [rest.this], steps


def _together(nodes: list[exp.Expr], environment: Environment, every: bool) -> NamedRelation:
    queries = [environment.work.build(node, environment) for node in nodes]
    if len(queries) == 1:
        return queries[0]
    relations = tuple(query.relation for query in queries)
    if len({width(relation) for relation in relations}) > 1:
        raise invalid("the queries of a union have different numbers of columns")
    return NamedRelation(SetOperation(SetKind.UNION, every, relations), queries[0].names)
