"""From sqlglot's expressions to ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from sqlglot import exp

from sqljury.trees.from_sql import calls, names
from sqljury.trees.from_sql.literals import hexadecimal, number
from sqljury.trees.from_sql.reading import plain, type_of_placeholder
from sqljury.trees.from_sql.scopes import FromScope, invalid, unsupported
from sqljury.trees.from_sql.work import Work
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

_Handler = Callable[[Work, Any, FromScope], Expression]


def expression(work: Work, node: exp.Expr, scope: FromScope) -> Expression:
    """The value of a node for a row of the scope.

    Raises:
        NoTreeError: it has none, or trees cannot express it.
    """
    handler = _handlers().get(type(node))
    work.enter()
    try:
        return (handler or _typed_function)(work, node, scope)
    finally:
        work.level -= 1


def _text(value: str) -> Literal:
    return Literal(value, Type.TEXT)


# ---------------------------------------------------------------- names and constants


def _column(work: Work, node: exp.Column, scope: FromScope) -> Expression:
    if node.args.get("join_mark"):
        raise unsupported("(+) for an outer join")
    return names.column(work, node, scope, expression)


def _literal(work: Work, node: exp.Literal, _: FromScope) -> Expression:
    if node.is_string:
        return _text(node.this)
    return number(node.this, work.dialect, compared=isinstance(node.parent, _COMPARISONS))


_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between, exp.In)


def _hex(_work: Work, node: exp.Expr, _scope: FromScope) -> Expression:
    return hexadecimal(node.this)


def _string(_work: Work, node: exp.Expr, _scope: FromScope) -> Expression:
    return _text(node.this)


def _null(_work: Work, _node: exp.Expr, _scope: FromScope) -> Expression:
    return NULL


def _boolean(_work: Work, node: exp.Expr, _scope: FromScope) -> Expression:
    return Literal(bool(node.this), Type.BOOLEAN)


def _negative(work: Work, node: exp.Neg, scope: FromScope) -> Expression:
    operand = expression(work, node.this, scope)
    if isinstance(operand, Literal) and isinstance(operand.value, int | float):
        if operand.type is Type.REAL and operand.value == 2.0**63 and work.dialect == "sqlite":
            return Literal(-(2**63), Type.INTEGER)  # the one that is too large without its sign
        if operand.type is not Type.BOOLEAN:
            return Literal(-operand.value, operand.type)
    return Call("NEG", (operand,))


def _adjacent(work: Work, node: exp.Concat, _scope: FromScope) -> Expression:
    """``'a' 'b'``, one string; in SQLite the second would be an alias."""
    parts = [part.this for part in node.expressions if part.is_string]
    if work.dialect == "sqlite" or len(parts) != len(node.expressions):
        raise unsupported("strings beside each other")
    return _text("".join(parts))


def _star(_work: Work, _node: exp.Expr, _scope: FromScope) -> Expression:
    raise unsupported("* here")


# ---------------------------------------------------------------- operators


def _paren(work: Work, node: exp.Paren, scope: FromScope) -> Expression:
    return expression(work, node.this, scope)


def _operator(name: str) -> _Handler:
    def build(work: Work, node: exp.Binary, scope: FromScope) -> Expression:
        left, right = expression(work, node.left, scope), expression(work, node.right, scope)
        return Call(name, (left, right))

    return build


def _connected(name: str) -> _Handler:
    """AND and OR of any number of operands, from the chains that the parser makes of them."""

    def build(work: Work, node: exp.Binary, scope: FromScope) -> Expression:
        kind = type(node)
        return Call(name, tuple(expression(work, part, scope) for part in _chain(node, kind)))

    return build


def _bare(node: exp.Expr) -> exp.Expr:
    """What the brackets hold; those of a query belong to it."""
    while type(node) is exp.Paren:
        node = node.this
    return node


def _chain(node: exp.Expr, kind: type[exp.Expr]) -> Iterator[exp.Expr]:
    """The operands, left to right; without recursion, as chains of thousands occur."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        inner = _bare(part)
        if type(inner) is kind:
            waiting += (inner.args["expression"], inner.this)
        else:
            yield part


def _unary(name: str) -> _Handler:
    def build(work: Work, node: exp.Unary, scope: FromScope) -> Expression:
        return Call(name, (expression(work, node.this, scope),))

    return build


