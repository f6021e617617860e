"""The output columns of a relation: their types and whether a value can be NULL.

Types are derived from the declared ones. SQLite does not enforce declared types: rules that rely on
them assume :attr:`~sqljury.trees.context.Assumption.TYPES`. A column counts as nullable unless it
is certain that no NULL can occur.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from sqljury.schema import Column, Schema, Table
from sqljury.sql.comparisons import COMPARISONS
from sqljury.trees.affinity import (
    NUMERIC_AFFINITIES,
    TO_NUMBER,
    TO_TEXT,
    affinity,
    declared_affinity,
)
from sqljury.trees.catalog import BySchema
from sqljury.trees.collations import (
    BY_VALUE,
    CASELESS,
    SHOWN,
    UNKNOWN,
    aggregate_collation,
    collation,
    column_collation,
    one_of,
)
from sqljury.trees.context import Context
from sqljury.trees.facts import InContext, fact
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Call,
    Cast,
    Distinct,
    Expression,
    Field,
    Filter,
    Join,
    JoinKind,
    Limit,
    Literal,
    Outer,
    Project,
    Recursive,
    Ref,
    Relation,
    Scan,
    SetKind,
    SetOperation,
    Sort,
    Subquery,
    SubqueryKind,
    TableFunction,
    Type,
    Values,
    Window,
    WindowCall,
    Working,
)
from sqljury.trees.walk import reach

Row = tuple[Field, ...]
"""The columns of a row that an expression can read."""

_ROWID = "rowid"

# ---------------------------------------------------------------- declared types

# Whole first words of declared types that mean the same everywhere.
_BY_WORD = {
    **dict.fromkeys(("bool", "boolean"), Type.BOOLEAN),
    "date": Type.DATE,
    **dict.fromkeys(("time", "timetz"), Type.TIME),
    **dict.fromkeys(("datetime", "datetime2", "smalldatetime", "timestamp"), Type.TIMESTAMP),
    **dict.fromkeys(("timestamptz", "timestamp_tz", "timestamp_ltz"), Type.INSTANT),
    "timestamp_ntz": Type.TIMESTAMP,
    **dict.fromkeys(("decimal", "numeric", "number", "dec", "bignumeric", "money"), Type.DECIMAL),
    **dict.fromkeys(("real", "float", "float4", "float8", "float64", "double"), Type.REAL),
    **dict.fromkeys(("serial", "bigserial", "smallserial", "year", "hugeint"), Type.INTEGER),
    **dict.fromkeys(("string", "name", "enum", "uuid", "set", "citext"), Type.TEXT),
    **dict.fromkeys(("bytea", "bytes", "binary", "varbinary"), Type.BLOB),
}
# Then what the name contains, in this order: SQLite's rules of affinity, which fit other engines.
# Source: https://www.sqlite.org/datatype3.html, section 3.1
_BY_PART = (
    ("timestamp", Type.TIMESTAMP),
    ("int", Type.INTEGER),
    ("char", Type.TEXT),
    ("clob", Type.TEXT),
    ("text", Type.TEXT),
    ("blob", Type.BLOB),
    ("real", Type.REAL),
    ("floa", Type.REAL),
    ("doub", Type.REAL),
)
_SINGLES = {
    "postgres": re.compile(r"real|float4|float\s*\(([1-9]|1\d|2[0-4])\)"),
    "duckdb": re.compile(r"real|float|float4"),
    "mysql": re.compile(r"float(?!8)\b(?!\s*\((2[5-9]|[345]\d)\)).*"),
}
_MANY_FORMS = {"mysql": ("year",), "postgres": ("uuid", "money"), "duckdb": ("uuid",)}
"""Types in which several constants denote one value: 99 and 1999 as a year, UUIDs in any case."""
_BIG = re.compile(r"\s*(BIGINT|INT8|BIGSERIAL)\b", re.IGNORECASE)
_NO_NUMBERS = ("interval", "point", "array", "[", "<")
"""Parts of type names that contain INT by accident (POINT), and types of composite values."""
_WORD = re.compile(r"[a-z_][a-z_0-9]*")


@lru_cache(maxsize=4096)
def column_type(declared: str, dialect: str) -> Type:
    """The type that a declaration such as ``VARCHAR(20)`` means in a dialect.

    >>> column_type("decimal(10, 2)", "sqlite"), column_type("TINYINT(1)", "mysql")
    (<Type.DECIMAL: 'decimal'>, <Type.BOOLEAN: 'boolean'>)
    """
    name = declared.strip().lower()
    word = _WORD.match(name)
    if word is None or any(part in name for part in _NO_NUMBERS):
        return Type.ANY
    if word[0] in _MANY_FORMS.get(dialect, ()):
        return Type.ANY
    if dialect == "mysql" and name.startswith("tinyint(1)"):
        return Type.BOOLEAN
    if dialect == "sqlite" and word[0] in ("string", "name", "set", "enum", "uuid", "citext"):
        return Type.ANY  # numeric affinity: '12' is stored as 12, 'a' as text
    if dialect in _SINGLES and _SINGLES[dialect].fullmatch(name):
        return Type.SINGLE
    known = _BY_WORD.get(word[0])
    zoned = dialect == "mysql" and word[0] == "timestamp"
    if known is Type.TIMESTAMP and (zoned or "with time zone" in name):
        return Type.INSTANT
    if known is not None:
        return known
    return next((type_ for part, type_ in _BY_PART if part in name), Type.ANY)


def _fields_by_table(schema: Schema) -> dict[str, dict[str, Field]]:
    return {table.name: _fields_of(table, schema) for table in reversed(schema.tables)}


def _fields_of(table: Table, schema: Schema) -> dict[str, Field]:
    numerals = _numerals(table, schema) if schema.dialect == "sqlite" else set()
    return {c.name: _of_column(c, schema.dialect, c.name in numerals) for c in table.columns}


_known_fields = BySchema(_fields_by_table)


def _of_column(column: Column, dialect: str, numerals: bool) -> Field:
    type_ = column_type(column.type, dialect)
    held = declared_affinity(column.type) if dialect == "sqlite" else None
    if dialect == "postgres" and type_ is Type.INTEGER and _BIG.match(column.type):
        held = "BIGINT"
    collated = column_collation(column, type_, dialect)
    return Field(column.name, type_, column.nullable, held, collated, numerals)


def _numerals(table: Table, schema: Schema) -> set[str]:
    """Names of the text columns with a foreign key to a numeric column."""
    found = set()
    for key in table.foreign_keys:
        target = schema.table(key.target_table)
        if len(key.columns) != 1 or len(key.target_columns) != 1 or target is None:
            continue
        column, other = table.column(key.columns[0]), target.column(key.target_columns[0])
        if column is None or other is None:
            continue
        number = declared_affinity(other.type) in NUMERIC_AFFINITIES
        if number and declared_affinity(column.type) == "TEXT":
            found.add(column.name)
    return found


# ---------------------------------------------------------------- columns of relations


def fields(relation: Relation, context: Context, outer: Sequence[Row] = ()) -> Row:
    """The output columns of a relation; ``outer`` holds the rows of the enclosing queries, nearest
    first."""
    if outer and reach(relation) > 0:
        return _fields(relation, context, outer)
    return _FIELDS.of(relation, context, "")


def _fields(relation: Relation, context: Context, outer: Sequence[Row]) -> Row:
    match relation:
        case Scan():
            return _of_scan(relation, context.schema)
        case Values():
            return _of_values(relation, context, outer)
        case TableFunction():
            return tuple(Field(name, collation=_any(context)) for name in relation.columns)
        case Working():
            names = _padded(relation.names, relation.width)
            return tuple(Field(name, collation=UNKNOWN) for name in names)
        case Project():
            return _of_project(relation, context, outer)
        case Join():
            return _of_join(relation, context, outer)
        case Aggregate():
            return _of_aggregate(relation, context, outer)
        case Window():
            row = fields(relation.input, context, outer)
            return row + tuple(_of_window(call, row, context, outer) for call in relation.calls)
        case SetOperation():
            return _of_set(relation, context, outer)
        case Recursive():
            seed = fields(relation.seed, context, outer)
            names = _padded(relation.names, len(seed))
            return tuple(
                Field(name, field.type, collation=UNKNOWN if field.collation else "")
                for name, field in zip(names, seed, strict=True)
            )
        case Filter():
            row = fields(relation.input, context, outer)
            return without_null(row, null_rejected(relation.condition))
        case Distinct() | Sort() | Limit():
            return fields(relation.input, context, outer)


_FIELDS: InContext[Relation, Row] = InContext(
    lambda relation, context: _fields(relation, context, ())
)


def _padded(names: tuple[str, ...], width: int) -> tuple[str, ...]:
    return names if len(names) == width else ("",) * width


def _of_scan(scan: Scan, schema: Schema) -> Row:
    rows = _known_rows(schema)
    found = rows.get((scan.table, scan.columns))
    if found is None:
        known = _known_fields(schema).get(scan.table, {})
        rowid = Field(_ROWID, Type.INTEGER, False, "INTEGER")
        found = tuple(
            known.get(name, rowid if name == _ROWID else Field(name)) for name in scan.columns
        )
        rows[scan.table, scan.columns] = found
    return found


def _no_rows(schema: Schema) -> dict[tuple[str, tuple[str, ...]], Row]:
    """An empty cache, per schema, of the columns of scans by (table, column names)."""
    del schema
    return {}


_known_rows = BySchema(_no_rows)


def _of_values(values: Values, context: Context, outer: Sequence[Row]) -> Row:
    columns = list(zip(*values.rows, strict=True)) or [()] * len(values.names)
    names = _padded(values.names, len(columns))
    return tuple(
        Field(
            name,
            _common((type_of(e, (), context, outer) for e in column), context.dialect),
            any(nullable(e, (), context, outer) for e in column),
            "",
            one_of({expression_collation(e, (), context, outer) for e in column} - {""}),
        )
        for name, column in zip(names, columns, strict=True)
    )


def _of_project(project: Project, context: Context, outer: Sequence[Row]) -> Row:
    row = fields(project.input, context, outer)
    names = _padded(project.names, len(project.expressions))
    return tuple(
        _of_expression(name, e, row, context, outer)
        for name, e in zip(names, project.expressions, strict=True)
    )


def _of_expression(
    name: str, expression: Expression, row: Row, context: Context, outer: Sequence[Row]
) -> Field:
    if isinstance(expression, Ref):
        field = row[expression.index]
        return field if field.name == name else _changed(field, name, field.nullable)
    return Field(
        name,
        type_of(expression, row, context, outer),
        nullable(expression, row, context, outer),
        expression_affinity(expression, row, context, outer),
        expression_collation(expression, row, context, outer),
    )


def _any(context: Context) -> str:
    """The collation of values whose source is unknown: the dialect's default."""
    return context.dialect if context.dialect in CASELESS else ""


