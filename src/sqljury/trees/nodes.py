"""Relational operator trees: what a query computes, without names, aliases or syntax.

A relation gives rows; an expression gives a value for one row. Columns are known by position:
``Ref(i)`` is column *i* of the row that an expression sees, which is the input's row (a join's
condition sees the left row, then the right one). A query inside an expression reads the row of the
enclosing query as ``Outer(1, i)``, the row of the query enclosing that one as ``Outer(2, i)``, and
so on; the right side of a lateral join reads the left row in the same way. So two texts that differ
in aliases only have equal trees, and equality of trees is ``==``.

Everything is frozen and hashable. Names of output columns are for display and never compared.
Computed facts of a node (:mod:`sqljury.trees.facts`), its hash included, are cached on the node.

Source: Zhan et al. 2024 (FuncEvalGMN), section 3; the operators are Calcite's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from enum import StrEnum
from functools import lru_cache
from typing import Any, TypeVar, dataclass_transform


class TreeNode:
    """Base class of every node of an operator tree: relations, expressions, calls, sort keys."""

    __slots__ = ("_facts", "_hash")

    _facts: dict[Any, Any] | None
    """Cached facts by the function that computes them; None before the first one."""
    _hash: int | None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the fields only: hashes of strings differ between processes, so copies compute
        their hash and facts again."""
        return type(self), tuple(getattr(self, each.name) for each in fields(self))  # type: ignore[arg-type]


Kind = TypeVar("Kind", bound=TreeNode)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def node(declared: type[Kind]) -> type[Kind]:
    """Class decorator: a frozen data class that caches its hash and sets its slots directly.

    The ordinary ``__init__`` of a frozen data class takes twice as long, and rewriting makes many
    nodes.
    """
    made: Any = dataclass(frozen=True, slots=True)(declared)
    deep = made.__hash__

    def known_hash(self: Any) -> int:
        found: int | None = self._hash
        if found is None:
            found = deep(self)
            _set_hash(self, found)
        return found

    made.__init__ = _init(made)
    made.__hash__ = known_hash
    return made  # type: ignore[no-any-return]


_set_hash = vars(TreeNode)["_hash"].__set__
set_facts = vars(TreeNode)["_facts"].__set__
"""``set_facts(node, facts)`` sets the dictionary of cached facts of a node."""


def _init(made: type[Any]) -> Callable[..., None]:
    """Generates an ``__init__`` that sets each slot through its descriptor."""
    names: dict[str, Any] = {"_set_hash": _set_hash, "_set_facts": set_facts}
    arguments, lines = ["self"], ["_set_hash(self, None)", "_set_facts(self, None)"]
    for each in fields(made):
        names[f"_set_{each.name}"] = getattr(made, each.name).__set__
        names[f"_default_{each.name}"] = each.default
        default = "" if each.default is MISSING else f"=_default_{each.name}"
        arguments.append(each.name + default)
        lines.append(f"_set_{each.name}(self, {each.name})")
    exec(f"def __init__({', '.join(arguments)}):\n " + "\n ".join(lines), names)
    init: Callable[..., None] = names["__init__"]
    init.__qualname__ = f"{made.__qualname__}.__init__"
    return init


# ---------------------------------------------------------------- values


class Type(StrEnum):
    """The data type of a column's or an expression's values."""

    INTEGER = "integer"
    REAL = "real"
    SINGLE = "single"
    """A 32-bit float, in engines whose arithmetic converts it to 64 bits; SQLite has none."""
    DECIMAL = "decimal"
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"
    TIME = "time"
    TIMESTAMP = "timestamp"
    INSTANT = "instant"
    """A point in time that is written and read in the session's time zone, where some hours are
    missing and others come twice: TIMESTAMP WITH TIME ZONE, MySQL's TIMESTAMP."""
    BLOB = "blob"
    NULL = "null"
    ANY = "any"
    """Unknown or mixed: a column without a declared type, the result of an unknown function."""


