"""Makes collations and operand conversions explicit in a tree, for rules and proofs that know
neither.

Two texts are equal under a collation if their collation keys are identical, and ordered as their
keys are. So ``n = 'A'`` on a column that ignores case becomes ``COLLATED(n, 'NOCASE') = 'a'``, in
which equal values are byte-identical. DISTINCT and GROUP BY under a collation group by the key and
return the text of an arbitrary row of each group: a ``BARE`` column.

Numbers that are equal but not identical (1 and 1.0 in SQLite, 1.0 and 1.00 in PostgreSQL) are
treated in the same way where a query depends on more than their value (``x / 2``, ``x || ''``).

SQLite converts operands by the kind of expression, not by their values: ``'01' = a`` compares
numbers and ``'01' = a + 0`` compares texts. The conversion becomes a call, so that rules may
replace ``a + 0`` by ``a``.

What has no such form (a set operation of two collations, texts compared with numbers, the name of a
type in PostgreSQL) gives no tree, and nothing is proved about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from sqljury.schema import Schema, Table
from sqljury.sql.comparisons import COMPARISONS
from sqljury.trees.affinity import TO_NUMBER, converted
from sqljury.trees.catalog import BySchema
from sqljury.trees.collations import (
    BLANKED,
    BY_VALUE,
    CASELESS,
    ENUMERATED,
    SHOWN,
    UNKNOWN,
    may_be_written_otherwise,
)
from sqljury.trees.conditions import conjunction
from sqljury.trees.context import Context
from sqljury.trees.facts import InContext
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
    SortKey,
    Subquery,
    SubqueryKind,
    Type,
    Window,
    WindowCall,
)
from sqljury.trees.provenance import origin
from sqljury.trees.types import (
    Row,
    column_type,
    expression_affinity,
    expression_collation,
    fields,
    type_of,
)
from sqljury.trees.volatile import is_volatile
from sqljury.trees.walk import (
    deepen_relation,
    expressions,
    inputs,
    map_expressions,
    relations,
    subexpressions,
    width,
    with_inputs,
    with_operands,
)

_COMPARISONS = COMPARISONS | {"IS"}
_BY_COLLATION = frozenset(("NULLIF", "GREATEST", "LEAST", "MIN", "MAX"))
"""Functions that compare their operands and return one of them."""
_ORDERINGS = frozenset(("<", "<=", ">", ">="))
_PATTERNS = frozenset(("LIKE", "ILIKE", "GLOB", "REGEXP", "SIMILAR TO"))
_BRANCHES = frozenset(("CASE", "IIF", "COALESCE", "IFNULL", "NVL", "NULLIF", "GREATEST", "LEAST"))
_EXTREMES = frozenset(("MIN", "MAX"))
_BLIND = (
    _COMPARISONS
    | _BRANCHES
    | {"AND", "OR", "NOT", "IN", "BETWEEN", "IS NULL", "IS TRUE", "IS FALSE", "+", "-", "*", "NEG"}
    | {"ABS", "ROUND", "CEIL", "FLOOR", "SIGN", "MIN", "MAX", TO_NUMBER}
)
"""Operators whose results are equal for equal numbers, however these are written (1 or 1.0)."""
_BLIND_AGGREGATES = frozenset(
    ("COUNT", "SUM", "AVG", "TOTAL", "MIN", "MAX", "BARE", "STDDEV", "VARIANCE", "ROW_NUMBER")
) | {"RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST", "NTILE", "LAG", "LEAD", "FIRST_VALUE"}
_TYPE_NAMES = frozenset(("TYPEOF", "PG_TYPEOF", "PG_COLUMN_SIZE"))
_PLAIN_NUMBERS = (Type.INTEGER, Type.REAL, Type.DECIMAL, Type.BOOLEAN)


class _NoFormError(Exception):
    """Raised for a comparison whose collation or conversion cannot be made explicit."""


def with_collations(relation: Relation, context: Context, *, tied: bool = False) -> Relation | None:
    """The tree with collations and conversions made explicit; None if that is not possible.

    Args:
        tied: assume that values of a column that DISTINCT or GROUP BY treat as equal are
            identical, so that the value returned for a group depends on the key alone.
    """
    return (_TIED if tied else _WRITTEN).of(relation, context, "")


def _written(relation: Relation, context: Context, tied: bool = False) -> Relation | None:
    collated = _matters(relation, context)
    writer = _Writer(context, collated, tied=tied)
    try:
        found = writer.relation(relation, ())
        if writer.chooses and writer.looks:
            found = _Writer(context, collated, tied=tied, numbers=True).relation(relation, ())
        return found
    except _NoFormError:
        return None


_WRITTEN = InContext(_written)
_TIED: InContext[Relation, Relation | None] = InContext(
    lambda relation, context: _written(relation, context, tied=True)
)


def _matters(relation: Relation, context: Context) -> bool:
    """True if different texts may be equal in some comparison of the tree."""
    if context.dialect in CASELESS:
        return True
    for below in relations(relation):
        if isinstance(below, Scan) and any(f.collation for f in fields(below, context)):
            return True
        for expression in expressions(below):
            if any(map(_says_collation, subexpressions(expression))):
                return True
    return False


def _says_collation(part: Expression) -> bool:
    return isinstance(part, Cast) or (isinstance(part, Call) and part.name == "COLLATE")


def _exact_schema(schema: Schema) -> Schema:
    """The schema with the constraints that hold for byte-wise equality.

    Foreign keys that hold only under a collation are dropped; in SQLite, primary keys that may hold
    NULL become unique keys.
    """
    tables = tuple(_exact_table(table, schema) for table in schema.tables)
    same = all(a is b for a, b in zip(tables, schema.tables, strict=True))
    return schema if same else replace(schema, tables=tables)


def _exact_table(table: Table, schema: Schema) -> Table:
    context = Context(schema, schema.dialect)

    def folds(name: str, columns: Sequence[str]) -> bool:
        target = schema.table(name)
        if target is None:
            return False
        scan = Scan(target.name, tuple(c.name for c in target.columns))
        wanted = {column.casefold() for column in columns}
        return any(f.collation for f in fields(scan, context) if f.name.casefold() in wanted)

    kept = tuple(
        key
        for key in table.foreign_keys
        if not folds(table.name, key.columns) and not folds(key.target_table, key.target_columns)
    )
    if table.nullable_key and schema.dialect == "sqlite":
        table = replace(table, primary_key=(), unique=(table.primary_key, *table.unique))
    return table if kept == table.foreign_keys else replace(table, foreign_keys=kept)


exact_schema = BySchema(_exact_schema)
"""Returns the schema with the constraints that hold for byte-wise equality; cached by schema."""


@dataclass(frozen=True, slots=True)
class _Scope:
    """The row that an expression reads, and the rows of the enclosing queries, nearest first."""

    row: Row
    outer: tuple[Row, ...]

    @property
    def around(self) -> tuple[Row, ...]:
        return (self.row, *self.outer)


@dataclass(frozen=True, slots=True)
class _Operand:
    """One side of a comparison: the original and the rewritten expression, and its collation, type
    and affinity."""

    was: Expression
    now: Expression
    collation: str
    type: Type
    affinity: str | None
    bare_collation: str = ""
    """The collation without the COLLATE operator, if there is one."""

    @property
    def is_text(self) -> bool:
        return self.affinity == "TEXT" or self.type is Type.TEXT

    @property
    def is_explicit(self) -> bool:
        return isinstance(self.was, Call) and self.was.name == "COLLATE"

    @property
    def is_column(self) -> bool:
        part = self.was
        while isinstance(part, Cast):
            part = part.operand
        return isinstance(part, Ref | Outer)


class _Writer:
    """Rewrites one tree; types and collations are looked up in the original tree."""

    def __init__(
        self, context: Context, collated: bool, *, tied: bool, numbers: bool = False
    ) -> None:
        self.context = context
        self.dialect = context.dialect
        self.collated = collated
        self.tied = tied
        self.numbers = numbers
        self.chooses = False
        """True once a group returns one of several numbers that are equal but not identical."""
        self.looks = False
        """True once an operator depends on more than a number's value, such as its type."""

    # ------------------------------------------------------------ relations

    def relation(self, relation: Relation, outer: tuple[Row, ...]) -> Relation:
        scope = _Scope(self._row(relation, outer), outer)
        new = with_inputs(relation, self._inputs(relation, outer))
        match relation:
            case Aggregate():
                assert isinstance(new, Aggregate)
                return self._aggregate(relation, new, scope)
            case Distinct():
                assert isinstance(new, Distinct)
                return self._distinct(relation.input, new.input, scope.row)
            case SetOperation():
                assert isinstance(new, SetOperation)
                return self._set_operation(relation, new, outer)
            case Recursive():
                if any(field.collation for field in self.fields(relation.seed, outer)):
                    raise _NoFormError
                return new
            case Sort():
                assert isinstance(new, Sort)
                return replace(new, keys=self._sort_keys(relation.keys, scope))
            case Window():
                assert isinstance(new, Window)
                calls = tuple(self._window(call, scope) for call in relation.calls)
                return replace(new, calls=calls)
            case Filter() | Join() if self.dialect == "mysql":
                condition = self._with_zero_dates(relation, relation.condition, scope)
                return map_expressions(new, lambda _: self.expression(condition, scope))
            case _:
                return map_expressions(new, lambda e: self.expression(e, scope))

    def _with_zero_dates(
        self, relation: Filter | Join, condition: Expression, scope: _Scope
    ) -> Expression:
        """In a condition, replaces ``d IS NULL`` by ``IS NULL OR ZERO`` for a NOT NULL date ``d``.

        In MySQL's WHERE and ON, ``d IS NULL`` is also true of 0000-00-00 for such a column; in
        other places it is not.

        Source: MySQL's reference manual, section 14.4.2, "IS NULL".
        """
        match condition:
            case Call(name="AND" | "OR", operands=parts):
                return with_operands(
                    condition, tuple(self._with_zero_dates(relation, p, scope) for p in parts)
                )
            case Call(name="IS NULL", operands=(Ref() | Outer() as value,)):
                type_ = type_of(value, scope.row, self.context, scope.outer)
                if type_ in (Type.DATE, Type.TIMESTAMP, Type.INSTANT) and not self._holds_null(
                    relation, value
                ):
                    return Call("IS NULL OR ZERO", (value,))
        return condition

    def _holds_null(self, relation: Filter | Join, value: Ref | Outer) -> bool:
        """True if the value comes from a table's column that is declared without NOT NULL."""
        if isinstance(value, Outer):
            return False
        below = relation if isinstance(relation, Join) else relation.input
        column = origin(below, value.index)
        return column is not None and fields(column.scan, self.context)[column.column].nullable

    def fields(self, relation: Relation, outer: tuple[Row, ...]) -> Row:
        """The columns of a relation; without collations if no comparison of the tree has one."""
        found = fields(relation, self.context, outer)
        if self.collated:
            return found
        return tuple(replace(f, collation="") if f.collation else f for f in found)

    def _row(self, relation: Relation, outer: tuple[Row, ...]) -> Row:
        below = inputs(relation)
        if isinstance(relation, Join):
            left = self.fields(relation.left, outer)
            around = (left, *outer) if relation.lateral else outer
            return left + self.fields(relation.right, around)
        if isinstance(relation, SetOperation | Recursive):
            return ()
        return self.fields(below[0], outer) if below else ()

    def _inputs(self, relation: Relation, outer: tuple[Row, ...]) -> tuple[Relation, ...]:
        if isinstance(relation, Join) and relation.lateral:
            left = self.fields(relation.left, outer)
            right = self.relation(relation.right, (left, *outer))
            return self.relation(relation.left, outer), right
        return tuple(self.relation(below, outer) for below in inputs(relation))

    def _distinct(self, was: Relation, relation: Relation, row: Row) -> Relation:
        """DISTINCT by collation keys: for each key the values of an arbitrary row."""
        names = list(map(self._chosen, row))
        if not any(names):
            return Distinct(relation)
        columns = tuple(map(Ref, range(len(row))))
        keys = tuple(_key(ref, name) for ref, name in zip(columns, names, strict=True))
        return self._grouped(relation, keys, (), names, columns, was)

    def _chosen(self, field: Field) -> str:
        """The collation under which DISTINCT or GROUP BY treats different values as equal.

        ``BY_VALUE`` for numbers that may be equal but not identical; empty if there are none such.
        """
        if field.collation == ENUMERATED:
            return ""
        if field.collation or not may_be_written_otherwise(field, self.dialect):
            return field.collation
        self.chooses = True
        return BY_VALUE if self.numbers else ""

    def _grouped(
        self,
        relation: Relation,
        keys: tuple[Expression, ...],
        calls: tuple[AggregateCall, ...],
        names: Sequence[str],
        shown: Sequence[Expression],
        was: Relation,
    ) -> Relation:
        """A GROUP BY by collation keys; a key with a collation is returned as a ``BARE`` column.

        With ``tied``, a column of a table is returned as a function of its key instead.
        """
        outputs: list[Expression] = list(map(Ref, range(len(keys) + len(calls))))
        for i, name in enumerate(names):
            value = shown[i]
            column = origin(was, value.index) if name and isinstance(value, Ref) else None
            if name and self.tied and column is not None:
                text = f"{column.scan.table}.{column.scan.columns[column.column]}"
                outputs[i] = Call(SHOWN, (Ref(i), Literal(text, Type.TEXT)))
            elif name:
                outputs[i] = Ref(len(keys) + len(calls))
                calls = (*calls, AggregateCall("BARE", (shown[i],)))
        return Project(Aggregate(relation, keys, calls), tuple(outputs))

    def _aggregate(self, was: Aggregate, new: Aggregate, scope: _Scope) -> Relation:
        names = [self._chosen(self._field(key, scope)) for key in was.keys]
        plain = [self.expression(key, scope) for key in was.keys]
        keys = tuple(_key(key, name) for key, name in zip(plain, names, strict=True))
        calls = tuple(self._call(call, scope) for call in was.calls)
        if keys == tuple(plain):
            return replace(new, keys=keys, calls=calls)
        return self._grouped(new.input, keys, calls, names, plain, was.input)

    def _field(self, expression: Expression, scope: _Scope) -> Field:
        return Field(
            "",
            type_of(expression, scope.row, self.context, scope.outer),
            affinity=expression_affinity(expression, scope.row, self.context, scope.outer),
            collation=self._collation(expression, scope),
        )

    def _set_operation(
        self, was: SetOperation, new: SetOperation, outer: tuple[Row, ...]
    ) -> Relation:
        row = self.fields(was, outer)
        rows = [self.fields(below, outer) for below in was.inputs]
        mixed = any(
            a.collation != b.collation
            for one, other in pairwise(rows)
            for a, b in zip(one, other, strict=True)
        )
        names = list(map(self._chosen, row))
        if self.numbers and any(
            name == BY_VALUE and any(other[i].type is not rows[0][i].type for other in rows)
            for i, name in enumerate(names)
        ):
            raise _NoFormError  # whether 1 or 1.0 is shown depends on the order of the inputs
        if was.kind is SetKind.UNION and was.all and not (mixed and self._converts):
            return new
        if not mixed and not any(names):
            return new
        if was.all or mixed:
            raise _NoFormError
        if was.kind is SetKind.UNION:
            return self._united(new, names)
        return self._found_in(was, new, names, rows)

    def _united(self, new: SetOperation, names: list[str]) -> Relation:
        """UNION as a GROUP BY that returns the values of one row per group.

        Which row depends on the order of the inputs, so each row carries its input's number.
        """
        columns = tuple(map(Ref, range(len(names))))
        numbered = tuple(
            Project(part, (*columns, Literal(place, Type.INTEGER)))
            for place, part in enumerate(new.inputs)
        )
        keys = tuple(_key(ref, name) for ref, name in zip(columns, names, strict=True))
        rows = SetOperation(SetKind.UNION, True, numbered)
        calls = tuple(AggregateCall("UNITED", (ref, Ref(len(names)))) for ref in columns)
        grouped = Aggregate(rows, keys, calls)
        return Project(grouped, tuple(Ref(i + len(names) * bool(n)) for i, n in enumerate(names)))

    def _found_in(
        self, was: SetOperation, new: SetOperation, names: list[str], rows: list[Row]
    ) -> Relation:
        """INTERSECT or EXCEPT as [NOT] EXISTS: rows of the first input that are (not) in the
        others."""
        if self.dialect == "postgres" and new.kind is SetKind.INTERSECT:
            raise _NoFormError  # it shows rows of the smaller input
        if self.dialect != "sqlite" and any(
            a.type is not b.type for row in rows for a, b in zip(rows[0], row, strict=True)
        ):
            raise _NoFormError  # they are converted to a common type
        first, *others = new.inputs
        parts: list[Expression] = []
        for other in others:
            inside = deepen_relation(other)
            equal = [
                Call("IS", (_key(Outer(1, i), name), _key(Ref(i), name)))
                for i, name in enumerate(names)
            ]
            found = Subquery(SubqueryKind.EXISTS, Filter(inside, conjunction(equal)))
            parts.append(found if new.kind is SetKind.INTERSECT else Call("NOT", (found,)))
        return self._distinct(was.inputs[0], Filter(first, conjunction(parts)), rows[0])

    @property
    def _converts(self) -> bool:
        """True if combining CHAR(n) with other text types in one column changes the texts."""
        return self.dialect not in ("sqlite", "duckdb")

    # ------------------------------------------------------------ calls

    def _sort_keys(self, keys: Sequence[SortKey], scope: _Scope) -> tuple[SortKey, ...]:
        return tuple(replace(k, expression=self._as_key(k.expression, scope)) for k in keys)

    def _as_key(self, expression: Expression, scope: _Scope) -> Expression:
        """The collation key by which rows are sorted, grouped or partitioned."""
        collation = self._collation(expression, scope)
        now = self.expression(_bare(expression) if collation else expression, scope)
        return _key(now, collation) if collation else now

    def _call(self, call: AggregateCall, scope: _Scope) -> AggregateCall:
        compares = call.distinct or call.name in _EXTREMES
        collations = {self._aggregated(o, call, compares, scope) for o in call.operands} - {""}
        now = tuple(self.expression(o, scope) for o in call.operands)
        name = call.name
        if collations and compares and name == "COUNT":
            now = tuple(self._as_key(o, scope) for o in call.operands)
        elif collations and compares:
            name = f"{name} {_one(collations)}"
        return replace(
            call,
            name=name,
            operands=now,
            filter=None if call.filter is None else self.expression(call.filter, scope),
            order=self._sort_keys(call.order, scope),
        )

    def _aggregated(
        self, operand: Expression, call: AggregateCall | WindowCall, compares: bool, scope: _Scope
    ) -> str:
        """The collation under which an aggregate compares its operand; ``BY_VALUE`` for numbers
        that may be equal but not identical."""
        field = self._field(operand, scope)
        if call.name not in _BLIND_AGGREGATES:
            self._look(field)
        if field.collation == ENUMERATED:
            return ENUMERATED if call.name in _EXTREMES else ""
        return self._chosen(field) if compares and call.name != "COUNT" else field.collation

    def _look(self, field: Field) -> None:
        self.looks = self.looks or may_be_written_otherwise(field, self.dialect)

    def _window(self, call: WindowCall, scope: _Scope) -> WindowCall:
        compares = call.distinct or call.name in _EXTREMES
        collations = {self._aggregated(o, call, compares, scope) for o in call.operands} - {""}
        return replace(
            call,
            name=f"{call.name} {_one(collations)}" if collations and compares else call.name,
            operands=tuple(self.expression(o, scope) for o in call.operands),
            partition=tuple(self._as_key(p, scope) for p in call.partition),
            order=self._sort_keys(call.order, scope),
            filter=None if call.filter is None else self.expression(call.filter, scope),
        )

    # ------------------------------------------------------------ expressions

    def expression(self, expression: Expression, scope: _Scope) -> Expression:
        match expression:
            case Subquery():
                return self._subquery(expression, scope)
            case Call(name="COLLATE", operands=(inner, _)) if self.dialect == "sqlite":
                return self.expression(inner, scope)
            case Call():
                if self.dialect != "sqlite" and expression.name in _TYPE_NAMES:
                    raise _NoFormError
                if expression.name not in _BLIND:
                    for operand in expression.operands:
                        self._look(self._field(operand, scope))
                return self._of_call(expression, scope)
            case Cast():
                if column_type(expression.type_name, self.dialect) not in _PLAIN_NUMBERS:
                    self._look(self._field(expression.operand, scope))
                return self._cast(expression, scope)
            case _:
                return expression

    def _of_call(self, call: Call, scope: _Scope) -> Expression:
        if call.name in _COMPARISONS and len(call.operands) == 2:
            return self._compared(call.name, *call.operands, scope)
        if call.name == "BETWEEN":
            return self._between(call, scope)
        if call.name == "IN":
            return self._in(call, scope)
        now = tuple(self.expression(o, scope) for o in call.operands)
        new = with_operands(call, now)
        assert isinstance(new, Call)
        collations = {self._collation(o, scope) for o in call.operands} - {""}
        if call.name in _BRANCHES and self._converts:
            self._refuse_mixed_branches(call, scope)
        if not collations:
            return new
        explicit = any(isinstance(o, Call) and o.name == "COLLATE" for o in call.operands)
        if self.dialect == "sqlite":
            if explicit and call.name not in ("NOT", "AND", "OR", "IS NULL"):
                raise _NoFormError  # it goes on to whatever compares the result
            if call.name not in _BY_COLLATION:
                return new
        if call.name in _BY_COLLATION or call.name in _PATTERNS:
            return Call(f"{call.name} {_one(collations)}", new.operands)
        return new

    def _refuse_mixed_branches(self, call: Call, scope: _Scope) -> None:
        """Refuses CHAR(n) and VARCHAR branches in one CASE: the result's type depends on their
        order."""
        results = call.operands
        if call.name == "CASE":
            results = (*call.operands[1::2], call.operands[-1])
        elif call.name == "IIF":
            results = call.operands[1:]
        found = {self._collation(r, scope) for r in results if not isinstance(r, Literal)}
        if len(found) > 1 and BLANKED in found:
            raise _NoFormError

    def _cast(self, cast: Cast, scope: _Scope) -> Expression:
        operand = self.expression(cast.operand, scope)
        if self.dialect in CASELESS or self.dialect == "sqlite":
            return replace(cast, operand=operand)
        if self._collation(cast.operand, scope) == BLANKED:
            operand = _key(operand, BLANKED)  # the blanks go
        if self._collation(cast, scope) == BLANKED:
            return Call("CAST TO CHAR", (operand, Literal(cast.type_name, Type.TEXT)))
        return replace(cast, operand=operand)

    def _subquery(self, subquery: Subquery, scope: _Scope) -> Expression:
        relation = self.relation(subquery.relation, scope.around)
        if subquery.kind in (SubqueryKind.SCALAR, SubqueryKind.EXISTS):
            return replace(subquery, relation=relation)
        columns = self.fields(subquery.relation, scope.around)
        ours, theirs = list[Expression](), list[Expression]()
        for place, operand in enumerate(subquery.operands):
            left = self._operand(operand, scope)
            field = columns[place]
            named = _named_collation(subquery.relation, place)
            right = _Operand(
                Ref(place) if named is None else Call("COLLATE", (Ref(place), named)),
                Ref(place),
                field.collation,
                field.type,
                field.affinity,
            )
            collation = self._between_two(left, right)
            if collation and not self._keyed(left, right):
                raise _NoFormError
            both = self._converted(left, right)
            if both is None:
                raise _NoFormError
            left, right = both
            ours.append(self._side(left, collation))
            theirs.append(self._side(right, collation))
        if theirs and theirs != list(map(Ref, range(width(relation)))):
            relation = Project(relation, tuple(theirs))
        return replace(subquery, relation=relation, operands=tuple(ours))

    # ------------------------------------------------------------ comparisons

    def _compared(self, name: str, a: Expression, b: Expression, scope: _Scope) -> Expression:
        left, right = self._operand(a, scope), self._operand(b, scope)
        enumerated = {side.collation for side in (left, right)} & {ENUMERATED}
        if enumerated and name in _ORDERINGS and not any(isinstance(s, Literal) for s in (a, b)):
            raise _NoFormError
        collation = self._between_two(left, right)
        both = self._converted(left, right)
        if both is None:
            return Call(f"{name} {collation or UNKNOWN} {UNKNOWN}", (left.now, right.now))
        left, right = both
        if collation and not self._keyed(left, right):
            return Call(f"{name} {collation}", (left.now, right.now))
        return Call(name, (self._side(left, collation), self._side(right, collation)))

    def _between(self, call: Call, scope: _Scope) -> Expression:
        value, low, high = call.operands
        if is_volatile(value):
            raise _NoFormError
        parts = (
            self._compared(">=", value, low, scope),
            self._compared("<=", value, high, scope),
        )
        match parts:
            case (Call(name=">=", operands=(one, least)), Call(name="<=", operands=(other, most))):
                if one == other:
                    return Call("BETWEEN", (one, least, most))
        return Call("AND", parts)

    def _in(self, call: Call, scope: _Scope) -> Expression:
        value, *rest = (self._operand(o, scope) for o in call.operands)
        found = {self._between_two(value, element) for element in rest}
        of_value = value.is_column or value.is_explicit
        if self.dialect == "sqlite" and not of_value and any(e.collation for e in rest):
            raise _NoFormError
        if len(found) != 1:
            raise _NoFormError
        (collation,) = found
        if collation and not all(self._keyed(value, element) for element in rest):
            raise _NoFormError
        # In SQLite the elements of an IN list have no affinity.
        pairs = [self._converted(value, replace(element, affinity="")) for element in rest]
        if any(pair is None or pair[0] is not value for pair in pairs):
            raise _NoFormError
        listed = [pair[1] for pair in pairs if pair is not None]
        return Call("IN", tuple(self._side(o, collation) for o in (value, *listed)))

    def _operand(self, expression: Expression, scope: _Scope) -> _Operand:
        return _Operand(
            expression,
            self.expression(_bare(expression), scope),
            self._collation(expression, scope),
            type_of(_bare(expression), scope.row, self.context, scope.outer),
            expression_affinity(expression, scope.row, self.context, scope.outer),
            self._collation(_bare(expression), scope),
        )

    def _collation(self, expression: Expression, scope: _Scope) -> str:
        if not self.collated:
            return ""
        return expression_collation(expression, scope.row, self.context, scope.outer)

    def _converted(self, left: _Operand, right: _Operand) -> tuple[_Operand, _Operand] | None:
        """Both operands with the engine's conversion made explicit; None if it is unknown."""
        if self.dialect != "sqlite":
            return left, right
        one, other = (left.affinity, left.type), (right.affinity, right.type)
        first, second = converted(left.now, one, other), converted(right.now, other, one)
        if first is None or second is None:
            return None
        return (
            left if first is left.now else replace(left, now=first),
            right if second is right.now else replace(right, now=second),
        )

    def _between_two(self, left: _Operand, right: _Operand) -> str:
        """The collation under which two operands are compared; empty if byte-wise."""
        explicit = next((side for side in (left, right) if side.is_explicit), None)
        if explicit is not None:
            if any(side.bare_collation == BLANKED for side in (left, right)):
                raise _NoFormError
            return _known(explicit.collation)
        if self.dialect == "sqlite":
            return self._of_sqlite(left, right)
        sides = [side for side in (left, right) if not isinstance(side.was, Literal)] or [left]
        # Values of an ENUM are equal, as texts or by position, if they are identical.
        return _known(_one({side.collation for side in sides} - {"", ENUMERATED} or {""}))

    def _of_sqlite(self, left: _Operand, right: _Operand) -> str:
        """SQLite's rule: the left operand's collation if it is a column, else that of the right."""
        if not left.is_column:
            return _known(right.collation if right.is_column else left.collation or right.collation)
        if not left.collation and right.collation and not left.affinity:
            raise _NoFormError  # what is computed is a column here and there only
        return _known(left.collation)

    def _keyed(self, left: _Operand, right: _Operand) -> bool:
        """True if both operands are texts that are compared without a conversion."""
        blanked = {side.collation == BLANKED for side in (left, right)}
        if len(blanked) > 1 and not any(isinstance(s.was, Literal) for s in (left, right)):
            return False
        if left.is_column and right.is_column and left.affinity and self.dialect == "sqlite":
            return left.affinity == right.affinity
        nothing = Literal(None, Type.NULL)
        return all(side.is_text or side.was == nothing for side in (left, right))

    def _side(self, operand: _Operand, collation: str) -> Expression:
        if not collation:
            if isinstance(operand.was, Call) and operand.is_explicit and self.dialect != "sqlite":
                return Call("COLLATE", (operand.now, operand.was.operands[1]))
            return operand.now
        return _key(operand.now, collation)