def _comparison(name: str) -> _Handler:
    """A comparison of values, of rows, or of a value with ANY or ALL of a query."""

    def build(work: Work, node: exp.Binary, scope: FromScope) -> Expression:
        if work.dialect == "sqlite":
            _refuse_other_precedence(name, node)
        elif work.dialect == "mysql" and isinstance(node.right, _ORDERED):
            return expression(work, _from_the_left(node), scope)
        left, right = _bare(node.left), _bare(node.right)
        if isinstance(left, exp.Tuple) or isinstance(right, exp.Tuple):
            return _compared_rows(work, name, left, right, scope)
        if isinstance(right, exp.Any | exp.All):
            return _quantified(work, name, left, right, scope)
        if isinstance(left, exp.Any | exp.All):
            raise unsupported("ANY or ALL on the left")
        return Call(name, (expression(work, left, scope), expression(work, right, scope)))

    return build


_ORDERED = (exp.LT, exp.LTE, exp.GT, exp.GTE)


def _from_the_left(node: exp.Binary) -> exp.Expr:
    """``a = b < c`` as MySQL takes it: ``(a = b) < c``; sqlglot takes it as ``a = (b < c)``."""
    right = node.right
    if not isinstance(right, _ORDERED):
        return node
    first = _from_the_left(type(node)(this=node.left.copy(), expression=right.left.copy()))
    return type(right)(this=exp.Paren(this=first), expression=right.right.copy())


def _refuse_other_precedence(name: str, node: exp.Binary) -> None:
    """Refuse ``a = b LIKE c``, which SQLite takes as ``(a = b) LIKE c`` and sqlglot does not."""
    sides = [node.right] if name in ("=", "<>") else [node.left, node.right]
    if any(_is_range(side) for side in sides):
        raise unsupported(f"{name} beside LIKE, BETWEEN or IN without brackets")


def _is_range(node: exp.Expr) -> bool:
    inner = node.this if type(node) is exp.Not else node
    kinds = (exp.Between, exp.In, exp.Like, exp.ILike, exp.Glob, exp.RegexpLike, exp.Match)
    return isinstance(inner, (*kinds, exp.Escape))


def _compared_rows(
    work: Work, name: str, left: exp.Expr, right: exp.Expr, scope: FromScope
) -> Expression:
    if not (isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple)):
        raise unsupported("a row compared with a query")
    one, other = _row(work, left, scope), _row(work, right, scope)
    if name in ("=", "<>"):
        equal = _equal_rows(one, other)
        return equal if name == "=" else Call("NOT", (equal,))
    return _ordered_rows(name, one, other)


def _ordered_rows(
    name: str, left: tuple[Expression, ...], right: tuple[Expression, ...]
) -> Expression:
    """The first columns decide; where they are equal, the next ones."""
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


def _row(work: Work, node: exp.Tuple, scope: FromScope) -> tuple[Expression, ...]:
    return tuple(expression(work, part, scope) for part in node.expressions)


def _quantified(
    work: Work, name: str, left: exp.Expr, right: exp.Expr, scope: FromScope
) -> Expression:
    kind = SubqueryKind.ANY if isinstance(right, exp.Any) else SubqueryKind.ALL
    inner = _bare(right.this)
    operand = expression(work, left, scope)
    if not isinstance(inner, exp.Query):
        return Call(f"{name} {kind.name}", (operand, expression(work, inner, scope)))
    return Subquery(kind, _subquery(work, inner, scope, 1), (operand,), name)


def _distinct_from(work: Work, node: exp.Binary, scope: FromScope) -> Expression:
    same = Call("IS", (expression(work, node.left, scope), expression(work, node.right, scope)))
    return Call("NOT", (same,))


def _is(work: Work, node: exp.Is, scope: FromScope) -> Expression:
    operand = expression(work, node.this, scope)
    what = node.expression
    if isinstance(what, exp.Null):
        test: Expression = Call("IS NULL", (operand,))
    elif isinstance(what, exp.Boolean):
        test = Call("IS TRUE" if what.this else "IS FALSE", (operand,))
    else:
        test = Call("IS", (operand, expression(work, what, scope)))
    return Call("NOT", (test,)) if node.args.get("negate") else test


