"""Converts sqlglot's expressions into tree expressions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from sqlglot import exp

from sqljury.trees.from_sql import calls
from sqljury.trees.from_sql.reading import invalid, plain, type_of_placeholder, unsupported
from sqljury.trees.from_sql.scopes import FromScope, member, named_column
from sqljury.trees.nodes import (
    FALSE,
    NULL,
    Call,
    Cast,
    Expression,
    Literal,
    Relation,
    Subquery,
    SubqueryKind,
    Type,
)
from sqljury.trees.walk import subexpressions, width

_LARGEST = 2**63 - 1
_EXACT_DIGITS = 15
"""Decimal digits that a float represents exactly."""


def number(text: str, dialect: str, *, compared: bool = False) -> Literal:
    """A numeric literal: INTEGER, REAL, or DECIMAL in dialects where ``1.5`` is a decimal.

    A decimal keeps trailing zeros, because ``1.50`` and ``1.5`` give different texts, unless it is
    only ``compared``.

    >>> number("1.5", "sqlite").type, number("1.5", "postgres").type
    (<Type.REAL: 'real'>, <Type.DECIMAL: 'decimal'>)
    >>> number("1.50", "postgres").value, number("1.50", "postgres", compared=True).value
    ('1.50', 1.5)
    """
    plain = text.replace("_", "")
    try:
        if plain.isdigit():
            whole = int(plain)
            if whole > _LARGEST and dialect == "sqlite":
                return Literal(float(plain), Type.REAL)
            return Literal(whole, Type.INTEGER if whole <= _LARGEST else Type.DECIMAL)
        value = float(plain)
    except ValueError:
        raise invalid(f"{text} is not a number") from None
    if dialect == "sqlite" or "e" in plain.lower():
        return Literal(value, Type.REAL)
    digits = len(plain.replace(".", "").strip("0"))
    is_scaled = plain.endswith("0") and not compared
    return Literal(plain if is_scaled or digits > _EXACT_DIGITS else value, Type.DECIMAL)


def hexadecimal(digits: str) -> Literal:
    """A BLOB literal from the hexadecimal digits of ``x'…'``."""
    try:
        return Literal(bytes.fromhex(digits), Type.BLOB)
    except ValueError:
        raise invalid(f"x'{digits}' is not hexadecimal") from None


# ---------------------------------------------------------------- expressions


_Handler = Callable[[Any, FromScope], Expression]


def expression(node: exp.Expr, scope: FromScope) -> Expression:
    """A sqlglot node as a tree expression over the scope's row.

    Raises:
        NoTreeError: the node is invalid, or trees cannot express it.
    """
    handler = _handlers().get(type(node))
    scope.work.enter()
    try:
        return (handler or _typed_function)(node, scope)
    finally:
        scope.work.level -= 1


def _text(value: str) -> Literal:
    return Literal(value, Type.TEXT)


# ---------------------------------------------------------------- names and constants


def _literal(node: exp.Literal, scope: FromScope) -> Expression:
    if node.is_string:
        return _text(node.this)
    return number(node.this, scope.dialect, compared=isinstance(node.parent, _COMPARISONS))


_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between, exp.In)


def _negative(node: exp.Neg, scope: FromScope) -> Expression:
    operand = expression(node.this, scope)
    if isinstance(operand, Literal) and isinstance(operand.value, int | float):
        if operand.type is Type.REAL and operand.value == 2.0**63 and scope.dialect == "sqlite":
            return Literal(-(2**63), Type.INTEGER)  # 2**63 alone does not fit an INTEGER
        if operand.type is not Type.BOOLEAN:
            return Literal(-operand.value, operand.type)
    return Call("NEG", (operand,))


def _adjacent(node: exp.Concat, scope: FromScope) -> Expression:
    """Adjacent literals ``'a' 'b'`` are one string; not in SQLite, where the second is an alias."""
    parts = [part.this for part in node.expressions if part.is_string]
    if scope.dialect == "sqlite" or len(parts) != len(node.expressions):
        raise unsupported("strings beside each other")
    return _text("".join(parts))


# ---------------------------------------------------------------- operators


def _call(name: str, *parts: str) -> _Handler:
    """A handler that builds a call whose operands are these parts of the node."""
    return lambda node, scope: Call(
        name, tuple([expression(node.args[part], scope) for part in parts])
    )


def _negated(node: exp.Expr, test: Expression) -> Expression:
    return Call("NOT", (test,)) if node.args.get("negate") else test


def _connected(name: str) -> _Handler:
    """A handler for AND or OR: flattens the parser's nested pairs into one call."""

    def build(node: exp.Binary, scope: FromScope) -> Expression:
        kind = type(node)
        return Call(name, tuple(expression(part, scope) for part in _chain(node, kind)))

    return build