def expression_collation(
    expression: Expression, row: Row, context: Context, outer: Sequence[Row]
) -> str:
    """The collation of an expression; empty if equal texts are byte-identical, ``?`` if unknown."""
    if isinstance(expression, Subquery) and expression.kind is SubqueryKind.SCALAR:
        inner = fields(expression.relation, context, (row, *outer))[0].collation
        return UNKNOWN if inner and context.dialect == "sqlite" else inner
    type_ = type_of(expression, row, context, outer)
    return collation(expression, type_, row, tuple(outer), context.dialect)


def expression_affinity(
    expression: Expression, row: Row, context: Context, outer: Sequence[Row]
) -> str | None:
    """SQLite's affinity of an expression; empty if it has none, None if unknown."""
    if isinstance(expression, Subquery) and expression.kind is SubqueryKind.SCALAR:
        return fields(expression.relation, context, (row, *outer))[0].affinity
    return affinity(expression, row, tuple(outer))


def _of_join(join: Join, context: Context, outer: Sequence[Row]) -> Row:
    left = fields(join.left, context, outer)
    if join.kind in (JoinKind.SEMI, JoinKind.ANTI):
        return left
    right = fields(join.right, context, (left, *outer) if join.lateral else outer)
    if join.kind is JoinKind.INNER:
        return without_null(left + right, null_rejected(join.condition))
    if join.kind in (JoinKind.RIGHT, JoinKind.FULL):
        left = tuple([as_nullable(field, True) for field in left])
    if join.kind in (JoinKind.LEFT, JoinKind.FULL):
        right = tuple([as_nullable(field, True) for field in right])
    return left + right