def _pattern(name: str) -> _Handler:
    def build(work: Work, node: exp.Binary, scope: FromScope) -> Expression:
        if isinstance(node.expression, exp.Any | exp.All) or node.args.get("flag"):
            raise unsupported(f"{name} with ANY, ALL or flags")
        operands = (expression(work, node.this, scope), expression(work, node.expression, scope))
        test = Call(name, operands)
        return Call("NOT", (test,)) if node.args.get("negate") else test

    return build


def _escape(work: Work, node: exp.Escape, scope: FromScope) -> Expression:
    test = expression(work, node.this, scope)
    escape = expression(work, node.expression, scope)
    match test:
        case Call(name="NOT", operands=(Call() as inner,)):
            return Call("NOT", (Call(inner.name, (*inner.operands, escape)),))
        case Call():
            return Call(test.name, (*test.operands, escape))
        case _:
            raise unsupported("ESCAPE here")


def _between(work: Work, node: exp.Between, scope: FromScope) -> Expression:
    if node.args.get("symmetric"):
        raise unsupported("BETWEEN SYMMETRIC")
    parts = (node.this, node.args["low"], node.args["high"])
    return Call("BETWEEN", tuple(expression(work, part, scope) for part in parts))


def _case(work: Work, node: exp.Case, scope: FromScope) -> Expression:
    operands: list[Expression] = []
    for branch in node.args.get("ifs") or []:
        condition = expression(work, branch.this, scope)
        if node.this is not None:
            # The operand is written once and compared with each; so it must be the same each time.
            condition = Call("=", (_repeatable(expression(work, node.this, scope)), condition))
        operands += (condition, expression(work, branch.args["true"], scope))
    default = node.args.get("default")
    operands.append(NULL if default is None else expression(work, default, scope))
    return Call("CASE", tuple(operands))


def _repeatable(operand: Expression) -> Expression:
    for part in subexpressions(operand):
        if isinstance(part, Call) and part.name in ("RANDOM", "RAND", "RANDOMBLOB", "UUID"):
            raise unsupported(f"{part.name} that is compared with several")
    return operand


def _if(work: Work, node: exp.If, scope: FromScope) -> Expression:
    default = node.args.get("false")
    parts = [expression(work, part, scope) for part in (node.this, node.args["true"])]
    parts.append(NULL if default is None else expression(work, default, scope))
    return Call("IIF", tuple(parts))


def _cast(work: Work, node: exp.Cast, scope: FromScope) -> Expression:
    if node.args.get("format") or node.args.get("default") or node.args.get("action"):
        raise unsupported("CAST with a format")
    return Cast(expression(work, node.this, scope), _type_name(work, node.args["to"]))


def _try_cast(work: Work, node: exp.Cast, scope: FromScope) -> Expression:
    cast = _cast(work, node, scope)
    assert isinstance(cast, Cast)
    return Call("TRY_CAST", (cast.operand, _text(cast.type_name)))


def _type_name(work: Work, node: exp.Expr) -> str:
    written = type_of_placeholder(str(node.args.get("kind") or ""), work.types)
    return written if written is not None else node.sql(work.dialect).upper()


def _collate(work: Work, node: exp.Collate, scope: FromScope) -> Expression:
    return Call("COLLATE", (expression(work, node.this, scope), _text(node.expression.name)))


def _json_path(name: str) -> _Handler:
    def build(work: Work, node: exp.Expr, scope: FromScope) -> Expression:
        path = node.expression
        if isinstance(path, exp.JSONPath):
            found: Expression = _text(path.sql("sqlite").strip("'"))
        else:
            found = expression(work, path, scope)
        return Call(name, (expression(work, node.this, scope), found))

    return build


def _interval(work: Work, node: exp.Interval, scope: FromScope) -> Expression:
    if node.this is None or node.args.get("unit") is None:
        raise unsupported("an INTERVAL without a unit")
    unit = _text(node.args["unit"].sql().upper())
    return Call("INTERVAL", (expression(work, node.this, scope), unit))


def _extract(work: Work, node: exp.Extract, scope: FromScope) -> Expression:
    part = _text(node.this.name.upper())
    return Call("EXTRACT", (part, expression(work, node.expression, scope)))


