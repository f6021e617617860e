"""Rules for projections and for columns that nothing reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sqljury.equivalence.blocks.chain import Reading, reading
from sqljury.equivalence.rules.base import QUERY, RELATION, Rewritten, rule
from sqljury.trees.context import Context
from sqljury.trees.nodes import (
    Aggregate,
    Distinct,
    Expression,
    Filter,
    Join,
    JoinKind,
    Limit,
    Literal,
    Project,
    Ref,
    Relation,
    SetKind,
    SetOperation,
    Sort,
    Subquery,
    SubqueryKind,
    Type,
    Values,
    Window,
)
from sqljury.trees.types import has_one_row
from sqljury.trees.volatile import any_volatile, has_volatile
from sqljury.trees.walk import (
    columns_read,
    deepen_relation,
    expressions,
    inputs,
    length,
    map_expressions,
    map_queries,
    names,
    renumber,
    substitute,
    width,
    with_inputs,
    with_relation,
)

# ---------------------------------------------------------------- merge projects
# A projection moves above filters, sorts, limits and windows; two projections become one.
#
# So the other operators read the base rows directly, however the query was split into subqueries.


_LARGEST = 600


@rule(RELATION, at={"Project", "Aggregate", "Filter", "Sort", "Limit", "Window"})
def merge_projects(relation: Relation, _: Context) -> Rewritten | None:
    """``SELECT a FROM (SELECT x + 1 AS a FROM t) WHERE a > 2`` → ``SELECT x + 1 FROM t WHERE x
    + 1 > 2``."""
    if isinstance(relation, Project) and _is_identity(relation):
        return Rewritten(relation.input)
    if not isinstance(relation, Project | Aggregate | Filter | Sort | Limit | Window):
        return None
    below = relation.input
    if not isinstance(below, Project) or any_volatile(below.expressions):
        return None
    found = _merged(relation, below)
    return Rewritten(found) if sum(map(length, expressions(found))) < _LARGEST else None


def _is_identity(project: Project) -> bool:
    """True if a projection changes nothing; never above a join, whose columns may be reordered."""
    return (
        not isinstance(_bottom(project.input), Join)
        and len(project.expressions) == width(project.input)
        and all(e == Ref(i) for i, e in enumerate(project.expressions))
    )


def _bottom(relation: Relation) -> Relation:
    while isinstance(relation, Filter | Sort | Limit | Window):
        relation = relation.input
    return relation


def _merged(
    relation: Project | Aggregate | Filter | Sort | Limit | Window, below: Project
) -> Relation:
    values = below.expressions
    on_input = with_inputs(relation, (below.input,))
    if isinstance(relation, Limit):
        return replace(below, input=on_input)
    new = map_expressions(on_input, lambda e: substitute(e, values))
    if isinstance(relation, Project | Aggregate):
        return new
    if isinstance(relation, Window):
        wide = width(below.input)
        values += tuple(Ref(wide + i) for i in range(len(relation.calls)))
        names = below.names and below.names + ("",) * len(relation.calls)
        return Project(new, values, names)
    return replace(below, input=new)


# ---------------------------------------------------------------- unread columns
# Removes columns that no ancestor reads: outputs of subqueries, aggregates, windows.


_ONE = Literal(1, Type.INTEGER)


@rule(QUERY)
def unread_columns(relation: Relation, _: Context) -> Rewritten | None:
    """``SELECT x FROM (SELECT x, y FROM t LIMIT 3)`` → ``SELECT x FROM (SELECT x FROM t LIMIT
    3)``."""
    if not _computes_below(relation):
        return None
    new = _whole(relation)
    return Rewritten(new) if new != relation else None


_COMPUTING = frozenset(("Project", "Aggregate", "Window", "SetOperation", "Subquery"))


def _computes_below(relation: Relation) -> bool:
    """True if an operator below the root computes columns, so that some may be unread."""
    asked = "Subquery" in names(relation) or not width(relation)
    return asked or not all(map(_COMPUTING.isdisjoint, map(names, inputs(relation))))


@dataclass(frozen=True, slots=True)
class _Kept:
    """A relation with fewer columns; ``place`` maps each remaining old column to its new place."""

    relation: Relation
    place: dict[int, int]


def _whole(relation: Relation) -> Relation:
    """The relation with all its columns; below it unread columns are removed."""
    return _kept(relation, frozenset(range(width(relation)))).relation


def _kept(relation: Relation, read: frozenset[int]) -> _Kept:
    """The relation with at least the columns ``read``."""
    relation = map_expressions(relation, lambda e: map_queries(e, _inside))
    match relation:
        case Project():
            return _of_project(relation, read)
        case Aggregate():
            return _of_aggregate(relation, read)
        case Window():
            return _of_window(relation, read)
        case Filter() | Sort() | Limit():
            below = _kept(relation.input, read.union(_read_by(relation)))
            return _Kept(_on(relation, below), below.place)
        case Join(lateral=False):
            return _of_join(relation, read)
        case SetOperation(kind=SetKind.UNION, all=True):
            return _of_union(relation, read)
        case Distinct() | SetOperation():
            new = tuple(_whole(below) for below in inputs(relation))
            return _all_of(with_inputs(relation, new))
        case _:
            return _all_of(relation)


def _all_of(relation: Relation) -> _Kept:
    return _Kept(relation, {i: i for i in range(width(relation))})


def _read_by(relation: Relation) -> frozenset[int]:
    return frozenset().union(*map(columns_read, expressions(relation)))


def _on(relation: Relation, below: _Kept) -> Relation:
    """The operator on an input whose columns have new places."""
    moved = map_expressions(relation, lambda e: renumber(e, below.place.__getitem__))
    return with_inputs(moved, (below.relation,))


def _places(chosen: Iterable[int]) -> dict[int, int]:
    return {old: new for new, old in enumerate(chosen)}


def _of_project(relation: Project, read: frozenset[int]) -> _Kept:
    chosen = [i for i in range(len(relation.expressions)) if i in read]
    values = tuple(relation.expressions[i] for i in chosen)
    names = tuple(relation.names[i] for i in chosen) if relation.names else ()
    # A projection keeps at least one column, so that no other code meets rows without columns.
    new = replace(relation, expressions=values or (_ONE,), names=names)
    return _Kept(_on(new, _kept(relation.input, _read_by(new))), _places(chosen))


def _of_aggregate(relation: Aggregate, read: frozenset[int]) -> _Kept:
    keys = len(relation.keys)
    bare = any(call.name == "BARE" for call in relation.calls)
    chosen = [
        keys + i
        for i, call in enumerate(relation.calls)
        # A bare column comes from the row of the only MIN or MAX, which must stay even if unread.
        if keys + i in read or (bare and call.name in ("MIN", "MAX"))
    ]
    if not keys and not chosen:
        return _Kept(Values(((_ONE,),)), {})
    calls = tuple(relation.calls[i - keys] for i in chosen)
    names = tuple(relation.names[i] for i in (*range(keys), *chosen)) if relation.names else ()
    new = replace(relation, calls=calls, names=names)
    place = _places((*range(keys), *chosen))
    return _Kept(_on(new, _kept(relation.input, _read_by(new))), place)


def _of_window(relation: Window, read: frozenset[int]) -> _Kept:
    wide = width(relation.input)
    chosen = [i for i in range(len(relation.calls)) if wide + i in read]
    new = replace(relation, calls=tuple(relation.calls[i] for i in chosen))
    wanted = frozenset(c for c in read if c < wide).union(_read_by(new))
    below = _kept(relation.input, wanted)
    narrow = width(below.relation)
    place = below.place | {wide + i: narrow + k for k, i in enumerate(chosen)}
    return _Kept(_on(new, below) if chosen else below.relation, place)


def _of_join(relation: Join, read: frozenset[int]) -> _Kept:
    wide = width(relation.left)
    wanted = read.union(_read_by(relation))
    left = _kept(relation.left, frozenset(c for c in wanted if c < wide))
    right = _kept(relation.right, frozenset(c - wide for c in wanted if c >= wide))
    by = width(left.relation)
    place = left.place | {wide + old: by + new for old, new in right.place.items()}
    condition = renumber(relation.condition, place.__getitem__)
    new = replace(relation, left=left.relation, right=right.relation, condition=condition)
    only_left = relation.kind in (JoinKind.SEMI, JoinKind.ANTI)
    return _Kept(new, left.place if only_left else place)


def _of_union(relation: SetOperation, read: frozenset[int]) -> _Kept:
    chosen = sorted(read) or [0]
    if len(chosen) == width(relation):
        new = tuple(_whole(below) for below in relation.inputs)
        return _all_of(with_inputs(relation, new))
    values = tuple(map(Ref, chosen))
    new = tuple(_whole(Project(below, values)) for below in relation.inputs)
    return _Kept(with_inputs(relation, new), _places(chosen))


def _inside(part: Subquery) -> Expression:
    if part.kind is SubqueryKind.EXISTS:
        return with_relation(part, _kept(part.relation, frozenset()).relation)
    return with_relation(part, _whole(part.relation))


# ---------------------------------------------------------------- one row to scalar
# A joined subquery that always has exactly one row becomes a scalar subquery per column read.
#
# ``FROM t, (SELECT AVG(x) AS a FROM t) s WHERE t.x > s.a`` is ``WHERE x > (SELECT AVG(x) FROM t)``.


@rule(RELATION, at={"Project", "Aggregate", "Distinct"}, needs={"Aggregate", "Values"})
def one_row_to_scalar(relation: Relation, _: Context) -> Rewritten | None:
    """``FROM t, (SELECT AVG(x) AS a FROM t) AS s WHERE t.x > s.a`` → ``FROM t WHERE x > (SELECT
    AVG(x) FROM t)``."""
    found = reading(relation)
    if found is None or len(found.block.inputs) < 2:
        return None
    for position, part in enumerate(found.block.inputs):
        if has_one_row(part) and not isinstance(part, Values) and not has_volatile(part):
            _take_out(found, position)
            return Rewritten(found.rebuilt())
    return None


def _take_out(found: Reading, position: int) -> None:
    part = found.block.inputs[position]
    offsets = found.block.offsets()
    values: list[Expression] = list(map(Ref, range(offsets[-1])))
    for i in range(width(part)):
        values[offsets[position] + i] = _value(part, i)
    found.substitute(values)
    found.leave_out(position)


def _value(part: Relation, column: int) -> Expression:
    """A scalar subquery for one column of the only row, to use in the rows joined with it."""
    return Subquery(SubqueryKind.SCALAR, Project(deepen_relation(part), (Ref(column),)))