@node
class Field(TreeNode):
    """One output column of a relation: its display name, its type, whether NULL can occur."""

    name: str
    type: Type = Type.ANY
    nullable: bool = True
    affinity: str | None = None
    """SQLite's affinity: that of the table's column, empty for a computed column, None if
    unknown. Elsewhere None, but ``BIGINT`` for PostgreSQL's, whose SUM is a NUMERIC."""
    collation: str = ""
    """The collation, if different texts can be equal under it or it sorts them in another order;
    empty if equal texts are byte-identical, ``?`` if that is unknown."""
    numerals: bool = False
    """True for a text column with a foreign key to a numeric column: if foreign keys hold in
    SQLite, each of its texts is the usual spelling of a number."""


# ---------------------------------------------------------------- expressions


@node
class Ref(TreeNode):
    """Column ``index`` (from 0) of the current row: the input row of the operator."""

    index: int


ref = lru_cache(maxsize=4096)(Ref)
"""Returns a shared ``Ref(index)``: trees that share nodes are compared faster."""


@lru_cache(maxsize=1024)
def whole_row(width: int) -> tuple[Ref, ...]:
    """References to all columns of a row of ``width`` columns, in order; cached by width."""
    return tuple(map(ref, range(width)))


@node
class Outer(TreeNode):
    """Column ``index`` of the row of an enclosing query, ``level`` queries out (1: the nearest)."""

    level: int
    index: int


@node
class Literal(TreeNode):
    """A constant with its type, without which ``1``, ``1.0`` and ``TRUE`` would compare equal in
    Python."""

    value: int | float | str | bytes | bool | None
    type: Type


@node
class Call(TreeNode):
    """A scalar operator or function, named in capitals: ``=``, ``AND``, ``LIKE``, ``ABS``.

    ``AND`` and ``OR`` take any number of operands. ``IN`` takes the value and then the list.
    ``CASE`` takes conditions and results alternately and the ELSE value last. ``IS`` is equality in
    which NULL equals NULL. ``IS NULL``, ``NOT``, ``NEG`` take one operand. ``<>`` is the only
    inequality; ``NOT LIKE`` and similar operators are a ``NOT`` call on the positive operator.
    A function written without brackets, such as CURRENT_DATE, is a call without operands.
    """

    name: str
    operands: tuple[Expression, ...] = ()


@node
class Cast(TreeNode):
    """``CAST(operand AS type_name)``; the type's name is the dialect's, in capitals."""

    operand: Expression
    type_name: str


class SubqueryKind(StrEnum):
    """How an expression uses the rows of a query."""

    SCALAR = "scalar"
    """The first column of the query's first row; NULL if it has no rows."""
    EXISTS = "exists"
    IN = "in"
    """Whether ``operands`` equal some row of the query, with SQL's three truth values."""
    ANY = "any"
    ALL = "all"


@node
class Subquery(TreeNode):
    """A query inside an expression; ``operator`` is the comparison of ANY and ALL."""

    kind: SubqueryKind
    relation: Relation
    operands: tuple[Expression, ...] = ()
    operator: str = "="


Expression = Ref | Outer | Literal | Call | Cast | Subquery


@node
class SortKey(TreeNode):
    """One key of an ORDER BY. The position of NULLs is always explicit, whatever the dialect's
    default."""

    expression: Expression
    descending: bool = False
    nulls_last: bool = False


@node
class AggregateCall(TreeNode):
    """One aggregate function over the rows of a group: ``COUNT(*)`` is COUNT without operands.

    A selected column that is neither grouped by nor aggregated (SQLite, MySQL) is ``BARE``: its
    value in an arbitrary row of the group. If the query has exactly one MIN or MAX, SQLite takes
    the value from that row.
    """

    name: str
    operands: tuple[Expression, ...] = ()
    distinct: bool = False
    filter: Expression | None = None
    order: tuple[SortKey, ...] = ()


@node
class WindowCall(TreeNode):
    """One window function; ``frame`` is the frame clause in capitals, empty for the default."""

    name: str
    operands: tuple[Expression, ...] = ()
    partition: tuple[Expression, ...] = ()
    order: tuple[SortKey, ...] = ()
    frame: str = ""
    distinct: bool = False
    filter: Expression | None = None


# ---------------------------------------------------------------- relations


@node
class Scan(TreeNode):
    """All rows of a table, all its columns in the schema's order.

    ``table`` and ``columns`` are spelled as in the schema. There is a last column ``rowid`` only if
    the query reads SQLite's row id.
    """

    table: str
    columns: tuple[str, ...]


