"""A statement as PostgreSQL's own grammar reads it: one SELECT, and every name in it.

What may stand in a query is listed, so what a later grammar adds is refused until it is known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from sqljury.databases.guard import without_strings
from sqljury.errors import MissingExtraError
from sqljury.execution import Execution, Status

try:
    import pgparse
except ImportError as error:
    raise MissingExtraError("pgparse", "postgresql", "A PostgreSQL database") from error

GRAMMAR: Final = 17
"""The version of PostgreSQL whose grammar this is."""

_NODES: Final = frozenset(
    re.findall(
        r"\w+",
        """
        SelectStmt ResTarget ColumnRef A_Const A_Expr A_Star A_Indices A_Indirection A_ArrayExpr
        BoolExpr NullTest BooleanTest CaseExpr CaseWhen CoalesceExpr MinMaxExpr RowExpr SubLink
        FuncCall NamedArgExpr SQLValueFunction TypeCast TypeName CollateClause ParamRef
        String Integer Float Boolean BitString List
        RangeVar RangeSubselect RangeFunction RangeTableSample RangeTableFunc RangeTableFuncCol
        JoinExpr ColumnDef Alias SortBy WindowDef GroupingSet GroupingFunc
        WithClause CommonTableExpr CTESearchClause CTECycleClause
        XmlExpr XmlSerialize
        JsonObjectConstructor JsonArrayConstructor JsonArrayQueryConstructor JsonObjectAgg
        JsonArrayAgg JsonAggConstructor JsonKeyValue JsonValueExpr JsonFormat JsonReturning
        JsonOutput JsonIsPredicate JsonParseExpr JsonScalarExpr JsonSerializeExpr JsonFuncExpr
        JsonTable JsonTableColumn JsonTablePathSpec JsonTablePath JsonArgument JsonBehavior
        """,
    )
)
_REFUSED: Final = {"intoClause": "INTO", "lockingClause": "FOR UPDATE or FOR SHARE"}

_MOST_TOKENS: Final = 25_000
"""The parser is recursive: a chain of twice as many operators still fits on a stack of 8 MiB."""
_TOKEN: Final = re.compile(r"[^\W\d]\w*|[^\s\w,'\".]")

_ROW_MAKERS: Final = frozenset(
    f"{kind}_populate_{what}" for kind in ("json", "jsonb") for what in ("record", "recordset")
)
_ARRAY_MAKERS: Final = frozenset({"array_agg", "array_fill"})


@dataclass(frozen=True)
class PostgreSQLNames:
    """What a statement names, in lower case.

    Args:
        all: names of any kind, and operators.
        types: of casts, column definitions and functions, which may be those of a type.
        tables: what is read, by its own name, without aliases.
        makes_values: it can make a row, an array or a record out of a text without naming the
            type: by a whole row, an array, or a function that fills a record.
        has_texts: a constant in quotes is in it.
    """

    all: frozenset[str]
    types: frozenset[str]
    tables: frozenset[str]
    makes_values: bool
    has_texts: bool


def read_statement(sql: str, server_version: int) -> PostgreSQLNames | Execution:
    """The names in one SELECT, or the outcome of not running it.

    Args:
        server_version: the server's, as libpq counts it.
    """
    if len(sql) > _MOST_TOKENS and _tokens_in(sql) > _MOST_TOKENS:
        return Execution(Status.ERROR, None, "too many operators and names to be checked")
    try:
        trees = pgparse.parse(sql)
    except pgparse.PGQueryError as error:
        if server_version // 10000 > GRAMMAR:
            words = f"{error.message}; this statement is unknown to PostgreSQL {GRAMMAR}, whose"
            return Execution(Status.REFUSED, None, f"{words} grammar sqljury checks by")
        return Execution(Status.ERROR, None, str(error.message))
    except RecursionError:
        return Execution(Status.ERROR, None, "nested too deeply to be checked")
    if len(trees) != 1 or "SelectStmt" not in trees[0].get("stmt", {}):
        return Execution(Status.REFUSED, None, "not a single query")
    return _names_in(trees[0]["stmt"])


def _tokens_in(sql: str) -> int:
    """How many words and signs stand outside texts; numbers and commas make no tree deeper."""
    return len(_TOKEN.findall(without_strings(sql, "postgres")))


def _names_in(tree: dict[str, Any]) -> PostgreSQLNames | Execution:
    names: set[str] = set()
    types: set[str] = set()
    tables: set[str] = set()
    sources: set[str] = set()
    lone: set[str] = set()
    makes_arrays = has_texts = False
    left: list[Any] = [tree]
    while left:
        node = left.pop()
        if isinstance(node, list):
            left += node
            continue
        for key, value in node.items() if isinstance(node, dict) else ():
            if key in _REFUSED or (key[0].isupper() and key not in _NODES):
                words = _REFUSED.get(key, key.removesuffix("Stmt").upper())
                return Execution(Status.REFUSED, None, f"not allowed: {words} in a query")
            if key == "A_Const":
                has_texts = has_texts or "sval" in value
                continue
            if key in ("TypeName", "typeName"):
                types.add(_last(value.get("names", [])))
            elif key == "FuncCall":
                types.add(_last(value["funcname"]))
            elif key == "RangeVar":
                tables.add(value["relname"].lower())
            elif key == "ColumnRef" and len(value["fields"]) == 1:
                lone.add(_last(value["fields"]))
            elif key == "A_ArrayExpr" or value == "ARRAY_SUBLINK":
                makes_arrays = True
            if isinstance(value, str):
                names.add(value.lower())
                if key in ("relname", "aliasname", "ctename"):
                    sources.add(value.lower())
            else:
                left.append(value)
    makes_values = bool(makes_arrays or lone & sources or names & (_ROW_MAKERS | _ARRAY_MAKERS))
    return PostgreSQLNames(
        frozenset(names), frozenset(types), frozenset(tables), makes_values, has_texts
    )


def _last(names: list[dict[str, Any]]) -> str:
    """The name itself, without its schema; empty for a star."""
    return str(names[-1].get("String", {}).get("sval", "")).lower() if names else ""
