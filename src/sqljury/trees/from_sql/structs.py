"""BigQuery's declared types: elements of arrays and fields of structs."""

from __future__ import annotations

from functools import lru_cache

from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqljury.trees.from_sql.scopes import FromScope
from sqljury.trees.nodes import Call, Expression, Outer, Ref


def declared_type(value: Expression, scope: FromScope) -> str:
    """The type of a column, or of a field of its structs; empty if it is not known."""
    match value:
        case Call(name=name, operands=(struct,)) if name.startswith("."):
            fields = fields_of(declared_type(struct, scope))
            return next((fields[key] for key in fields if key.lower() == name[1:]), "")
        case Ref(index=index):
            return _column_type(index, scope, 0)
        case Outer(level=level, index=index):
            return _column_type(index, scope, level)
    return ""


def _column_type(index: int, scope: FromScope, level: int) -> str:
    for seen in scope.enclosing():
        if seen.depth == scope.depth - level:
            for source in seen.sources:
                if source.start <= index < source.start + len(source.columns):
                    return source.types.get(index - source.start, "")
    return ""


def element_of(text: str) -> str:
    """The type of an array's elements; empty if the type is not an array's."""
    kind = _parsed(text)
    is_array = kind is not None and kind.this is exp.DataType.Type.ARRAY and kind.expressions
    return kind.expressions[0].sql("bigquery") if kind is not None and is_array else ""


def fields_of(text: str) -> dict[str, str]:
    """The types of a struct's fields by their names; empty if the type is not a struct's.

    >>> fields_of("STRUCT<page STRING, at STRUCT<n INT64>>")
    {'page': 'STRING', 'at': 'STRUCT<n INT64>'}
    """
    kind = _parsed(text)
    if kind is None or kind.this is not exp.DataType.Type.STRUCT:
        return {}
    return {
        field.name: field.args["kind"].sql("bigquery")
        for field in kind.expressions
        if isinstance(field, exp.ColumnDef) and field.args.get("kind")
    }


@lru_cache(maxsize=512)
def _parsed(text: str) -> exp.DataType | None:
    try:
        return exp.DataType.build(text, dialect="bigquery") if text else None
    except SqlglotError:
        return None