@node
class Values(TreeNode):
    """Rows of constant expressions, as in VALUES; a SELECT without FROM reads one row without
    columns."""

    rows: tuple[tuple[Expression, ...], ...]
    names: tuple[str, ...] = field(default=(), compare=False)


@node
class TableFunction(TreeNode):
    """The rows of a table function, such as ``json_each`` or ``generate_series``."""

    name: str
    operands: tuple[Expression, ...]
    columns: tuple[str, ...]


@node
class Filter(TreeNode):
    """The rows for which ``condition`` is true (neither false nor NULL)."""

    input: Relation
    condition: Expression


@node
class Project(TreeNode):
    """For each input row, a row with the value of each expression."""

    input: Relation
    expressions: tuple[Expression, ...]
    names: tuple[str, ...] = field(default=(), compare=False)


class JoinKind(StrEnum):
    """Which rows a join keeps; a cross join is an inner join with the condition TRUE."""

    INNER = "inner"
    LEFT = "left"
    RIGHT = "right"
    FULL = "full"
    SEMI = "semi"
    """Left rows with at least one partner; the output is the left row."""
    ANTI = "anti"
    """Left rows with no partner for which the condition is true; the output is the left row."""


@node
class Join(TreeNode):
    """Pairs of rows that meet ``condition``. USING and NATURAL become a condition, with a Project
    above the join.

    A lateral join's right side reads the left row as ``Outer(1, …)``.
    """

    kind: JoinKind
    left: Relation
    right: Relation
    condition: Expression
    lateral: bool = False


@node
class Aggregate(TreeNode):
    """One row per group: the keys, then the aggregates' values. Without keys, exactly one row."""

    input: Relation
    keys: tuple[Expression, ...]
    calls: tuple[AggregateCall, ...]
    names: tuple[str, ...] = field(default=(), compare=False)


@node
class Distinct(TreeNode):
    """The input without duplicate rows; NULLs count as equal."""

    input: Relation


@node
class Window(TreeNode):
    """For each input row, its columns and then one value per call."""

    input: Relation
    calls: tuple[WindowCall, ...]


@node
class Sort(TreeNode):
    """The input's rows sorted by ``keys``; rows with equal keys are in any order."""

    input: Relation
    keys: tuple[SortKey, ...]


@node
class Limit(TreeNode):
    """``count`` rows (None: all) after the first ``offset`` (None: 0)."""

    input: Relation
    count: Expression | None
    offset: Expression | None = None


class SetKind(StrEnum):
    """Which set operation combines the rows of several inputs."""

    UNION = "union"
    INTERSECT = "intersect"
    EXCEPT = "except"


@node
class SetOperation(TreeNode):
    """UNION, INTERSECT or EXCEPT of inputs of equal width; without ``all``, duplicates are
    removed."""

    kind: SetKind
    all: bool
    inputs: tuple[Relation, ...]


@node
class Recursive(TreeNode):
    """WITH RECURSIVE: the rows of ``seed``, then ``step`` repeated until it adds no row.

    ``step`` reads the rows of the previous step through ``Working``. ``all`` keeps duplicates.
    """

    seed: Relation
    step: Relation
    all: bool
    names: tuple[str, ...] = field(default=(), compare=False)


@node
class Working(TreeNode):
    """The rows that the previous step of a Recursive added: of the nearest enclosing Recursive
    (depth 0), or of one further out."""

    depth: int
    width: int
    names: tuple[str, ...] = field(default=(), compare=False)


Relation = (
    Scan
    | Values
    | TableFunction
    | Filter
    | Project
    | Join
    | Aggregate
    | Distinct
    | Window
    | Sort
    | Limit
    | SetOperation
    | Recursive
    | Working
)

TRUE = Literal(True, Type.BOOLEAN)
FALSE = Literal(False, Type.BOOLEAN)
NULL = Literal(None, Type.NULL)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why no tree could be built for an SQL text: in words, and as a category to count by."""

    reason: str
    kind: str
    """``syntax``, ``unknown_name``, ``ambiguous_name``, ``not_a_query``, ``unsupported``, …"""
