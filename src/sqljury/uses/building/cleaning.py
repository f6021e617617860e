"""Chooses the usable questions of a benchmark and one query for each."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from sqljury.benchmarks.text2sql import PLACEHOLDERS
from sqljury.case import Case
from sqljury.execution import Execution
from sqljury.schema import Schema
from sqljury.uses.building.corrections import (
    OfferedValues,
    filled_in,
    offered_values,
    other_values,
    template_of,
    with_template,
)
from sqljury.uses.building.relative_time import made_absolute, reads_clock, relative_times
from sqljury.uses.building.unanswerable import folded
from sqljury.uses.trust.records import text_structure

if TYPE_CHECKING:
    from sqljury.trees.nodes import Expression, Relation

# ------------------------------------------------------------
# The structure of queries: canonical tree, or text, without the literals.
# Source: TrustSQL (Lee et al. 2024), section 3.4; Finegan-Dollak et al. (2018),
# arXiv:1806.09029.


def canonical_tree(sql: str, schema: Schema | None) -> Relation | None:
    """The canonical tree of a query under the declared keys; None if it cannot be parsed."""
    from sqljury.equivalence.canonical import canonical_query
    from sqljury.trees.context import DECLARED_ASSUMPTIONS
    from sqljury.trees.nodes import Unreadable

    if schema is None:
        return None
    found = canonical_query(sql, schema, schema.dialect, DECLARED_ASSUMPTIONS)
    return None if isinstance(found, Unreadable) else found.relation


def without_literals(relation: Relation) -> Relation:
    """The tree with the same constant in place of every value."""
    from sqljury.trees.walk import inputs, map_expressions, with_inputs

    below = tuple(map(without_literals, inputs(relation)))
    return map_expressions(with_inputs(relation, below), _bare)


def _bare(expression: Expression) -> Expression:
    from sqljury.trees.nodes import Literal, Subquery, Type
    from sqljury.trees.walk import transform

    def bare(part: Expression) -> Expression:
        if isinstance(part, Literal):
            # TRUE and NULL come from rewriting rules, not from the query's author.
            is_value = part.value is not None and not isinstance(part.value, bool)
            return Literal("?", Type.TEXT) if is_value else part
        if isinstance(part, Subquery):
            return replace(part, relation=without_literals(part.relation))
        return part

    return transform(expression, bare)


def structures_of(
    queries: Iterable[tuple[str, str, Relation | None]], dialect: str = "sqlite"
) -> list[str]:
    """The name of each query's structure; queries are (database, text, canonical tree).

    Two queries have the same structure if their texts without literals are equal, or, on the same
    database, their trees without literals, or if a chain of such queries connects them. The name is
    the alphabetically first of the texts without literals.
    """
    listed = list(queries)
    texts = [text_structure(sql, dialect) for _, sql, _ in listed]
    trees: list[Hashable] = [
        text if tree is None else (db_id, without_literals(tree))
        for (db_id, _, tree), text in zip(listed, texts, strict=True)
    ]
    return _joined(texts, trees)


def _joined(texts: Sequence[str], trees: Sequence[Hashable]) -> list[str]:
    root = {text: text for text in texts}

    def find(text: str) -> str:
        while root[text] != text:
            root[text] = root[root[text]]
            text = root[text]
        return text

    first: dict[Hashable, str] = {}
    for text, tree in zip(texts, trees, strict=True):
        one, other = sorted((find(text), find(first.setdefault(tree, text))))
        root[other] = one
    return [find(text) for text in texts]


# ------------------------------------------------------------
# Cleaning: one query for each question and meaning.
# Source: TrustSQL (Lee et al. 2024), appendix G. What its authors corrected by hand is left out
# here with the reason, so that people can correct it; or rules correct it, if wanted.

Run = Callable[[str, str], Execution | None]
"""Runs a query (second argument) on the database of a name (first); None without database."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A question that is not used, with the reason."""

    case: Case
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Usable:
    """A question with one query and the name of the query's structure."""

    case: Case
    structure: str


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Usable questions, unanswerable ones of the input, and those left out."""

    usable: tuple[Usable, ...]
    unanswerable: tuple[Case, ...]
    left_out: tuple[LeftOut, ...]
    n_merged: int
    """The number of questions whose query was replaced by a shorter one with the same meaning."""
    n_unchecked: int
    """The number of questions whose query could not be run, because there is no database."""


@dataclass(frozen=True, slots=True)
class Corrections:
    """Settings for correcting relative times and references without a result."""

    now: date | None = None
    """The date to use in queries that read the clock; None leaves these out."""
    seed: int = 0


CORRECTED = ("corrected", "question_before", "sql_before")
"""Keys of a corrected case's ``extra``: the reasons, and question and SQL before."""


def clean(
    cases: Iterable[Case],
    schemas: Mapping[str, Schema],
    run: Run,
    corrections: Corrections | None = None,
) -> Cleaned:
    """The usable questions, each with the shortest of the queries with its meaning.

    Args:
        run: runs references, to find those without a result.
        corrections: how to correct questions; None leaves them out instead.
    """
    left_out: list[LeftOut] = []
    given: list[Case] = []
    kept: list[Case] = []
    unchecked = 0
    listed = list(cases)
    offered = offered_values(listed)
    for case in listed:
        reason, detail = _unusable(case)
        if reason == "relative_time" and corrections is not None:
            case, reason, detail = _at_a_date(case, corrections, detail)
        if not reason and case.answerable is not False:
            ran = run(case.db_id, case.reference_sqls[0])
            unchecked += ran is None
            reason, detail = ("", "") if ran is None else _without_result(ran)
            if reason == "null_result" and corrections is not None:
                schema = schemas.get(case.db_id)
                found = _with_values(case, run, schema, offered, corrections.seed)
                case, reason = (case, reason) if found is None else (found, "")
        if reason:
            left_out.append(LeftOut(case, reason, detail))
        else:
            (given if case.answerable is False else kept).append(case)
    single, repeated = _one_for_each_question(kept)
    usable, merged = _with_shortest_queries(single, schemas)
    return Cleaned(tuple(usable), tuple(given), (*left_out, *repeated), merged, unchecked)


