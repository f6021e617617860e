"""Whether a query keeps its rows on the way from its text to its tree to its canonical tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from checks.same_rows import Copies, Runs, Several, differ, observe
from checks.small_databases import Rows, pool_of, random_rows, respecting
from sqljury.equivalence.canonical import Canonical, canonical
from sqljury.schema import Schema
from sqljury.trees import build_tree
from sqljury.trees.context import ALL_ASSUMPTIONS, Assumption, Context
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Limit,
    Project,
    Ref,
    Relation,
    Sort,
    Unreadable,
    Window,
)
from sqljury.trees.render import Unrenderable, render
from sqljury.trees.walk import is_correlated, relations, width


class Stage(StrEnum):
    """Where rows are lost, or how far a query came."""

    UNREADABLE = "unreadable"
    UNRENDERABLE = "unrenderable"
    UNDETERMINED = "undetermined"
    SAME = "same"
    FAULT_OF_TEXT = "the text of a tree does not run"
    FAULT_OF_TREE = "the tree has other rows"
    FAULT_OF_RULES = "the canonical tree has other rows"


FAULTS = (Stage.FAULT_OF_TEXT, Stage.FAULT_OF_TREE, Stage.FAULT_OF_RULES)


@dataclass(frozen=True)
class Finding:
    """What became of one query on one database."""

    stage: Stage
    why: str = ""
    text: str = ""
    rows: Rows | None = None
    rules: tuple[str, ...] = ()
    assumptions: frozenset[Assumption] = frozenset()


@dataclass(frozen=True)
class Query:
    """A text with both its trees and their texts."""

    sql: str
    schema: Schema
    tree: Relation
    canonical: Canonical
    texts: tuple[tuple[Stage, Relation, str], ...]
    """The stage that is at fault if the text has other rows, the tree, its text."""


def read(
    sql: str, schema: Schema, assuming: frozenset[Assumption] = ALL_ASSUMPTIONS
) -> Query | Finding:
    """The trees of a text."""
    tree = build_tree(sql, schema, schema.dialect)
    if isinstance(tree, Unreadable):
        return Finding(Stage.UNREADABLE, f"{tree.kind}: {tree.reason}")
    found = canonical(tree, Context(schema, schema.dialect, assuming))
    stages = ((Stage.FAULT_OF_TREE, tree), (Stage.FAULT_OF_RULES, found.relation))
    rendered = [(stage, tree, render(tree, schema.dialect)) for stage, tree in stages]
    for _, _, text in rendered:
        if isinstance(text, Unrenderable):
            return Finding(Stage.UNRENDERABLE, text.reason)
    texts = tuple((stage, tree, text) for stage, tree, text in rendered if isinstance(text, str))
    return Query(sql, schema, tree, found, texts)


def check(query: Query, copies: Several) -> Finding:
    """Compare the rows of the text with those of the trees; the data respects what they assume."""
    original = observe(query.sql, copies)
    if original.rows is None:
        return Finding(Stage.UNDETERMINED, original.why)
    for stage, tree, text in query.texts:
        seen = observe(text, copies)
        if seen.rows is None and "rror" in seen.why:
            if _is_limit_of_engine(seen.why):
                return Finding(Stage.UNDETERMINED, seen.why)
            return _fault(Stage.FAULT_OF_TEXT, seen.why, text, query, copies)
        why = seen.why if seen.rows is None else differ(original, seen)
        if why is not None:
            # A canonical tree may bring a LIMIT with it, but not one that cuts a tie, unless it
            # says that there are none.
            said = Assumption.NO_TIES in query.canonical.assumptions
            trees = (query.tree, tree) if said else (query.tree,)
            if any(is_tied(relation, copies.engines[0]) for relation in trees):
                return Finding(Stage.UNDETERMINED, "ties")
            return _fault(stage, why, text, query, copies)
    return Finding(Stage.SAME)


def _fault(stage: Stage, why: str, text: str, query: Query, copies: Several) -> Finding:
    found = query.canonical
    return Finding(stage, why, text, copies.rows, found.rules, found.assumptions)


def _is_limit_of_engine(why: str) -> bool:
    return any(word in why for word in ("stack overflow", "tables in a join", "interrupted"))


def check_on_random(
    query: Query, seeds: range, also: frozenset[Assumption] = frozenset()
) -> Iterator[Finding]:
    """The findings on random databases that respect no more than what the trees assume."""
    pool = pool_of(query.sql)
    assuming = query.canonical.assumptions | also
    for seed in seeds:
        copies = Copies(query.schema, random_rows(query.schema, assuming, pool, seed))
        yield check(query, copies)
        copies.close()


def fault_on(sql: str, schema: Schema, rows: Rows) -> Finding | None:
    """The fault of a text on one database, if the database respects what is assumed."""
    query = read(sql, schema)
    if isinstance(query, Finding):
        return None
    if respecting(rows, schema, query.canonical.assumptions) != rows:
        return None
    copies = Copies(schema, rows)
    found = check(query, copies)
    copies.close()
    return found if found.stage in FAULTS else None


# ---------------------------------------------------------------- ties

_OF_ANY_ORDER = frozenset(("BARE", "GROUP_CONCAT", "STRING_AGG", "FIRST", "LAST", "ANY_VALUE"))


def is_tied(relation: Relation, engine: Runs) -> bool:
    """Whether some LIMIT or window may take its rows in several orders; true if it is not known."""
    return any(_is_tied(part, engine) for part in relations(relation))


def _is_tied(relation: Relation, engine: Runs) -> bool:
    if isinstance(relation, Aggregate):
        return any(call.name in _OF_ANY_ORDER for call in relation.calls)
    if isinstance(relation, Limit):
        below = relation.input
        while isinstance(below, Project):
            below = below.input
        if not isinstance(below, Sort):
            return True
        keys = tuple(key.expression for key in below.keys)
        return _repeats(Project(below.input, keys), engine)
    if isinstance(relation, Window):
        return any(
            _repeats(
                Project(relation.input, (*call.partition, *(key.expression for key in call.order))),
                engine,
            )
            for call in relation.calls
        )
    return False


def _repeats(keys: Project, engine: Runs) -> bool:
    """Whether some row occurs twice."""
    if is_correlated(keys):
        return True
    columns = tuple(map(Ref, range(width(keys))))
    groups = Aggregate(keys, columns, (AggregateCall("COUNT"),))
    text = render(groups, engine.schema.dialect)
    rows = engine.run(text) if isinstance(text, str) else "unrenderable"
    return isinstance(rows, str) or any(row[-1] > 1 for row in rows)