def _bare(node: exp.Expr) -> exp.Expr:
    """The node without its outer brackets; brackets of a subquery are kept."""
    while type(node) is exp.Paren:
        node = node.this
    return node


def _chain(node: exp.Expr, kind: type[exp.Expr]) -> Iterator[exp.Expr]:
    """The operands of nested nodes of one kind, left to right; iterative, because queries can chain
    thousands."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        inner = _bare(part)
        if type(inner) is kind:
            waiting += (inner.args["expression"], inner.this)
        else:
            yield part


def _comparison(name: str) -> _Handler:
    """A handler for a comparison of values, of rows, or of a value with ANY or ALL of a query."""

    def build(node: exp.Binary, scope: FromScope) -> Expression:
        if scope.dialect == "sqlite":
            _refuse_other_precedence(name, node)
        elif scope.dialect == "mysql" and isinstance(node.right, _ORDERED):
            return expression(_from_the_left(node), scope)
        left, right = _bare(node.left), _bare(node.right)
        if isinstance(left, exp.Tuple) or isinstance(right, exp.Tuple):
            if not (isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple)):
                raise unsupported("a row compared with a query")
            one, other = _row(left, scope), _row(right, scope)
            if name not in ("=", "<>"):
                return _ordered_rows(name, one, other)
            equal = _equal_rows(one, other)
            return equal if name == "=" else Call("NOT", (equal,))
        if isinstance(right, exp.Any | exp.All):
            return _quantified(name, left, right, scope)
        if isinstance(left, exp.Any | exp.All):
            raise unsupported("ANY or ALL on the left")
        return Call(name, (expression(left, scope), expression(right, scope)))

    return build


_ORDERED = (exp.LT, exp.LTE, exp.GT, exp.GTE)


def _from_the_left(node: exp.Binary) -> exp.Expr:
    """``a = b < c`` as MySQL parses it: ``(a = b) < c``; sqlglot parses ``a = (b < c)``."""
    right = node.right
    if not isinstance(right, _ORDERED):
        return node
    first = _from_the_left(type(node)(this=node.left.copy(), expression=right.left.copy()))
    return type(right)(this=exp.Paren(this=first), expression=right.right.copy())


_RANGES = (
    *(exp.Between, exp.In, exp.Like, exp.ILike, exp.Glob),
    *(exp.RegexpLike, exp.Match, exp.Escape),
)


def _refuse_other_precedence(name: str, node: exp.Binary) -> None:
    """Refuses ``a = b LIKE c``, which SQLite parses as ``(a = b) LIKE c`` and sqlglot does not."""
    sides = [node.right] if name in ("=", "<>") else [node.left, node.right]
    inner = (side.this if type(side) is exp.Not else side for side in sides)
    if any(isinstance(side, _RANGES) for side in inner):
        raise unsupported(f"{name} beside LIKE, BETWEEN or IN without brackets")


def _ordered_rows(
    name: str, left: tuple[Expression, ...], right: tuple[Expression, ...]
) -> Expression:
    """An ordered comparison of rows: by the first columns, if they are equal by the next ones."""
    if len(left) != len(right):
        raise invalid("rows of different width are compared")
    if len(left) == 1:
        return Call(name, (left[0], right[0]))
    first = (_repeatable(left[0]), _repeatable(right[0]))
    rest = _ordered_rows(name, left[1:], right[1:])
    return Call("OR", (Call(name[0], first), Call("AND", (Call("=", first), rest))))


def _equal_rows(left: tuple[Expression, ...], right: tuple[Expression, ...]) -> Expression:
    if len(left) != len(right):
        raise invalid("rows of different width are compared")
    equal = tuple(Call("=", pair) for pair in zip(left, right, strict=True))
    return equal[0] if len(equal) == 1 else Call("AND", equal)


def _row(node: exp.Tuple, scope: FromScope) -> tuple[Expression, ...]:
    return tuple(expression(part, scope) for part in node.expressions)


def _quantified(name: str, left: exp.Expr, right: exp.Expr, scope: FromScope) -> Expression:
    kind = SubqueryKind.ANY if isinstance(right, exp.Any) else SubqueryKind.ALL
    inner = _bare(right.this)
    operand = expression(left, scope)
    if not isinstance(inner, exp.Query):
        return Call(f"{name} {kind.name}", (operand, expression(inner, scope)))
    return Subquery(kind, _subquery(inner, scope, 1), (operand,), name)


def _is(node: exp.Is, scope: FromScope) -> Expression:
    operand = expression(node.this, scope)
    what = node.expression
    if isinstance(what, exp.Null):
        test: Expression = Call("IS NULL", (operand,))
    elif isinstance(what, exp.Boolean):
        test = Call("IS TRUE" if what.this else "IS FALSE", (operand,))
    else:
        test = Call("IS", (operand, expression(what, scope)))
    return _negated(node, test)


def _pattern(name: str) -> _Handler:
    def build(node: exp.Binary, scope: FromScope) -> Expression:
        if isinstance(node.expression, exp.Any | exp.All) or node.args.get("flag"):
            raise unsupported(f"{name} with ANY, ALL or flags")
        operands = (expression(node.this, scope), expression(node.expression, scope))
        test = Call(name, operands)
        return _negated(node, test)

    return build


def _escape(node: exp.Escape, scope: FromScope) -> Expression:
    test = expression(node.this, scope)
    escape = expression(node.expression, scope)
    match test:
        case Call(name="NOT", operands=(Call() as inner,)):
            return Call("NOT", (Call(inner.name, (*inner.operands, escape)),))
        case Call():
            return Call(test.name, (*test.operands, escape))
        case _:
            raise unsupported("ESCAPE here")


def _between(node: exp.Between, scope: FromScope) -> Expression:
    if node.args.get("symmetric"):
        raise unsupported("BETWEEN SYMMETRIC")
    return _call("BETWEEN", "this", "low", "high")(node, scope)


def _case(node: exp.Case, scope: FromScope) -> Expression:
    operands: list[Expression] = []
    for branch in node.args.get("ifs") or []:
        condition = expression(branch.this, scope)
        if node.this is not None:
            # The operand is written once but compared in each branch: it must not be random.
            condition = Call("=", (_repeatable(expression(node.this, scope)), condition))
        operands += (condition, expression(branch.args["true"], scope))
    operands.append(_or_null(node.args.get("default"), scope))
    return Call("CASE", tuple(operands))


def _if(node: exp.If, scope: FromScope) -> Expression:
    parts = (node.this, node.args["true"], node.args.get("false"))
    return Call("IIF", tuple(_or_null(part, scope) for part in parts))


def _or_null(node: exp.Expr | None, scope: FromScope) -> Expression:
    return NULL if node is None else expression(node, scope)


def _repeatable(operand: Expression) -> Expression:
    for part in subexpressions(operand):
        if isinstance(part, Call) and part.name in ("RANDOM", "RAND", "RANDOMBLOB", "UUID"):
            raise unsupported(f"{part.name} that is compared with several")
    return operand


def _cast(node: exp.Cast, scope: FromScope) -> Expression:
    if node.args.get("format") or node.args.get("default") or node.args.get("action"):
        raise unsupported("CAST with a format")
    return Cast(expression(node.this, scope), _type_name(node.args["to"], scope))


def _try_cast(node: exp.Cast, scope: FromScope) -> Expression:
    cast = _cast(node, scope)
    assert isinstance(cast, Cast)
    return Call("TRY_CAST", (cast.operand, _text(cast.type_name)))


def _type_name(node: exp.Expr, scope: FromScope) -> str:
    written = type_of_placeholder(str(node.args.get("kind") or ""), scope.work.types)
    return written if written is not None else node.sql(scope.dialect).upper()


def _json_path(name: str) -> _Handler:
    def build(node: exp.Expr, scope: FromScope) -> Expression:
        path = node.expression
        if isinstance(path, exp.JSONPath):
            found: Expression = _text(path.sql("sqlite").strip("'"))
        else:
            found = expression(path, scope)
        return Call(name, (expression(node.this, scope), found))

    return build


def _interval(node: exp.Interval, scope: FromScope) -> Expression:
    if node.this is None or node.args.get("unit") is None:
        raise unsupported("an INTERVAL without a unit")
    unit = _text(node.args["unit"].sql().upper())
    return Call("INTERVAL", (expression(node.this, scope), unit))


def _trim(node: exp.Trim, scope: FromScope) -> Expression:
    sides = {"LEADING": "LTRIM", "TRAILING": "RTRIM"}
    name = sides.get(str(node.args.get("position") or "").upper(), "TRIM")
    parts = [node.this, node.args.get("expression")]
    return Call(name, tuple(expression(p, scope) for p in parts if p is not None))


# ---------------------------------------------------------------- functions


def _function(node: exp.Anonymous, scope: FromScope) -> Expression:
    name, arguments = _name_and_arguments(node)
    if name == "ROW":
        # ``NOT (row IS NULL)`` is not ``row IS NOT NULL``, for which all its values must be there.
        raise unsupported("a row as a value")
    if calls.is_aggregate(name, len(arguments), scope.dialect):
        return calls.aggregate(name, arguments, scope)
    return _scalar(name, arguments, scope)


def _name_and_arguments(node: exp.Expr) -> tuple[str, list[exp.Expr]]:
    """A function's name in capitals, and its arguments."""
    if isinstance(node, exp.Anonymous):
        this = node.this
        name = this if isinstance(this, str) else this.name
        return plain(name).upper(), node.expressions
    if isinstance(node, exp.GroupConcat):
        separator = node.args.get("separator")
        return "GROUP_CONCAT", [node.this] if separator is None else [node.this, separator]
    name = str(type(node).sql_name()).upper()  # type: ignore[attr-defined]
    return name, list(_typed_arguments(node))


