"""Keys and functional dependencies of a relation: unique columns, columns that others determine.

Values count as equal if GROUP BY puts them into one group: NULLs are equal, and so are 1 and 1.0.
Source: Darwen and Date, "The role of functional dependence in query decomposition", 1992;
Paulley, "Exploiting functional dependence in query optimization", 2000.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, product

from sqljury.schema import Table
from sqljury.trees.affinity import NUMERIC_AFFINITIES, TO_NUMBER, TO_TEXT, affinity
from sqljury.trees.catalog import table_named
from sqljury.trees.conditions import conjuncts
from sqljury.trees.context import Assumption, Context
from sqljury.trees.facts import InContext
from sqljury.trees.nodes import (
    Aggregate,
    Call,
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
    Ref,
    Relation,
    Scan,
    SetKind,
    SetOperation,
    Sort,
    Type,
    Values,
    Window,
)
from sqljury.trees.types import Row, fields, null_rejected
from sqljury.trees.volatile import is_volatile
from sqljury.trees.walk import columns_read, width

Columns = frozenset[int]
_MOST_KEYS = 8
_MOST_DEPENDENCIES = 200


@dataclass(frozen=True, slots=True)
class Properties:
    """Unique sets of columns (keys) and functional dependencies of a relation.

    A dependency (A, B) means: rows that are equal in A are equal in B. An empty key means that
    there is at most one row.
    """

    keys: tuple[Columns, ...] = ()
    dependencies: tuple[tuple[Columns, Columns], ...] = ()

    def closure(self, columns: Iterable[int]) -> Columns:
        """All columns that ``columns`` determine by the dependencies; keys are not used."""
        found = frozenset(columns)
        grown = True
        while grown:
            grown = False
            for given, determined in self.dependencies:
                if given <= found and not determined <= found:
                    found |= determined
                    grown = True
        return found

    def unique(self, columns: Iterable[int]) -> bool:
        """True if it is certain that no two rows are equal in ``columns``."""
        if not self.keys:
            return False
        reached = self.closure(columns)
        return any(key <= reached for key in self.keys)

    def determined(self, columns: Iterable[int], all_columns: int) -> Columns:
        """All columns that ``columns`` determine, by dependencies or because they are unique."""
        reached = self.closure(columns)
        return frozenset(range(all_columns)) if any(k <= reached for k in self.keys) else reached


def properties(relation: Relation, context: Context) -> Properties:
    """The keys and dependencies of a relation; declared keys count if the context assumes them."""
    keys = Assumption.PRIMARY_KEY if context.may(Assumption.PRIMARY_KEY) else ""
    return _PROPERTIES.of(relation, context, keys)


def _properties(relation: Relation, context: Context) -> Properties:
    match relation:
        case Scan():
            return _of_scan(relation, context)
        case Filter():
            below = properties(relation.input, context)
            row = fields(relation.input, context)
            below = _and(below, equalities(conjuncts(relation.condition), row, context))
            held = frozenset(i for i, f in enumerate(fields(relation, context)) if not f.nullable)
            return _more_keys(below, _loose_keys(relation, context), held)
        case Sort() | Window():
            return properties(relation.input, context)
        case Limit():
            below = properties(relation.input, context)
            one = isinstance(relation.count, Literal) and relation.count.value in (0, 1)
            return Properties((frozenset(),)) if one else below
        case Distinct():
            below = properties(relation.input, context)
            return _with_key(below, range(width(relation.input)))
        case Project():
            return _of_project(relation, context)
        case Aggregate():
            return _of_aggregate(relation, context)
        case Join():
            return _of_join(relation, context)
        case SetOperation():
            return _of_set(relation, context)
        case Values():
            return Properties((frozenset(),)) if len(relation.rows) <= 1 else Properties()
        case _:
            return Properties()


_PROPERTIES = InContext(_properties)


def assumed_for_unique(
    relation: Relation, columns: Iterable[int], context: Context, held: Columns = frozenset()
) -> frozenset[Assumption] | None:
    """The assumptions under which ``columns`` are unique.

    Returns an empty set if they are unique in any case, the primary key assumption if declared keys
    are needed, None if they are not known to be unique.

    Args:
        held: columns that hold no NULL in the rows in question.
    """
    wanted = frozenset(columns)
    without = without_keys(context)

    def is_unique(known: Context) -> bool:
        below = properties(relation, known)
        return _more_keys(below, _loose_keys(relation, known), held).unique(wanted)

    if is_unique(without):
        return frozenset()
    if context is not without and is_unique(context):
        return frozenset((Assumption.PRIMARY_KEY,))
    return None


def one_partner(
    right: Relation, condition: Expression, row: Row, start: int, context: Context
) -> bool:
    """True if each left row matches at most one row of ``right`` under a join condition.

    Args:
        condition: reads the left columns, then those of ``right`` from index ``start`` on.
        row: the columns of both sides.
    """
    held = frozenset(column - start for column in null_rejected(condition) if column >= start)
    below = _more_keys(properties(right, context), _loose_keys(right, context), held)
    moved = shifted(below, start)
    equal = equalities(conjuncts(condition), row, context)
    return Properties(moved.keys, moved.dependencies + equal).unique(range(start))


def without_keys(context: Context) -> Context:
    """The context without the assumption that declared keys hold."""
    if not context.may(Assumption.PRIMARY_KEY):
        return context
    fewer = context.assuming - {Assumption.PRIMARY_KEY}
    return Context(context.schema, context.dialect, fewer, context.converts)


# ---------------------------------------------------------------- by operator


def _of_scan(scan: Scan, context: Context) -> Properties:
    place = {name.casefold(): i for i, name in enumerate(scan.columns)}
    table = table_named(context.schema, scan.table)
    if table is None:
        return Properties()
    keys = []
    if "rowid" in place and table.column("rowid") is None:
        keys.append(frozenset((place["rowid"],)))
    if context.may(Assumption.PRIMARY_KEY):
        keys += _declared(table, place)
    return Properties(_fewest(keys))


def _declared(table: Table, place: dict[str, int]) -> Iterator[Columns]:
    primary = {name.casefold() for name in table.primary_key}
    # UNIQUE allows several NULLs, but GROUP BY treats them as equal.
    held = {column.name.casefold() for column in table.columns if not column.nullable} | primary
    for names in (table.primary_key, *table.unique):
        wanted = {name.casefold() for name in names}
        if wanted and wanted <= place.keys() and wanted <= held:
            yield frozenset(place[name] for name in wanted)


def _loose_keys(relation: Relation, context: Context) -> Iterator[Columns]:
    """UNIQUE constraints of a filtered table: keys among the rows without NULL in them."""
    while isinstance(relation, Filter):
        relation = relation.input
    table = table_named(context.schema, relation.table) if isinstance(relation, Scan) else None
    if table is None or not isinstance(relation, Scan) or not context.may(Assumption.PRIMARY_KEY):
        return
    place = {name.casefold(): i for i, name in enumerate(relation.columns)}
    for names in table.unique:
        wanted = {name.casefold() for name in names}
        if wanted and wanted <= place.keys():
            yield frozenset(place[name] for name in wanted)


def _more_keys(below: Properties, loose: Iterable[Columns], held: Columns) -> Properties:
    """Adds the loose keys whose columns are all in ``held``, the columns without NULL."""
    more = [key for key in loose if key <= held]
    return Properties(_fewest((*below.keys, *more)), below.dependencies) if more else below


def _of_project(project: Project, context: Context) -> Properties:
    below = properties(project.input, context)
    row = fields(project.input, context)
    places: dict[int, int] = {}
    computed: list[tuple[Columns, Columns]] = []
    for i, expression in enumerate(project.expressions):
        if isinstance(expression, Ref):
            first = places.setdefault(expression.index, i)
            if first != i:
                computed += _both(first, i)
    for i, expression in enumerate(project.expressions):
        read = columns_read(expression)
        if isinstance(expression, Ref) or is_volatile(expression) or not read <= places.keys():
            continue
        # Equal inputs may give different results: 1 and 1.0 are equal, 1/2 and 1.0/2 are not.
        if all(same_values(row[c], row[c], context) for c in read):
            computed.append((frozenset(places[c] for c in read), frozenset((i,))))
    moved = _renumbered(below, places)
    return Properties(moved.keys, moved.dependencies + tuple(computed))


def _both(a: int, b: int) -> tuple[tuple[Columns, Columns], tuple[Columns, Columns]]:
    one, other = frozenset((a,)), frozenset((b,))
    return (one, other), (other, one)


def _renumbered(below: Properties, places: dict[int, int]) -> Properties:
    """The properties after a projection: column ``c`` is now at ``places[c]``, others are
    dropped."""
    kept = frozenset(places)

    def moved(columns: Columns) -> Columns | None:
        """The new places of the columns, or of kept columns that determine them; None if one has
        no such column."""
        found: set[int] = set()
        for column in columns:
            near = column if column in kept else _stand_in(below, column, kept)
            if near is None:
                return None
            found.add(places[near])
        return frozenset(found)

    keys = [key for key in map(moved, below.keys) if key is not None]
    if not keys and below.unique(kept):
        keys = [frozenset(places.values())]
    dependencies = []
    for given, determined in below.dependencies:
        start = moved(given)
        end = frozenset(places[c] for c in below.closure(given | determined) & kept)
        if start is not None and not end <= start:
            dependencies.append((start, end))
    return Properties(_fewest(keys), tuple(dependencies))


def _stand_in(below: Properties, column: int, kept: Columns) -> int | None:
    for given, determined in below.dependencies:
        if column in determined and len(given) == 1 and given <= kept:
            return next(iter(given))
    return None


def _of_aggregate(aggregate: Aggregate, context: Context) -> Properties:
    if not aggregate.keys:
        return Properties((frozenset(),))
    grouped = _of_project(Project(aggregate.input, aggregate.keys), context)
    all_keys = frozenset(range(len(aggregate.keys)))
    # A key of the input stays a key: each group contains at least one input row.
    keys = (*grouped.keys, all_keys)
    return Properties(_fewest(keys), grouped.dependencies)


def _of_join(join: Join, context: Context) -> Properties:
    left = properties(join.left, context)
    if join.kind in (JoinKind.SEMI, JoinKind.ANTI):
        return left
    by = width(join.left)
    if join.lateral or join.kind in (JoinKind.RIGHT, JoinKind.FULL):
        return Properties()
    right = properties(join.right, context)
    if join.kind in (JoinKind.INNER, JoinKind.LEFT):
        # A row with NULL in a column that the condition rejects has no partner.
        held = null_rejected(join.condition)
        partners = frozenset(c - by for c in held if c >= by)
        right = _more_keys(right, _loose_keys(join.right, context), partners)
        if join.kind is JoinKind.INNER:
            left = _more_keys(left, _loose_keys(join.left, context), held)
    right = shifted(right, by)
    row = fields(join.left, context) + fields(join.right, context)
    equal = equalities(conjuncts(join.condition), row, context)
    if join.kind is JoinKind.INNER:
        return joined(left, right, equal, range(by), range(by, len(row)))
    return _of_left_join(left, right, equal, row, by)


def shifted(below: Properties, by: int) -> Properties:
    """The properties with ``by`` added to every column index."""

    def moved(columns: Columns) -> Columns:
        return frozenset(c + by for c in columns)

    dependencies = tuple((moved(a), moved(b)) for a, b in below.dependencies)
    return Properties(tuple(map(moved, below.keys)), dependencies)


def joined(
    left: Properties,
    right: Properties,
    equal: tuple[tuple[Columns, Columns], ...],
    of_left: range,
    of_right: range,
) -> Properties:
    """The properties of an inner join.

    Args:
        equal: dependencies that follow from the join condition.
        of_left: the columns of the left side; a key of it determines all of them.
        of_right: the columns of the right side, likewise.
    """
    sides = ((left, frozenset(of_left)), (right, frozenset(of_right)))
    by_key = tuple((key, columns) for side, columns in sides for key in side.keys)
    dependencies = left.dependencies + right.dependencies + equal + by_key
    dependencies = dependencies[:_MOST_DEPENDENCIES]
    together = Properties((), dependencies)
    keys = [
        _reduced(a | b, together, left.keys, right.keys)
        for a, b in islice(product(left.keys, right.keys), _MOST_KEYS)
    ]
    return Properties(_fewest(keys), dependencies)


def _reduced(
    key: Columns, known: Properties, left: tuple[Columns, ...], right: tuple[Columns, ...]
) -> Columns:
    """The key without columns that the others determine, by dependencies or by both sides' keys."""
    for column in sorted(key, reverse=True):
        rest = key - {column}
        reached = known.closure(rest)
        if any(k <= reached for k in left) and any(k <= reached for k in right):
            key = rest
    return key