def _unusable(case: Case) -> tuple[str, str]:
    if not case.question:
        return "no_question", ""
    if case.answerable is False:
        return "", ""
    if not case.reference_sqls:
        return "no_reference", ""
    times = relative_times(case.question)
    if times:
        return "relative_time", ", ".join(times)
    if reads_clock(case.reference_sqls[0]):
        return "relative_time", "the reference asks for the time"
    return "", ""


def _at_a_date(case: Case, corrections: Corrections, detail: str) -> tuple[Case, str, str]:
    found = made_absolute(case.question or "", case.reference_sqls[0], corrections.now)
    if found is None:
        return case, "relative_time", detail
    return _corrected(_untemplated(case), "relative_time", *found), "", ""


def _with_values(
    case: Case, run: Run, schema: Schema | None, offered: OfferedValues, seed: int
) -> Case | None:
    for other in other_values(case, offered, seed):
        ran = run(case.db_id, other.reference_sqls[0])
        if ran is not None and _without_result(ran) == ("", ""):
            own = replace(case, extra=other.extra)
            return _corrected(own, "null_result", other.question or "", other.reference_sqls[0])
    found = filled_in(
        case.question or "",
        case.reference_sqls[0],
        lambda sql: run(case.db_id, sql),
        schema,
        seed=seed,
    )
    return None if found is None else _corrected(_untemplated(case), "null_result", *found)


def _untemplated(case: Case) -> Case:
    """The case without its template, which no longer matches its texts."""
    return replace(case, extra={k: v for k, v in case.extra.items() if k != PLACEHOLDERS})


def _corrected(case: Case, reason: str, question: str, sql: str) -> Case:
    before = {"question_before": case.question, "sql_before": case.reference_sqls[0]}
    reasons = [*filter(None, [case.extra.get("corrected")]), reason]
    extra = {**before, **case.extra, "corrected": ", ".join(map(str, reasons))}
    # Further references answer the question as it was before.
    return replace(case, question=question, reference_sqls=(sql,), extra=extra)


def _without_result(ran: Execution) -> tuple[str, str]:
    if ran.table is None:
        return f"reference_{ran.status.value}", ran.message
    if any(cell is not None for row in ran.table.rows for cell in row):
        return "", ""
    return "null_result", "only NULL is returned" if ran.table.rows else "no row is returned"


def _by_length(sql: str) -> tuple[int, str]:
    return len(sql), sql


def _one_for_each_question(cases: Sequence[Case]) -> tuple[list[Case], list[LeftOut]]:
    """The cases with, of equal questions on one database, only the one with the shortest query;
    and the others as left out."""
    groups: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        groups.setdefault((case.db_id, folded(case.question or "")), []).append(case)
    best = {
        id(min(group, key=lambda c: (_by_length(c.reference_sqls[0]), c.key)))
        for group in groups.values()
    }
    kept = [case for case in cases if id(case) in best]
    left = [LeftOut(case, "duplicate_question") for case in cases if id(case) not in best]
    return kept, left


def _with_shortest_queries(
    cases: Sequence[Case], schemas: Mapping[str, Schema]
) -> tuple[list[Usable], int]:
    """The cases with their query replaced by the shortest with the same canonical tree, and the
    number of replacements.

    Queries of templates are compared with their placeholders, not with the values.
    """
    known = {(case.db_id, _compared(case)) for case in cases}
    trees = {(db_id, sql): canonical_tree(sql, schemas.get(db_id)) for db_id, sql in sorted(known)}
    own = [trees[case.db_id, _compared(case)] for case in cases]
    shortest: dict[object, Case] = {}
    for case, tree in zip(cases, own, strict=True):
        if tree is not None:
            best = shortest.setdefault((case.db_id, tree), case)
            shortest[case.db_id, tree] = min(best, case, key=lambda one: _by_length(_compared(one)))
    merged = [
        case if tree is None else _asked_with(case, shortest[case.db_id, tree])
        for case, tree in zip(cases, own, strict=True)
    ]
    changed = sum(new is not old for new, old in zip(merged, cases, strict=True))
    names = structures_of(
        (case.db_id, case.reference_sqls[0], tree) for case, tree in zip(merged, own, strict=True)
    )
    return [Usable(case, name) for case, name in zip(merged, names, strict=True)], changed


def _compared(case: Case) -> str:
    template = template_of(case)
    return case.reference_sqls[0] if template is None else template.marked


def _asked_with(case: Case, other: Case) -> Case:
    """The case with the query of another one, which has the same meaning."""
    own, theirs = template_of(case), template_of(other)
    if own is None or theirs is None or own.sql == theirs.sql:
        sql = other.reference_sqls[0]
        is_same = own is not None or sql == case.reference_sqls[0]
        return case if is_same else replace(case, reference_sqls=(sql, *case.reference_sqls[1:]))
    return with_template(case, replace(own, sql=theirs.sql))