def _element(node: exp.Bracket, scope: FromScope) -> Expression:
    """An element of a warehouse's array or object."""
    if scope.dialect not in ("bigquery", "snowflake"):
        raise unsupported(f"Bracket ({node.sql(scope.dialect)[:60]})")
    kind = f"{node.args.get('offset') or 0}{' safe' if node.args.get('safe') else ''}"
    operands = (node.this, *node.expressions)
    return Call(f"[] {kind}", tuple(expression(part, scope) for part in operands))


def _member(node: exp.Dot, scope: FromScope) -> Expression:
    """A field of BigQuery's structs or Snowflake's objects, whose fields keep their case."""
    name = node.expression
    if scope.dialect not in ("bigquery", "snowflake") or not isinstance(name, exp.Identifier):
        raise unsupported(f"Dot ({node.sql(scope.dialect)[:60]})")
    inner = expression(node.this, scope)
    if scope.dialect == "bigquery":
        return member(name.name, inner)
    return Call("->", (inner, _text(f"$.{name.name}")))


_OF_DATE_PARTS = frozenset(
    [
        *("DATEADD", "DATEDIFF", "DATE_DIFF", "DATE_PART", "DATE_TRUNC", "DATETIME_DIFF"),
        *("DATETIME_TRUNC", "LAST_DAY", "TIMEADD", "TIMEDIFF", "TIMESTAMPADD", "TIMESTAMPDIFF"),
        *("TIMESTAMP_DIFF", "TIMESTAMP_TRUNC", "TIME_DIFF", "TIME_TRUNC"),
    ]
)
"""Functions of warehouses with a bare word, such as MONTH, as an argument."""
_DATE_PARTS = frozenset(
    [
        *("microsecond", "millisecond", "second", "minute", "hour", "day", "dayofweek"),
        *("dayofyear", "week", "isoweek", "month", "quarter", "year", "isoyear", "nanosecond"),
        *("epoch_second", "epoch_millisecond", "epoch_microsecond", "epoch_nanosecond"),
    ]
)