def _of_left_join(
    left: Properties,
    right: Properties,
    equal: tuple[tuple[Columns, Columns], ...],
    row: Row,
    by: int,
) -> Properties:
    # A left join adds rows of NULLs on the right. A dependency of the right side still holds if
    # one of its determining columns is never NULL there; a constant column is constant no longer.
    kept = tuple(
        (given, determined)
        for given, determined in right.dependencies
        if any(not row[c].nullable for c in given)
    )
    into_right = tuple(e for e in equal if min(e[1]) >= by > max(e[0], default=0))
    towards_right = Properties((), right.dependencies + into_right)
    keys = []
    for a in left.keys:
        single = any(key <= towards_right.closure(range(by)) for key in right.keys)
        keys += [a] if single else [a | b for b in right.keys]
    return Properties(_fewest(keys), (left.dependencies + kept)[:_MOST_DEPENDENCIES])


def _of_set(operation: SetOperation, context: Context) -> Properties:
    if operation.all and operation.kind is SetKind.UNION:
        return Properties()
    below = Properties()
    if operation.kind is not SetKind.UNION:
        below = properties(operation.inputs[0], context)
    return below if operation.all else _with_key(below, range(width(operation)))


# ---------------------------------------------------------------- small parts


def _with_key(below: Properties, key: Iterable[int]) -> Properties:
    return Properties(_fewest((*below.keys, frozenset(key))), below.dependencies)