def _trim(work: Work, node: exp.Trim, scope: FromScope) -> Expression:
    sides = {"LEADING": "LTRIM", "TRAILING": "RTRIM"}
    name = sides.get(str(node.args.get("position") or "").upper(), "TRIM")
    parts = [node.this, node.args.get("expression")]
    return Call(name, tuple(expression(work, p, scope) for p in parts if p is not None))


def _position(work: Work, node: exp.StrPosition, scope: FromScope) -> Expression:
    parts = (node.args["substr"], node.this)
    return Call("POSITION", tuple(expression(work, part, scope) for part in parts))


# ---------------------------------------------------------------- functions


def _function(work: Work, node: exp.Anonymous, scope: FromScope) -> Expression:
    name, arguments = _name_and_arguments(node)
    if calls.is_aggregate(name, len(arguments), work.dialect):
        return calls.aggregate(work, name, arguments, scope, expression)
    return _scalar(work, name, arguments, scope)


def _name_and_arguments(node: exp.Expr) -> tuple[str, list[exp.Expr]]:
    """A function's name in capitals and what stands in its brackets."""
    if isinstance(node, exp.Anonymous):
        this = node.this
        name = this if isinstance(this, str) else this.name
        return plain(name).upper(), node.expressions
    if isinstance(node, exp.GroupConcat):
        separator = node.args.get("separator")
        return "GROUP_CONCAT", [node.this] if separator is None else [node.this, separator]
    return _typed_name(node), list(_typed_arguments(node))


def _scalar(work: Work, name: str, nodes: list[exp.Expr], scope: FromScope) -> Expression:
    if calls.is_window_only(name):
        raise invalid(f"{name} without OVER")
    operands = tuple(expression(work, node, scope) for node in nodes)
    if name in ("LIKE", "GLOB") and len(operands) >= 2:
        # As functions they take the pattern first.
        operands = (operands[1], operands[0], *operands[2:])
    return Call(name, operands)


def _group_concat(work: Work, node: exp.GroupConcat, scope: FromScope) -> Expression:
    name, arguments = _name_and_arguments(node)
    return calls.aggregate(work, name, arguments, scope, expression)


def _typed_function(work: Work, node: exp.Expr, scope: FromScope) -> Expression:
    """A function of sqlglot's own, where the text has a syntax of its own."""
    if not isinstance(node, exp.Func):
        raise unsupported(f"{type(node).__name__} ({node.sql(work.dialect)[:60]})")
    if isinstance(node, exp.AggFunc):
        name, arguments = _name_and_arguments(node)
        return calls.aggregate(work, name, arguments, scope, expression)
    return _scalar(work, _typed_name(node), list(_typed_arguments(node)), scope)


def _typed_name(node: exp.Expr) -> str:
    return str(type(node).sql_name()).upper()  # type: ignore[attr-defined]


def _typed_arguments(node: exp.Expr) -> Iterator[exp.Expr]:
    """What sqlglot's node holds, in its order; flags and words are part of what it means."""
    for name, value in node.args.items():
        if name == "big_int":
            continue  # how wide the engine's result is
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, exp.Var | exp.Identifier):
                yield exp.Literal.string(part.name)
            elif isinstance(part, exp.Expr):
                yield part
            elif part:
                yield exp.Literal.string(str(part))


def _filtered(work: Work, node: exp.Filter, scope: FromScope) -> Expression:
    inner, order = node.this, None
    if isinstance(inner, exp.WithinGroup):
        inner, order = inner.this, inner.expression
    name, arguments = _name_and_arguments(inner)
    condition = node.expression.this
    return calls.aggregate(
        work, name, arguments, scope, expression, filter_node=condition, order_node=order
    )


def _within_group(work: Work, node: exp.WithinGroup, scope: FromScope) -> Expression:
    name, arguments = _name_and_arguments(node.this)
    order = node.expression
    return calls.aggregate(work, name, arguments, scope, expression, order_node=order)


def _window(work: Work, node: exp.Window, scope: FromScope) -> Expression:
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
    return calls.window(
        work, node, name + suffix, arguments, scope, expression, filter_node=condition
    )


# ---------------------------------------------------------------- queries


def _subquery(work: Work, node: exp.Expr, scope: FromScope, columns: int | None) -> Relation:
    relation = work.build(work, node, scope.inside()).relation
    found = width(relation)
    if columns is not None and found != columns:
        raise invalid(f"a query of {found} columns stands where {columns} are needed")
    return relation