def _of_set(operation: SetOperation, context: Context, outer: Sequence[Row]) -> Row:
    rows = [fields(relation, context, outer) for relation in operation.inputs]
    columns = zip(*rows, strict=True)
    return tuple(_put_together(operation.kind, column, context.dialect) for column in columns)


def _put_together(kind: SetKind, column: Row, dialect: str) -> Field:
    first = column[0]
    held = first.affinity if len({field.affinity for field in column}) == 1 else None
    collated = one_of(field.collation for field in column)
    type_ = _common((field.type for field in column), dialect)
    if kind is SetKind.EXCEPT:
        type_ = first.type if dialect == "sqlite" else type_
        return replace(first, type=type_, affinity=held, collation=collated)
    some = any if kind is SetKind.UNION else all
    return Field(first.name, type_, some(field.nullable for field in column), held, collated)


# ---------------------------------------------------------------- aggregates and windows

_COUNTS = frozenset(("COUNT", "APPROX_COUNT_DISTINCT", "COUNT_IF", "COUNTIF", "REGR_COUNT"))
_NEVER_NULL = _COUNTS | {"TOTAL"}
_RANKS = frozenset(("ROW_NUMBER", "RANK", "DENSE_RANK", "NTILE"))
_SHARES = frozenset(("PERCENT_RANK", "CUME_DIST"))
_LIKE_OPERAND = frozenset(
    (
        "MIN",
        "MAX",
        "BARE",
        "UNITED",
        "FIRST",
        "LAST",
        "ANY_VALUE",
        "MODE",
        "ARBITRARY",
        "LAG",
        "LEAD",
    )
) | {"FIRST_VALUE", "LAST_VALUE", "NTH_VALUE"}
_TEXTS = frozenset(("GROUP_CONCAT", "STRING_AGG", "LISTAGG"))
_OF_ALL_ROWS = frozenset(("MIN", "MAX", "SUM", "AVG", "BARE", "GROUP_CONCAT", "STRING_AGG"))
"""Aggregates that are not NULL for a nonempty group in which no operand is NULL."""


