"""Relational operator trees: what a query computes, without names, aliases or syntax.

A relation gives rows; an expression gives a value for one row. Columns are known by position:
``Ref(i)`` is column *i* of the row that an expression sees, which is the input's row (a join's
condition sees the left row, then the right one). A query inside an expression sees the row around
it as ``Outer(1, i)``, the row around that as ``Outer(2, i)``, and so on; the right side of a
lateral join sees the left row in the same way. So two texts that differ in aliases only have equal
trees, and equality of trees is ``==``.

Everything is frozen and hashable. Names of output columns are for people and never compared.
What was found out of a node (:mod:`sqljury.trees.facts`), its hash too, is kept with it.

Source: Zhan et al. 2024 (FuncEvalGMN), section 3; the operators are Calcite's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from enum import StrEnum
from functools import lru_cache
from typing import Any, TypeVar, dataclass_transform


class TreeNode:
    """A part of a tree."""

    __slots__ = ("_facts", "_hash")

    _facts: dict[Any, Any] | None
    """What is known of it, by the function that finds it."""
    _hash: int | None

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies, and nodes in other processes, find out anew: hashes of texts differ there."""
        return type(self), tuple(getattr(self, each.name) for each in fields(self))  # type: ignore[arg-type]


Kind = TypeVar("Kind", bound=TreeNode)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def node(declared: type[Kind]) -> type[Kind]:
    """A frozen data class whose hash is found once, and whose fields are set directly: the
    ``__init__`` of a frozen data class takes twice as long, and rewriting makes many nodes."""
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
"""Sets what is known of a node."""


def _init(made: type[Any]) -> Callable[..., None]:
    """``__init__`` that sets slots by their descriptors."""
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
    """What kind of value a column or an expression has."""

    INTEGER = "integer"
    REAL = "real"
    SINGLE = "single"
    """A float of 32 bits where arithmetic makes one of 64 bits of it, so not in SQLite."""
    DECIMAL = "decimal"
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"
    TIME = "time"
    TIMESTAMP = "timestamp"
    BLOB = "blob"
    NULL = "null"
    ANY = "any"
    """Unknown, or mixed: a column without a declared type, a function that is not known."""


@node
class Field(TreeNode):
    """One output column of a relation: its name for people, its type, whether NULL can occur."""

    name: str
    type: Type = Type.ANY
    nullable: bool = True
    affinity: str | None = None
    """SQLite's affinity: of a column as a table holds it, empty of a computed one, None unknown."""
    collation: str = ""
    """The collation that finds different texts equal or sorts them otherwise; empty where equal
    texts are the same to the byte, ``?`` where that is not known."""
    numerals: bool = False
    """A column of texts that refers to a column of numbers: where foreign keys hold in SQLite, its
    texts are numbers as they are written."""


# ---------------------------------------------------------------- expressions


@node
class Ref(TreeNode):
    """Column ``index`` (from 0) of the row at hand."""

    index: int


ref = lru_cache(maxsize=4096)(Ref)
"""Column ``index`` as a node that others share: equal trees are compared faster where they share
their parts."""


@lru_cache(maxsize=1024)
def whole_row(width: int) -> tuple[Ref, ...]:
    """Every column of a row, in order; the very same tuple for the same width where it can."""
    return tuple(map(ref, range(width)))


@node
class Outer(TreeNode):
    """Column ``index`` of the row ``level`` queries further out (1 is the nearest)."""

    level: int
    index: int


@node
class Literal(TreeNode):
    """A constant. The type is part of it: ``1``, ``1.0`` and ``TRUE`` are equal in Python."""

    value: int | float | str | bytes | bool | None
    type: Type


@node
class Call(TreeNode):
    """An operator or a function of one row, named in capitals: ``=``, ``AND``, ``LIKE``, ``ABS``.

    ``AND`` and ``OR`` take any number of operands, ``IN`` the value and then the list, ``CASE``
    conditions and results in turn and the ELSE last, ``IS`` is equality that takes NULL as a value,
    ``IS NULL``, ``NOT``, ``NEG`` take one operand. ``<>`` is the only inequality; ``NOT LIKE`` and
    its kind are ``NOT`` around the positive one. A constant without brackets, such as
    CURRENT_DATE, is a call without operands.
    """

    name: str
    operands: tuple[Expression, ...] = ()


@node
class Cast(TreeNode):
    """``operand`` as ``type_name``, spelled in capitals as the dialect has it."""

    operand: Expression
    type_name: str