def _named_collation(relation: Relation, column: int) -> Expression | None:
    """The collation that a query's output column gets by a COLLATE operator; None without one."""
    while isinstance(relation, Sort | Limit | Distinct):
        relation = relation.input
    if isinstance(relation, SetOperation):
        if any(_named_collation(below, column) is not None for below in relation.inputs):
            raise _NoFormError
    elif isinstance(relation, Project):
        match relation.expressions[column]:
            case Call(name="COLLATE", operands=(_, collation)):
                return collation
    return None


def _bare(expression: Expression) -> Expression:
    """The expression without its outer COLLATE operators."""
    while isinstance(expression, Call) and expression.name == "COLLATE":
        expression = expression.operands[0]
    return expression


def _known(collation: str) -> str:
    if collation == UNKNOWN:
        raise _NoFormError
    return collation


def _one(collations: set[str]) -> str:
    if len(collations) != 1:
        raise _NoFormError
    (found,) = collations
    return _known(found)


def _key(expression: Expression, collation: str) -> Expression:
    """The collation key of an expression; the expression itself if ``collation`` is empty."""
    if not _known(collation):
        return expression
    if collation == BY_VALUE:
        return Call(BY_VALUE, (expression,))
    match expression:
        case Literal(value=None):
            return expression
        # ASCII only: DuckDB's NOCASE also folds other letters.
        case Literal(value=str() as text) if collation == "NOCASE" and text.isascii():
            return Literal(text.lower(), Type.TEXT)
        case Literal(value=str() as text) if collation == "RTRIM":
            return Literal(text.rstrip(" "), Type.TEXT)
    return Call("COLLATED", (expression, Literal(collation, Type.TEXT)))