def _scalar_query(work: Work, node: exp.Expr, scope: FromScope) -> Expression:
    return Subquery(SubqueryKind.SCALAR, _subquery(work, node, scope, 1))


def _exists(work: Work, node: exp.Exists, scope: FromScope) -> Expression:
    return Subquery(SubqueryKind.EXISTS, _subquery(work, node.this, scope, None))


def _in(work: Work, node: exp.In, scope: FromScope) -> Expression:
    if node.args.get("unnest") is not None:
        raise unsupported("IN UNNEST")
    left = _bare(node.this)
    row = _row(work, left, scope) if isinstance(left, exp.Tuple) else None
    operands = row or (expression(work, left, scope),)
    query = _query_of_in(work, node)
    if query is not None:
        relation = _subquery(work, query, scope, len(operands))
        return Subquery(SubqueryKind.IN, relation, operands)
    elements = _elements_of_in(node)
    if not elements:
        return FALSE
    if row:
        return _in_rows(work, row, elements, scope)
    return Call("IN", (*operands, *(expression(work, e, scope) for e in elements)))


def _query_of_in(work: Work, node: exp.In) -> exp.Expr | None:
    """The query on the right, if there is one and not a list."""
    field = node.args.get("field")
    if field is not None:
        if not isinstance(field, exp.Column):
            raise unsupported("IN of an expression")
        parts = {key: field.args.get(key) for key in ("table", "db")}
        return exp.Table(this=field.this, db=parts["table"], catalog=parts["db"])
    query: exp.Expr | None = node.args.get("query")
    if query is None and len(node.expressions) == 1 and isinstance(node.expressions[0], exp.Values):
        query = node.expressions[0]
    if query is None or _is_scalar_element(work, query):
        return None
    return query


def _is_scalar_element(work: Work, query: exp.Expr) -> bool:
    """Whether a query in double brackets is a list of one value, as SQLite has it."""
    inner = query.this
    return (
        work.dialect == "sqlite"
        and isinstance(query, exp.Subquery)
        and isinstance(inner, exp.Subquery)
    )


def _elements_of_in(node: exp.In) -> list[exp.Expr]:
    query = node.args.get("query")
    return [query.this] if query is not None else node.expressions


def _in_rows(
    work: Work, row: tuple[Expression, ...], elements: list[exp.Expr], scope: FromScope
) -> Expression:
    equal = []
    for element in elements:
        inner = _bare(element)
        if not isinstance(inner, exp.Tuple):
            raise unsupported("rows IN a list of other things")
        equal.append(_equal_rows(row, _row(work, inner, scope)))
    return equal[0] if len(equal) == 1 else Call("OR", tuple(equal))


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
    return {
        **{kind: _operator(name) for kind, name in binary.items()},
        **{kind: _comparison(name) for kind, name in comparisons.items()},
        **{kind: _pattern(name) for kind, name in patterns.items()},
        **{kind: _json_path(name) for kind, name in paths.items()},
        exp.Column: _column, exp.Literal: _literal, exp.HexString: _hex,
        exp.National: _string, exp.Concat: _adjacent, exp.RawString: _string,
        exp.Null: _null, exp.Boolean: _boolean, exp.Neg: _negative, exp.Star: _star,
        exp.Paren: _paren, exp.And: _connected("AND"), exp.Or: _connected("OR"),
        exp.Not: _unary("NOT"), exp.BitwiseNot: _unary("~"),
        exp.NullSafeNEQ: _distinct_from, exp.Is: _is, exp.Escape: _escape,
        exp.Between: _between, exp.Case: _case, exp.If: _if, exp.Cast: _cast,
        exp.TryCast: _try_cast, exp.Collate: _collate, exp.Interval: _interval,
        exp.Extract: _extract, exp.Trim: _trim, exp.StrPosition: _position,
        exp.Anonymous: _function, exp.GroupConcat: _group_concat, exp.Filter: _filtered,
        exp.WithinGroup: _within_group, exp.Window: _window, exp.Subquery: _scalar_query,
        exp.Select: _scalar_query, exp.Exists: _exists, exp.In: _in,
    }  # fmt: skip