def _of_aggregate(aggregate: Aggregate, context: Context, outer: Sequence[Row]) -> Row:
    row = fields(aggregate.input, context, outer)
    names = _padded(aggregate.names, len(aggregate.keys) + len(aggregate.calls))
    keys = [
        _of_expression(name, key, row, context, outer)
        for name, key in zip(names, aggregate.keys, strict=False)
    ]
    grouped = bool(aggregate.keys)
    calls = [
        Field(
            name,
            *_type_and_nullable(call, row, context, outer, grouped),
            affinity(call.operands[0], row, tuple(outer)) if call.name == "BARE" else "",
            _collation_of(call, row, context, outer),
        )
        for name, call in zip(names[len(keys) :], aggregate.calls, strict=True)
    ]
    return (*keys, *calls)


def _of_window(call: WindowCall, row: Row, context: Context, outer: Sequence[Row]) -> Field:
    if call.name in _RANKS:
        return Field("", Type.INTEGER, False, "")
    if call.name in _SHARES:
        return Field("", Type.REAL, False, "")
    # An explicit frame may be empty; the default frame always contains the current row.
    known = _type_and_nullable(call, row, context, outer, not call.frame)
    return Field("", *known, "", _collation_of(call, row, context, outer))


def _collation_of(
    call: AggregateCall | WindowCall, row: Row, context: Context, outer: Sequence[Row]
) -> str:
    types = [type_of(operand, row, context, outer) for operand in call.operands]
    type_ = _aggregate_type(call.name, types, context.dialect)
    operands = [expression_collation(operand, row, context, outer) for operand in call.operands]
    return aggregate_collation(call.name, operands, type_, context.dialect)


def _type_and_nullable(
    call: AggregateCall | WindowCall,
    row: Row,
    context: Context,
    outer: Sequence[Row],
    any_row: bool,
) -> tuple[Type, bool]:
    types = [type_of(operand, row, context, outer) for operand in call.operands]
    type_ = _aggregate_type(call.name, types, context.dialect)
    if call.name in _NEVER_NULL:
        return type_, False
    if not any_row or call.filter is not None or call.name not in _OF_ALL_ROWS:
        return type_, True
    # Infinity plus minus infinity is NaN, which SQLite returns as NULL.
    lost = call.name in ("SUM", "AVG") and types[:1] != [Type.INTEGER]
    return type_, lost or any(nullable(o, row, context, outer) for o in call.operands)