_WEEK = re.compile(r"WEEK\((SUN|MON|TUES|WEDNES|THURS|FRI|SATUR)DAY\)", re.IGNORECASE)


def _date_part(node: exp.Expr) -> exp.Expr:
    """The bare name of a part of a date as a text; any other argument unchanged."""
    if isinstance(node, exp.Anonymous) and _WEEK.fullmatch(plain(node.sql("bigquery"))):
        return exp.Literal.string(plain(node.sql("bigquery")).lower())
    bare = isinstance(node, exp.Column) and not node.table and not node.this.args.get("quoted")
    return exp.Literal.string(node.name) if bare and node.name.lower() in _DATE_PARTS else node


def _scalar(name: str, nodes: list[exp.Expr], scope: FromScope) -> Expression:
    if calls.is_window_only(name):
        raise invalid(f"{name} without OVER")
    if scope.dialect in ("bigquery", "snowflake") and name in _OF_DATE_PARTS:
        nodes = [_date_part(node) for node in nodes]
    operands = tuple(expression(node, scope) for node in nodes)
    if name in ("LIKE", "GLOB") and len(operands) >= 2:
        # As functions, LIKE and GLOB take the pattern first.
        operands = (operands[1], operands[0], *operands[2:])
    return Call(name, operands)


def _typed_function(node: exp.Expr, scope: FromScope) -> Expression:
    """A function that sqlglot parses into a node of its own, because of its special syntax."""
    if not isinstance(node, exp.Func):
        raise unsupported(f"{type(node).__name__} ({node.sql(scope.dialect)[:60]})")
    name, arguments = _name_and_arguments(node)
    if isinstance(node, exp.AggFunc):
        return calls.aggregate(name, arguments, scope)
    return _scalar(name, arguments, scope)