def _and(below: Properties, more: tuple[tuple[Columns, Columns], ...]) -> Properties:
    return Properties(below.keys, below.dependencies + more) if more else below


def _fewest(keys: Iterable[Columns]) -> tuple[Columns, ...]:
    """The minimal keys (none contains another), smallest first, at most eight."""
    found: list[Columns] = []
    for key in sorted(keys, key=lambda k: (len(k), sorted(k))):
        if not any(other <= key for other in found):
            found.append(key)
    return tuple(found[:_MOST_KEYS])


# ---------------------------------------------------------------- equalities


def equalities(
    parts: Iterable[Expression], row: Row, context: Context
) -> tuple[tuple[Columns, Columns], ...]:
    """The dependencies that hold in rows for which all parts are true.

    They come from ``column = column``, ``column = constant`` and ``column IS NULL``.
    """
    found: list[tuple[Columns, Columns]] = []
    for part in parts:
        found += _equality(part, row, context)
    return tuple(found)


def _equality(part: Expression, row: Row, context: Context) -> Iterator[tuple[Columns, Columns]]:
    match part:
        case Call(name="=" | "IS", operands=(Ref() as a, Ref() as b)):
            for one, other in ((a.index, b.index), (b.index, a.index)):
                if pins(row[one], row[other], context):
                    yield frozenset((one,)), frozenset((other,))
        case Call(name="=" | "IS", operands=(Ref() as a, b)) if isinstance(b, Literal | Outer):
            if _fixes(row[a.index], b, context):
                yield frozenset(), frozenset((a.index,))
        case Call(name="=" | "IS", operands=(b, Ref() as a)) if isinstance(b, Literal | Outer):
            if _fixes(row[a.index], b, context):
                yield frozenset(), frozenset((a.index,))
        case (
            Call(name="=" | "IS", operands=(Ref() as a, Call(operands=(Ref() as b,)) as call))
            | Call(name="=" | "IS", operands=(Call(operands=(Ref() as b,)) as call, Ref() as a))
        ) if call.name in (TO_NUMBER, TO_TEXT):
            if same_values(row[a.index], row[a.index], context):
                yield frozenset((b.index,)), frozenset((a.index,))
        case Call(name="IS NULL", operands=(Ref() as a,)):
            yield frozenset(), frozenset((a.index,))
        case _:
            return