def _aggregate_type(name: str, operands: list[Type], dialect: str) -> Type:
    first = operands[0] if operands else Type.ANY
    if name in _COUNTS:
        return Type.INTEGER
    if name in _TEXTS:
        return Type.TEXT
    if name in _LIKE_OPERAND:
        return first
    if name == "TOTAL" or (name == "AVG" and dialect in ("sqlite", "duckdb", "bigquery")):
        return Type.REAL
    if name == "AVG":
        return Type.REAL if first is Type.REAL else Type.DECIMAL
    return first if name == "SUM" and first in _NUMBERS else Type.ANY


# ---------------------------------------------------------------- types of expressions

_NUMBERS = (Type.INTEGER, Type.DECIMAL, Type.REAL)  # from the narrowest to the widest
_COMPARISONS = COMPARISONS | {"LIKE", "ILIKE", "GLOB", "REGEXP"}
_PREDICATES = _COMPARISONS | {"AND", "OR", "NOT", "IN", "BETWEEN", "IS", "IS NULL", "XOR"}
_BY_FUNCTION = {
    **dict.fromkeys(("LENGTH", "CHAR_LENGTH", "INSTR", "STRPOS", "UNICODE", "ASCII"), Type.INTEGER),
    **dict.fromkeys(("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "DATEDIFF", "SIGN"), Type.INTEGER),
    **dict.fromkeys(("&", "|", "<<", ">>", "~", "BITNOT"), Type.INTEGER),
    **dict.fromkeys(("UPPER", "LOWER", "TRIM", "LTRIM", "RTRIM", "SUBSTR", "SUBSTRING"), Type.TEXT),
    **dict.fromkeys(("REPLACE", "||", "CONCAT", "CONCAT_WS", "PRINTF", "FORMAT"), Type.TEXT),
    **dict.fromkeys(("COLLATED", TO_TEXT), Type.TEXT),
    **dict.fromkeys(("HEX", "QUOTE", "TYPEOF", "CHAR", "LEFT", "RIGHT", "REVERSE"), Type.TEXT),
    **dict.fromkeys(("SQRT", "EXP", "LN", "PI", "POW", "POWER", "JULIANDAY"), Type.REAL),
    "CURRENT_DATE": Type.DATE,
    "CURRENT_TIME": Type.TIME,
    **dict.fromkeys(("CURRENT_TIMESTAMP", "NOW"), Type.TIMESTAMP),
}
_OF_SQLITE = {
    # In SQLite dates are texts, and ROUND returns a REAL even for an integer.
    **dict.fromkeys(("DATE", "TIME", "DATETIME", "STRFTIME"), Type.TEXT),
    **dict.fromkeys(("CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP"), Type.TEXT),
    "ROUND": Type.REAL,
}
_CHOICES = frozenset(("COALESCE", "IFNULL", "NVL", "NULLIF", "GREATEST", "LEAST", "MIN", "MAX"))


def type_of(expression: Expression, row: Row, context: Context, outer: Sequence[Row] = ()) -> Type:
    """The type of an expression's values; :attr:`Type.ANY` if unknown."""
    match expression:
        case Ref():
            return row[expression.index].type
        case Outer():
            field = _outer_field(expression, outer)
            return field.type if field else Type.ANY
        case Literal():
            return expression.type
        case Cast():
            return column_type(expression.type_name, context.dialect)
        case Subquery() if expression.kind is SubqueryKind.SCALAR:
            return fields(expression.relation, context, (row, *outer))[0].type
        case Subquery():
            return Type.BOOLEAN
        case Call():
            if expression.name in _PREDICATES:
                return Type.BOOLEAN
            types = [type_of(o, row, context, outer) for o in expression.operands]
            return _call_type(expression.name, types, context.dialect)


def _outer_field(reference: Outer, outer: Sequence[Row]) -> Field | None:
    if reference.level > len(outer):
        return None
    return outer[reference.level - 1][reference.index]


def _call_type(name: str, types: list[Type], dialect: str) -> Type:
    if name in ("+", "-", "*", "/"):
        return _arithmetic(name, types, dialect)
    if name in ("%", "DIV"):
        return Type.INTEGER if set(types) == {Type.INTEGER} else Type.ANY
    if name in ("NEG", "ABS"):
        return types[0] if types and types[0] in _NUMBERS else Type.ANY
    if name == "CASE":
        return _common([*types[1::2], types[-1]], dialect)
    if name == "IIF":
        return _common(types[1:], dialect)
    if name in _CHOICES:
        # PostgreSQL returns the first operand as it was converted for the comparison.
        first = name == "NULLIF" and dialect != "postgres"
        return _common(types[:1] if first else types, dialect)
    if dialect == "sqlite" and name in _OF_SQLITE:
        return _OF_SQLITE[name]
    if dialect == "mysql" and name == "EXTRACT":
        return Type.INTEGER
    return _BY_FUNCTION.get(name, Type.ANY)


def _arithmetic(name: str, types: list[Type], dialect: str) -> Type:
    if any(type_ not in _NUMBERS for type_ in types):
        return Type.ANY
    widest = max(types, key=_NUMBERS.index)
    if name == "/" and widest is Type.INTEGER:
        return _INTEGER_DIVISION.get(dialect, Type.INTEGER)
    return widest


_INTEGER_DIVISION = {
    **dict.fromkeys(("duckdb", "bigquery", "spark", "clickhouse"), Type.REAL),
    **dict.fromkeys(("mysql", "snowflake", "oracle"), Type.DECIMAL),
}
"""The type of ``integer / integer`` in the dialects where it is not an integer."""


def _common(types: Iterable[Type], dialect: str) -> Type:
    """The common type of values from several sources.

    In SQLite each value keeps its own type, so different number types give DECIMAL.
    """
    found = {type_ for type_ in types if type_ is not Type.NULL}
    if not found:
        return Type.NULL
    if len(found) == 1:
        return found.pop()
    if found <= set(_NUMBERS):
        if dialect == "sqlite":
            return Type.DECIMAL
        return max(found, key=_NUMBERS.index)
    return Type.ANY


# ---------------------------------------------------------------- NULL

# Operators that return NULL exactly if an operand is NULL. Arithmetic on REAL is not among them:
# infinity minus infinity is NaN, which SQLite returns as NULL.
_STRICT = _COMPARISONS | {"NOT", "BETWEEN", "NEG", "||", "&", "|", "<<", ">>", "XOR"}
_STRICT_FUNCTIONS = (
    frozenset(
        ("LENGTH", "UPPER", "LOWER", "TRIM", "LTRIM", "RTRIM", "REPLACE", "ABS", "ROUND", "SUBSTR")
    )
    | {"SUBSTRING", "INSTR", "CHAR_LENGTH", "COLLATED"}
    | {
        *(BY_VALUE, SHOWN, TO_NUMBER, TO_TEXT),
    }
)
# Functions that return NULL if an operand is NULL, and possibly in other cases.
_REJECTING = _STRICT | _STRICT_FUNCTIONS | {"+", "-", "*", "/", "%", "CEIL", "FLOOR"}
_WITHOUT_NULL = frozenset(
    ("IS", "IS NULL", "TYPEOF", "QUOTE", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP")
)
_CHECKED_CASTS = ("sqlite", "postgres", "duckdb", "tsql")
"""Dialects in which a CAST of a non-NULL value gives a value or an error, never NULL."""


def nullable(expression: Expression, row: Row, context: Context, outer: Sequence[Row] = ()) -> bool:
    """Whether an expression can be NULL; False only if it is certain that it cannot."""
    match expression:
        case Ref():
            return row[expression.index].nullable
        case Outer():
            field = _outer_field(expression, outer)
            return field is None or field.nullable
        case Literal():
            return expression.value is None
        case Cast():
            checked = context.dialect in _CHECKED_CASTS
            return not checked or nullable(expression.operand, row, context, outer)
        case Subquery():
            return _subquery_nullable(expression, row, context, outer)
        case Call():
            return _call_nullable(expression, row, context, outer)


def _subquery_nullable(
    subquery: Subquery, row: Row, context: Context, outer: Sequence[Row]
) -> bool:
    if subquery.kind is SubqueryKind.EXISTS:
        return False
    columns = fields(subquery.relation, context, (row, *outer))
    if subquery.kind is SubqueryKind.SCALAR:
        return columns[0].nullable or not has_one_row(subquery.relation)
    operands = any(nullable(o, row, context, outer) for o in subquery.operands)
    return operands or any(field.nullable for field in columns)


def has_one_row(relation: Relation) -> bool:
    """True if the relation has exactly one row, whatever the data."""
    match relation:
        case Aggregate():
            return not relation.keys
        case Values():
            return len(relation.rows) == 1
        case Project() | Sort() | Distinct() | Window():
            return has_one_row(relation.input)
        case _:
            return False


def _call_nullable(call: Call, row: Row, context: Context, outer: Sequence[Row]) -> bool:
    name, operands = call.name, call.operands
    if name in _WITHOUT_NULL:
        return False
    some = (nullable(o, row, context, outer) for o in operands)
    if name in _STRICT or name in _STRICT_FUNCTIONS or name in ("AND", "OR", "IN"):
        return any(some)
    if name in ("+", "-", "*"):
        integers = all(type_of(o, row, context, outer) is Type.INTEGER for o in operands)
        return not integers or any(some)
    if name in ("COALESCE", "IFNULL"):
        return all(some)
    if name == "CASE":
        return any(nullable(o, row, context, outer) for o in (*operands[1::2], operands[-1]))
    if name == "IIF" and len(operands) == 3:
        return any(nullable(o, row, context, outer) for o in operands[1:])
    return True


@lru_cache(maxsize=65536)
def as_nullable(field: Field, nullable: bool) -> Field:
    """The column with its nullability set."""
    return field if field.nullable == nullable else _changed(field, field.name, nullable)


def _changed(field: Field, name: str, nullable: bool) -> Field:
    """The field with another name or nullability: replace() takes three times as long."""
    return Field(name, field.type, nullable, field.affinity, field.collation, field.numerals)


def without_null(row: Row, columns: frozenset[int]) -> Row:
    """The row with the given columns marked as not nullable."""
    if not columns:
        return row
    return tuple(
        as_nullable(field, False) if i in columns and field.nullable else field
        for i, field in enumerate(row)
    )


@fact
def null_rejected(condition: Expression) -> frozenset[int]:
    """Columns of the current row that cannot be NULL in a row for which the condition is true."""
    match condition:
        case Call(name="AND"):
            parts = [null_rejected(part) for part in condition.operands]
            return frozenset().union(*parts)
        case Call(name="OR"):
            return frozenset.intersection(*(null_rejected(p) for p in condition.operands))
        case Call(name="NOT", operands=(Call(name="IS NULL", operands=(operand,)),)):
            return _strictly_read(operand)
        case Call(name="NOT", operands=(Call(name="BETWEEN", operands=(operand, *_)),)):
            # Beyond one bound BETWEEN is false, even if the other bound is NULL.
            return _strictly_read(operand)
        case Call(name="NOT", operands=(Call(name="IN", operands=operands),)):
            # NOT IN is never true if a list element is NULL.
            return frozenset().union(*(_strictly_read(o) for o in operands))
        case Call(name="IN", operands=(operand, *_)):
            return _strictly_read(operand)
        case Call(name="BETWEEN"):
            return frozenset().union(*(_strictly_read(o) for o in condition.operands))
        case Subquery(kind=SubqueryKind.IN | SubqueryKind.ANY):
            return frozenset().union(*(_strictly_read(o) for o in condition.operands))
        case _:
            return _strictly_read(condition)


def _strictly_read(expression: Expression) -> frozenset[int]:
    """Columns of the current row such that the expression is NULL if one of them is NULL."""
    match expression:
        case Ref():
            return frozenset((expression.index,))
        case Cast():
            return _strictly_read(expression.operand)
        case Call(name="BETWEEN", operands=(operand, *_)):
            return _strictly_read(operand)
        case Call() if expression.name in _REJECTING:
            return frozenset().union(*(_strictly_read(o) for o in expression.operands))
        case _:
            return frozenset()