def _typed_arguments(node: exp.Expr) -> Iterator[exp.Expr]:
    """All arguments of a sqlglot function node in order; flags and keywords become string
    literals."""
    for name, value in node.args.items():
        if name == "big_int":
            continue  # only the width of the engine's result
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, exp.Var | exp.Identifier):
                yield exp.Literal.string(part.name)
            elif isinstance(part, exp.Expr):
                yield part
            elif part:
                yield exp.Literal.string(str(part))


def _aggregate(node: exp.Expr, scope: FromScope) -> Expression:
    """An aggregate, with its WITHIN GROUP and FILTER clauses if it has any."""
    order = condition = None
    if isinstance(node, exp.Filter):
        node, condition = node.this, node.expression.this
    if isinstance(node, exp.WithinGroup):
        node, order = node.this, node.expression
    name, arguments = _name_and_arguments(node)
    return calls.aggregate(name, arguments, scope, filter_node=condition, order_node=order)


def _window(node: exp.Window, scope: FromScope) -> Expression:
    inner, condition, suffix = node.this, None, ""
    if isinstance(inner, exp.IgnoreNulls):
        inner, suffix = inner.this, " IGNORE NULLS"
    elif isinstance(inner, exp.RespectNulls):
        inner = inner.this
    if isinstance(inner, exp.Filter):
        inner, condition = inner.this, inner.expression.this
    if not isinstance(inner, exp.Func):
        raise unsupported(f"OVER behind {type(inner).__name__}")
    name, arguments = _name_and_arguments(inner)
    return calls.window(node, name + suffix, arguments, scope, filter_node=condition)


# ---------------------------------------------------------------- queries


def _subquery(node: exp.Expr, scope: FromScope, columns: int | None) -> Relation:
    relation = scope.work.build(node, scope.inside()).relation
    found = width(relation)
    if columns is not None and found != columns:
        raise invalid(f"a query of {found} columns stands where {columns} are needed")
    return relation


def _scalar_query(node: exp.Expr, scope: FromScope) -> Expression:
    return Subquery(SubqueryKind.SCALAR, _subquery(node, scope, 1))


def _in(node: exp.In, scope: FromScope) -> Expression:
    left = _bare(node.this)
    row = _row(left, scope) if isinstance(left, exp.Tuple) else None
    operands = row or (expression(left, scope),)
    unnested = node.args.get("unnest")
    if unnested is not None:
        return Call("IN UNNEST", (*operands, *(expression(e, scope) for e in unnested.expressions)))
    query = _query_of_in(node, scope)
    if query is not None:
        relation = _subquery(query, scope, len(operands))
        return Subquery(SubqueryKind.IN, relation, operands)
    single = node.args.get("query")
    elements = node.expressions if single is None else [single.this]
    if not elements:
        return FALSE
    if row is None:
        return Call("IN", (*operands, *(expression(e, scope) for e in elements)))
    equal = []
    for element in map(_bare, elements):
        if not isinstance(element, exp.Tuple):
            raise unsupported("rows IN a list of other things")
        equal.append(_equal_rows(row, _row(element, scope)))
    return equal[0] if len(equal) == 1 else Call("OR", tuple(equal))


