"""Checks a statement of a warehouse's dialect: one query of listed nodes, functions and tables.

The text that is sent is rebuilt from tokens, without comments (:mod:`sqljury.databases.guard`), and
sqlglot must read the same tokens in it as in the original. Its tree may only have listed kinds of
nodes, so what a later grammar adds is refused until it is added here.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqljury.databases.guard import admit, allowing, unread
from sqljury.databases.warehouses.functions import FUNCTIONS
from sqljury.execution import Execution, Status

_NODES = allowing(
    """
    Add Aliases Alias All Any AtIndex AtTimeZone Between Binary BitString BitwiseAnd
    BitwiseLeftShift BitwiseNot BitwiseOr BitwiseRightShift BitwiseXor Boolean Bracket
    ByteString CTE Cluster Column ColumnDef Connect Cube DPipe DataType DataTypeParam Distinct
    Distribute Div Dot EQ Escape Except Fetch Filter ForClause FormatJson From FromTimeZone GT
    GTE Group GroupingSets Having HavingMax Heredoc HexString HistoricalData ILike Identifier
    IgnoreNulls In IntDiv Intersect Interval IntervalOp IntervalSpan Is JSON JSONColumnDef
    JSONExtractQuote JSONKeyValue JSONPath JSONPathFilter JSONPathKey JSONPathRecursive
    JSONPathRoot JSONPathScript JSONPathSelector JSONPathSlice JSONPathSubscript JSONPathUnion
    JSONPathWildcard JSONSchema JSONValue Join Kwarg LT LTE Lambda Lateral Like Limit
    LimitOptions Literal MatchRecognize MatchRecognizeMeasure Mod Mul NEQ National Neg Not Null
    NullSafeEQ NullSafeNEQ Offset OnCondition OpenJSONColumnDef Order Ordered Overlaps Paren
    Pivot PivotAlias PivotAny Prior PropertyEQ Pseudocolumn Qualify QueryOption RawString
    RespectNulls Rollup Select SimilarTo Slice Sort Star Sub Subquery Table TableAlias
    TableColumn TableFromRows TableSample TimeUnit Tuple UnicodeString Union UnpivotColumns
    Values Var Version Where Window WindowSpec With WithinGroup XMLKeyValueOption XMLNamespace
    """
)
"""Kinds of nodes besides functions."""

_REFUSED_FUNCTIONS = allowing(
    """
    AIAgg AIClassify AIEmbed AIForecast AIGenerate AISimilarity AISummarizeAgg FeaturesAtTime
    GenerateBool GenerateDouble GenerateEmbedding GenerateInt GenerateTable GenerateText
    MLForecast MLTranslate Predict VectorSearch ReadCSV ReadParquet ToFile DynamicIdentifier
    NextValueFor Secret CurrentAccount CurrentAccountName CurrentAvailableRoles CurrentClient
    CurrentIpAddress CurrentOrganizationName CurrentOrganizationUser CurrentSecondaryRoles
    CurrentSession CurrentStatement CurrentTransaction AnonymousAggFunc CombinedAggFunc
    CombinedParameterizedAgg ParameterizedAgg
    """
)
"""Functions that sqlglot knows and that call a model, read a file, change something, or tell of
other sessions."""

_DESCRIBING = allowing(
    """
    tables columns views schemata databases table_constraints key_column_usage
    constraint_column_usage referential_constraints check_constraints partitions
    column_field_paths table_options
    """
)
"""Views of INFORMATION_SCHEMA that describe a schema; the others tell of users, jobs and grants."""


@dataclass(frozen=True)
class Rules:
    """What a dialect refuses besides what all refuse.

    Args:
        dialect: sqlglot's name.
        words: unquoted words that are refused anywhere.
        signs: operators that are refused.
        refuses_table: True if the table of these parts (catalog, schema, name, in lower case) may
            not be read.
        positional: True if ``$1`` is a column of the source.
        columns: names that are refused behind a table's name: they are no columns.
    """

    dialect: str
    words: frozenset[str] = frozenset()
    signs: tuple[str, ...] = ()
    refuses_table: Callable[[tuple[str, ...]], bool] = lambda _: False
    positional: bool = False
    columns: frozenset[str] = frozenset()


def admitted(sql: str, rules: Rules) -> str | Execution:
    """The one query in ``sql`` as it is sent, or the outcome of refusing it.

    >>> admitted("SELECT 1 -- one", Rules("snowflake"))
    'SELECT 1'
    >>> admitted("SELECT system$cancel_query('1')", Rules("snowflake")).message
    'not allowed: the function system$cancel_query'
    """
    statement = admit(sql, rules.dialect)
    if isinstance(statement, Execution):
        return statement
    from sqlglot.errors import SqlglotError

    try:
        found = _tokens(statement, rules.dialect)
        if found != _tokens(sql, rules.dialect):
            return _refused("a quote or a comment that can be read in different ways")
        return _refused_token(found, rules) or _refused_tree(statement, rules) or statement
    except (SqlglotError, RecursionError) as error:
        return unread(rules.dialect, error)


def _refused(what: str) -> Execution:
    return Execution(Status.REFUSED, None, what)


def _tokens(sql: str, dialect: str) -> list[tuple[str, str]]:
    """Kind and text of each token, without semicolons at the end."""
    from sqlglot import Dialect

    tokens = Dialect.get_or_raise(dialect).tokenize(sql)
    found = [(token.token_type.name, token.text) for token in tokens]
    while found and found[-1][0] == "SEMICOLON":
        found.pop()
    return found


def _refused_token(tokens: list[tuple[str, str]], rules: Rules) -> Execution | None:
    for kind, text in tokens:
        if kind in _QUOTED:
            continue
        if text.lower() in rules.words:
            return _refused(f"not allowed: {text.upper()}")
        if text in rules.signs:
            return _refused(f"not allowed: {text}")
    return None


_QUOTED = frozenset(
    ("STRING", "IDENTIFIER", "RAW_STRING", "HEREDOC_STRING", "NATIONAL_STRING", "BYTE_STRING")
)


def _refused_tree(statement: str, rules: Rules) -> Execution | None:
    from sqlglot import exp

    trees = _parse(statement, rules.dialect)
    if len(trees) != 1:
        return _refused("more than one statement")
    tree = trees[0]
    if not isinstance(tree, exp.Query | exp.Values):
        return _refused("not a query")
    for node in tree.walk():
        if why := _why_refused(node, rules):
            return _refused(f"not allowed: {why}")
    return None


def _parse(statement: str, dialect: str) -> list[Any]:
    import sqlglot

    # sqlglot warns of each statement that it does not understand; the result says it.
    logger = logging.getLogger("sqlglot")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        return [tree for tree in sqlglot.parse(statement, read=dialect) if tree is not None]
    finally:
        logger.setLevel(level)


def _why_refused(node: Any, rules: Rules) -> str:
    from sqlglot import exp

    kind = type(node).__name__
    if isinstance(node, exp.Func):
        return _why_function(node, kind, rules)
    if isinstance(node, exp.Parameter):
        number = rules.positional and isinstance(node.this, exp.Literal) and not node.this.is_string
        return "" if number else "a variable or a parameter"
    if kind not in _NODES:
        return _words_of(kind)
    if isinstance(node, exp.Table):
        return _why_table(node, rules)
    if isinstance(node, exp.TableFromRows) and not isinstance(node.this, exp.Func):
        return "a table whose name is computed"
    if isinstance(node, exp.Column) and node.name.lower() in rules.columns and node.table:
        return node.sql(rules.dialect)
    return ""


def _words_of(kind: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind).upper()


def _why_function(node: Any, kind: str, rules: Rules) -> str:
    from sqlglot import exp

    name = node.name if isinstance(node, exp.Anonymous) else ""
    shown = f"the function {name or _words_of(kind)}"
    if kind in _REFUSED_FUNCTIONS:
        return shown
    if isinstance(node, exp.Anonymous) and not isinstance(node.this, str):
        return shown  # in quotes: a function of the database's owner
    known = FUNCTIONS[rules.dialect]
    above = node.parent
    if isinstance(above, exp.Dot) and above.expression is node:
        return "" if above.sql(rules.dialect).lower().partition("(")[0] in known else shown
    if isinstance(above, exp.Table) and (above.args.get("db") or above.args.get("catalog")):
        return shown
    return shown if name and name.lower() not in known else ""


def _why_table(node: Any, rules: Rules) -> str:
    from sqlglot import exp

    if isinstance(node.this, exp.Func):
        return ""  # visited on its own
    if not isinstance(node.this, exp.Identifier | exp.Dot):
        return f"reading {node.this.sql(rules.dialect)}"
    named = (node.args.get("catalog"), node.args.get("db"), node.this)
    parts = [part for one in named if one is not None for part in _names(one)]
    # BigQuery's names in one pair of quotes may hold dots.
    parts = [piece for part in parts for piece in part.lower().split(".")]
    if rules.refuses_table(("", "", "", *parts)[-max(3, len(parts)) :]):
        return ".".join(parts)
    if "information_schema" in parts[:-1] and parts[-1] not in _DESCRIBING:
        return ".".join(parts)
    return ""


def _names(node: Any) -> list[str]:
    from sqlglot import exp

    if isinstance(node, str):
        return [node]  # nothing between two dots
    return [str(one.this) for one in node.find_all(exp.Identifier)]