def pins(given: Field, field: Field, context: Context) -> bool:
    """True if a column that equals ``given`` has one identical value per value of ``given``."""
    if context.dialect == "sqlite" and field.affinity in NUMERIC_AFFINITIES:
        return True
    return same_values(given, field, context)


def _fixes(field: Field, other: Expression, context: Context) -> bool:
    """True if a column that equals a constant holds only one, bit-identical value."""
    if context.dialect != "sqlite":
        return _equal_is_same(field.type, context)
    if field.affinity in NUMERIC_AFFINITIES:
        return True
    against = affinity(other, ())
    return field.affinity == "TEXT" and against is not None and against not in NUMERIC_AFFINITIES


def same_values(one: Field, other: Field, context: Context) -> bool:
    """True if values of the two columns that are equal are also bit-identical.

    SQLite stores numbers in a column of numeric affinity in one form, whatever the derived type; in
    other engines the type decides.
    """
    if context.dialect == "sqlite":
        return one.affinity == other.affinity and (
            one.affinity == "TEXT" or one.affinity in NUMERIC_AFFINITIES
        )
    return one.type is other.type and _equal_is_same(one.type, context)


_CASELESS = ("mysql", "tsql")
"""Dialects whose default collation ignores case."""


def _equal_is_same(type_: Type, context: Context) -> bool:
    if type_ is Type.TEXT:
        return context.dialect not in _CASELESS
    # Not REAL: 0.0 equals -0.0, and a 32-bit float can equal a 64-bit one.
    return type_ in (Type.INTEGER, Type.DATE, Type.BOOLEAN, Type.TIMESTAMP, Type.INSTANT, Type.TIME)