def _query_of_in(node: exp.In, scope: FromScope) -> exp.Expr | None:
    """The query on the right side of IN; None if it is a list of values."""
    field = node.args.get("field")
    if field is not None:
        if not isinstance(field, exp.Column):
            raise unsupported("IN of an expression")
        return exp.Table(this=field.this, db=field.args.get("table"), catalog=field.args.get("db"))
    query: exp.Expr | None = node.args.get("query")
    if query is None and len(node.expressions) == 1 and isinstance(node.expressions[0], exp.Values):
        query = node.expressions[0]
    # In SQLite, a query in double brackets is a list of one scalar subquery.
    doubled = isinstance(query, exp.Subquery) and isinstance(query.this, exp.Subquery)
    return None if doubled and scope.dialect == "sqlite" else query


def _refused(what: str) -> _Handler:
    def refuse(_node: exp.Expr, _scope: FromScope) -> Expression:
        raise unsupported(what)

    return refuse


@cache
def _handlers() -> dict[type[exp.Expr], _Handler]:
    binary = {
        exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%", exp.IntDiv: "DIV",
        exp.DPipe: "||", exp.BitwiseAnd: "&", exp.BitwiseOr: "|", exp.BitwiseXor: "BITXOR",
        exp.BitwiseLeftShift: "<<", exp.BitwiseRightShift: ">>", exp.Xor: "XOR",
        exp.NullSafeEQ: "IS", exp.Pow: "POWER",
    }  # fmt: skip
    comparisons = {
        exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
    }  # fmt: skip
    patterns = {
        exp.Like: "LIKE", exp.ILike: "ILIKE", exp.Glob: "GLOB", exp.RegexpLike: "REGEXP",
        exp.RegexpILike: "IREGEXP", exp.SimilarTo: "SIMILAR TO", exp.Match: "MATCH",
    }  # fmt: skip
    paths = {
        exp.JSONExtract: "->", exp.JSONExtractScalar: "->>",
        exp.JSONBExtract: "#>", exp.JSONBExtractScalar: "#>>",
    }  # fmt: skip
    same = _call("IS", "this", "expression")
    return {
        **{kind: _call(name, "this", "expression") for kind, name in binary.items()},
        **{kind: _comparison(name) for kind, name in comparisons.items()},
        **{kind: _pattern(name) for kind, name in patterns.items()},
        **{kind: _json_path(name) for kind, name in paths.items()},
        exp.Column: named_column,
        exp.Bracket: _element,
        exp.Dot: _member,
        exp.Literal: _literal,
        exp.HexString: lambda node, _: hexadecimal(node.this),
        exp.National: lambda node, _: _text(node.this),
        exp.RawString: lambda node, _: _text(node.this),
        exp.Concat: _adjacent,
        exp.Null: lambda _node, _scope: NULL,
        exp.Boolean: lambda node, _: Literal(bool(node.this), Type.BOOLEAN),
        exp.Neg: _negative,
        exp.Star: _refused("* here"),
        exp.Paren: lambda node, scope: expression(node.this, scope),
        exp.And: _connected("AND"),
        exp.Or: _connected("OR"),
        exp.Not: _call("NOT", "this"),
        exp.BitwiseNot: _call("~", "this"),
        exp.NullSafeNEQ: lambda node, scope: Call("NOT", (same(node, scope),)),
        exp.Is: _is,
        exp.Escape: _escape,
        exp.Between: _between,
        exp.Case: _case,
        exp.If: _if,
        exp.Cast: _cast,
        exp.TryCast: _try_cast,
        exp.Collate: lambda node, scope: Call(
            "COLLATE", (expression(node.this, scope), _text(node.expression.name))
        ),
        exp.Interval: _interval,
        exp.Extract: lambda node, scope: Call(
            "EXTRACT", (_text(node.this.name.upper()), expression(node.expression, scope))
        ),
        exp.Trim: _trim,
        exp.StrPosition: _call("POSITION", "substr", "this"),
        exp.Anonymous: _function,
        exp.GroupConcat: _aggregate,
        exp.Filter: _aggregate,
        exp.WithinGroup: _aggregate,
        exp.Window: _window,
        exp.Subquery: _scalar_query,
        exp.Select: _scalar_query,
        exp.Exists: lambda node, scope: Subquery(
            SubqueryKind.EXISTS, _subquery(node.this, scope, None)
        ),
        exp.In: _in,
    }