class SubqueryKind(StrEnum):
    """How an expression uses the rows of a query."""

    SCALAR = "scalar"
    """The first column of its first row, NULL without rows."""
    EXISTS = "exists"
    IN = "in"
    """Whether ``operands`` equal some row, with SQL's three truth values."""
    ANY = "any"
    ALL = "all"


@node
class Subquery(TreeNode):
    """A query as (part of) an expression; ``operator`` is the comparison of ANY and ALL."""

    kind: SubqueryKind
    relation: Relation
    operands: tuple[Expression, ...] = ()
    operator: str = "="


Expression = Ref | Outer | Literal | Call | Cast | Subquery


@node
class SortKey(TreeNode):
    """One key of an order. Where NULLs go is always said, whatever the dialect's default."""

    expression: Expression
    descending: bool = False
    nulls_last: bool = False


@node
class AggregateCall(TreeNode):
    """One aggregate over the rows of a group: ``COUNT(*)`` is COUNT without operands.

    A bare column beside GROUP BY (SQLite, MySQL) is ``BARE``: its value in some row of the group,
    which SQLite takes from the row of the only MIN or MAX.
    """

    name: str
    operands: tuple[Expression, ...] = ()
    distinct: bool = False
    filter: Expression | None = None
    order: tuple[SortKey, ...] = ()


@node
class WindowCall(TreeNode):
    """One function over a window; ``frame`` is its text in capitals, empty for the default."""

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

    ``table`` and ``columns`` are spelled as the schema has them. A last column ``rowid`` is
    there only where the query asks for SQLite's row id.
    """

    table: str
    columns: tuple[str, ...]


@node
class Values(TreeNode):
    """Rows written out; ``SELECT 1`` reads from one row without columns."""

    rows: tuple[tuple[Expression, ...], ...]
    names: tuple[str, ...] = field(default=(), compare=False)


@node
class TableFunction(TreeNode):
    """Rows of a function, such as ``json_each`` or ``generate_series``."""

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
    """One value per expression for each row."""

    input: Relation
    expressions: tuple[Expression, ...]
    names: tuple[str, ...] = field(default=(), compare=False)


class JoinKind(StrEnum):
    """Which rows a join keeps; a cross join is an inner one on TRUE."""

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
    """Pairs of rows. USING and NATURAL are written out: a condition, and a Project above.

    A lateral join's right side sees the left row as ``Outer(1, …)``.
    """

    kind: JoinKind
    left: Relation
    right: Relation
    condition: Expression
    lateral: bool = False


@node
class Aggregate(TreeNode):
    """One row per group: the keys, then the calls. Without keys, exactly one row."""

    input: Relation
    keys: tuple[Expression, ...]
    calls: tuple[AggregateCall, ...]
    names: tuple[str, ...] = field(default=(), compare=False)


@node
class Distinct(TreeNode):
    """Each different row once; NULLs count as equal."""

    input: Relation


@node
class Window(TreeNode):
    """The input's row, then one value per call."""

    input: Relation
    calls: tuple[WindowCall, ...]


@node
class Sort(TreeNode):
    """The rows in order; equal keys in any order."""

    input: Relation
    keys: tuple[SortKey, ...]


@node
class Limit(TreeNode):
    """``count`` rows (None: all) after the first ``offset`` (None: 0)."""

    input: Relation
    count: Expression | None
    offset: Expression | None = None


class SetKind(StrEnum):
    """What is done with the rows of several inputs."""

    UNION = "union"
    INTERSECT = "intersect"
    EXCEPT = "except"


@node
class SetOperation(TreeNode):
    """Inputs of equal width put together; without ``all`` each different row once."""

    kind: SetKind
    all: bool
    inputs: tuple[Relation, ...]


@node
class Recursive(TreeNode):
    """WITH RECURSIVE: ``seed``, then ``step`` on what was found, until nothing is new.

    ``step`` reads what was found through ``Working``. ``all`` keeps duplicates.
    """

    seed: Relation
    step: Relation
    all: bool
    names: tuple[str, ...] = field(default=(), compare=False)


@node
class Working(TreeNode):
    """The rows found last by a Recursive: the nearest (depth 0), or one further out."""

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
    """Why a text has no tree, in words, and the kind of reason to count by."""

    reason: str
    kind: str
    """``syntax``, ``unknown_name``, ``ambiguous_name``, ``not_a_query``, ``unsupported``, …"""
