"""The conditions that a hint writes out: ``charter refers to Charter = 1``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from sqljury.schema import Schema

_OPERATOR = r"(?P<operator>>=|<=|<>|!=|==|=|>|<|\blike\b)"
_VALUE = r"(?P<value>'(?:[^']|'')*'|\"[^\"]*\"|‘[^’]*’|-?\d+(?:\.\d+)?(?![\w./-]))"


@dataclass(frozen=True, slots=True)
class HintCondition:
    """``column operator value``, the column as the schema spells it."""

    column: str
    operator: str
    value: str
    """The constant without quotation marks."""
    is_text: bool
    text: str
    """As the hint has it."""


@lru_cache(maxsize=1024)
def _names(schema_columns: tuple[str, ...]) -> re.Pattern[str]:
    by_length = sorted(schema_columns, key=len, reverse=True)
    names = "|".join(re.escape(name) for name in by_length)
    return re.compile(
        rf"(?<![\w(])[`\"']?(?P<column>{names})[`\"']?\s*{_OPERATOR}\s*{_VALUE}", re.IGNORECASE
    )


def hint_conditions(hint: str, schema: Schema) -> tuple[HintCondition, ...]:
    """The conditions of a hint, in its order.

    >>> from sqljury.databases import schema_from_ddl
    >>> schema = schema_from_ddl("CREATE TABLE t (Charter INTEGER)")
    >>> hint_conditions("charter schools refers to charter = 1", schema)[0].text
    'charter = 1'
    """
    if not hint:
        return ()
    return tuple(
        HintCondition(
            _spelled(found["column"], schema),
            {"==": "=", "!=": "<>"}.get(found["operator"].lower(), found["operator"].upper()),
            found["value"].strip("'\"‘’").replace("''", "'"),
            not found["value"][-1].isdigit(),
            found[0].strip(),
        )
        for found in _names(_column_names(schema)).finditer(hint)
    )


def _column_names(schema: Schema) -> tuple[str, ...]:
    return tuple(sorted({column.name for table in schema.tables for column in table.columns}))


def _spelled(name: str, schema: Schema) -> str:
    known = (column.name for table in schema.tables for column in table.columns)
    return next(one for one in known if one.casefold() == name.casefold())


def _is_ordinary(name: str) -> bool:
    return name.isalpha() and (name.islower() or name.istitle())
