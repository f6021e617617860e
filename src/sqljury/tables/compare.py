"""Comparison of two result tables under a policy.

The hot path of every run, so cheap and certain tests come first. Rows that are equal in Python are
equal under every policy (except when values are compared as texts). Only otherwise are cells
converted, columns matched and close numbers joined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import Any

from sqljury.execution import ResultTable
from sqljury.tables.by_column import compare_columns
from sqljury.tables.columns import DEFAULT_BUDGET, BudgetSpentError, Mapping, match_columns
from sqljury.tables.findings import Comparison, MismatchKind
from sqljury.tables.policy import Policy
from sqljury.tables.values import Floats, Rows, comparable, joined, rounded_rows, rows_close, texts

_EQUAL = Comparison(equal=True)
_COLUMN_COUNT = Comparison(equal=False, reason=MismatchKind.COLUMN_COUNT)
_ROW_COUNT = Comparison(equal=False, reason=MismatchKind.ROW_COUNT)
_VALUES = Comparison(equal=False, reason=MismatchKind.VALUES)
_ROW_ORDER = Comparison(equal=False, reason=MismatchKind.ROW_ORDER, only_order_differs=True)
_UNKNOWN = Comparison(equal=None, reason=MismatchKind.UNKNOWN)


@dataclass(frozen=True, slots=True)
class _TableQuestion:
    policy: Policy
    widths: tuple[int, int]
    places: Sequence[Any] | None
    """For each row its required place (its index, or its group of ties); None if the order is
    free."""
    budget: int

    @property
    def any_columns(self) -> bool:
        return self.policy.column_order == "any" and (self.widths != (1, 1))

    @property
    def by_column(self) -> bool:
        return self.policy.column_order == "given"


def compare(
    reference: ResultTable,
    candidate: ResultTable,
    policy: Policy,
    *,
    ordered: bool = False,
    ties: Sequence[Any] | None = None,
    budget: int = DEFAULT_BUDGET,
) -> Comparison:
    """Compares two tables under a policy. Column names are ignored.

    Args:
        ordered: the order of rows counts, unless the policy's ``row_order`` is ``free``.
        ties: for each reference row its group of ties, within which the order is free.
        budget: cells that a search for a column mapping may process before it gives up.

    >>> from sqljury.tables import POLICIES
    >>> bag = ResultTable(("n",), [(1,), (2,)])
    >>> compare(bag, ResultTable(("n",), [(2.0,), (1.0,)]), POLICIES["strict"]).equal
    True
    """
    if policy.duplicates == "by_column":
        in_order = ordered and policy.row_order != "free"
        return compare_columns(reference, candidate, ordered=in_order, tolerance=policy.tolerance)
    a, b = reference.rows, candidate.rows
    if policy.values == "rounded":
        return _EQUAL if rounded_rows(a) == rounded_rows(b) else _unequal(a, b)
    widths = len(reference.columns), len(candidate.columns)
    if widths[0] == widths[1]:
        if a == b and policy.values != "text":
            return _EQUAL
    elif not policy.extra_columns:
        both_empty = policy.empties_equal and not a and not b
        return _EQUAL if both_empty else _COLUMN_COUNT
    if len(a) != len(b) and (policy.duplicates != "set" or not a or not b):
        return _ROW_COUNT
    places: Sequence[Any] | None = None
    if ordered and policy.row_order != "free":
        free = ties is not None and policy.free_ties
        places = ties if free and ties is not None else range(len(a))
        if len(places) != len(a):
            raise ValueError(f"{len(places)} ties for {len(a)} reference rows")
    question = _TableQuestion(policy, widths, places, budget)
    try:
        return (
            _compare_texts(a, b, question) if policy.values == "text" else _compare(a, b, question)
        )
    except BudgetSpentError:
        return _UNKNOWN


def _unequal(a: Rows, b: Rows) -> Comparison:
    return _VALUES if len(a) == len(b) else _ROW_COUNT


def _compare_texts(a: Rows, b: Rows, question: _TableQuestion) -> Comparison:
    left, right = texts(a), texts(b)
    if question.policy.duplicates == "odd":
        return _EQUAL if _odd(left) == _odd(right) else _VALUES
    return _match(list(zip(*left, strict=True)), list(zip(*right, strict=True)), question)


def _odd(columns: list[list[str]]) -> set[str]:
    """The texts that occur in an odd number of cells: those that an XOR over the hashes of all
    cells depends on."""
    return {text for text, n in Counter(chain.from_iterable(columns)).items() if n % 2}


def _compare(a: Rows, b: Rows, question: _TableQuestion) -> Comparison:
    policy = question.policy
    try:
        found = _match(a, b, question)
    except TypeError:  # cells that cannot be hashed; they are made comparable below
        found = _VALUES
    if found.equal:
        return found
    floats: Floats = "never" if policy.values == "exact" else "beside"
    converted = comparable(a, b, by_column=question.by_column, floats=floats)
    if converted is not None:
        found = _match(*converted, question)
    if found.equal or not (policy.tolerance or policy.values == "lenient"):
        return found
    return _compare_loosely(a, b, question, found)


def _compare_loosely(a: Rows, b: Rows, question: _TableQuestion, found: Comparison) -> Comparison:
    """Compares with all that the policy forgives (case, space, notation, tolerance); if the tables
    are then equal, finds the smallest set of forgiven differences that suffices."""
    allowed = forgiving(question.policy)
    loose = _match_loosely(a, b, question, allowed)
    if not loose.equal:
        return loose if loose.equal is None or loose.only_order_differs else found
    for size in range(1, len(allowed)):
        for fewer in combinations(allowed, size):
            less = _match_loosely(a, b, question, fewer)
            if less.equal:
                return less
    return loose


def forgiving(policy: Policy) -> tuple[str, ...]:
    """The kinds of cell differences that a policy forgives, as notes, the most harmless first."""
    lenient = ("notation", "text_case") if policy.values == "lenient" else ()
    return ("tolerance", *lenient) if policy.tolerance > 0 else lenient


def _match_loosely(
    a: Rows, b: Rows, question: _TableQuestion, forgiven: Sequence[str]
) -> Comparison:
    by_column = question.by_column
    tolerant = "tolerance" in forgiven
    notes = sorted(forgiven)
    a, b = loosely(a, b, forgiven, by_column=by_column)
    if not tolerant:
        return _noted(_match(a, b, question), *notes)
    tolerance = question.policy.tolerance
    left, right = joined(a, b, tolerance, by_column=by_column)
    found = _noted(_match(left, right, question), *notes)
    if not found.equal:
        return found
    sure = _surely_close((a, b), (left, right), question, found)
    if sure:
        return found
    # Another mapping of columns, or without other duplicates, the tables might still be equal.
    searched = not question.any_columns and question.policy.duplicates != "set"
    return _VALUES if sure is False and searched else _UNKNOWN


def loosely(a: Rows, b: Rows, forgiven: Sequence[str], *, by_column: bool) -> tuple[Rows, Rows]:
    """Both tables with cells converted so that forgiven differences vanish, except tolerance."""
    found = comparable(
        a,
        b,
        by_column=by_column,
        floats="always" if "tolerance" in forgiven else "beside",
        fold="text_case" in forgiven,
        plain="notation" in forgiven,
    )
    return found or (a, b)


def _surely_close(
    rows: tuple[Rows, Rows], keys: tuple[Rows, Rows], question: _TableQuestion, found: Comparison
) -> bool | None:
    if found.column_mapping is not None:
        rows, keys = _aligned(rows, found.column_mapping), _aligned(keys, found.column_mapping)
    as_set = "duplicates_differ" in found.notes
    if question.places is not None and not as_set:
        places = question.places
        paired = list(zip(places, keys[0], strict=True)), list(zip(places, keys[1], strict=True))
        return rows_close(*rows, paired, question.policy.tolerance, as_set=False)
    return rows_close(*rows, keys, question.policy.tolerance, as_set=as_set)


def _aligned(rows: tuple[Rows, Rows], mapping: Mapping) -> tuple[Rows, Rows]:
    """Both tables with only their matched columns, in the same order."""
    pairs = [(i, j) for i, j in enumerate(mapping) if j is not None]
    return (
        [tuple([row[i] for i, _ in pairs]) for row in rows[0]],
        [tuple([row[j] for _, j in pairs]) for row in rows[1]],
    )


def _noted(found: Comparison, *notes: str) -> Comparison:
    return replace(found, notes=found.notes + notes) if found.equal and notes else found


def _match(a: Rows, b: Rows, question: _TableQuestion) -> Comparison:
    """Compares rows whose cells are already comparable."""
    if question.policy.duplicates != "set":
        return _match_bags(a, b, question)
    if question.by_column and question.places is None:
        if set(a) != set(b):
            return _VALUES
        return _EQUAL if _same_bag(a, b) else Comparison(equal=True, notes=("duplicates_differ",))
    found = _match_bags(a, b, question)
    if found.equal or found.only_order_differs:
        return found
    return _match_distinct(a, b, question, found)


def _match_distinct(a: Rows, b: Rows, question: _TableQuestion, found: Comparison) -> Comparison:
    """Compares rows that are not equal as bags again without their duplicates."""
    if question.widths[0] != question.widths[1]:
        # Which rows are duplicates depends on the columns that are dropped, so the order of rows
        # is not checked.
        mapping = match_columns(a, b, question.widths, as_set=True, budget=question.budget)
        return _mapped(mapping, question, "duplicates_differ") if mapping is not None else found
    left, right = list(dict.fromkeys(a)), list(dict.fromkeys(b))
    if len(left) == len(a) and len(right) == len(b):
        return found
    first_places: Sequence[Any] | None = None
    if question.places is not None:
        where = dict(zip(reversed(a), reversed(question.places), strict=True))
        first_places = [where[row] for row in left]
    distinct = replace(question, places=first_places)
    again = _match_bags(left, right, distinct)
    return (
        _noted(again, "duplicates_differ")
        if again.equal
        else (again if again.only_order_differs else found)
    )


def _match_bags(a: Rows, b: Rows, question: _TableQuestion) -> Comparison:
    if len(a) != len(b):
        return _ROW_COUNT
    places = question.places
    same_width = question.widths[0] == question.widths[1]
    if same_width and _same_sequence(a, b, places):
        return _EQUAL
    if question.any_columns:
        mapping = match_columns(a, b, question.widths, keys=places, budget=question.budget)
        if mapping is not None:
            return _mapped(mapping, question)
    if places is None:
        return _VALUES
    free = replace(question, places=None)
    return _ROW_ORDER if _match_bags(a, b, free).equal else _VALUES


def _same_sequence(a: Rows, b: Rows, places: Sequence[Any] | None) -> bool:
    if places is None:
        return _same_bag(a, b)
    if isinstance(places, range):
        return a == b
    return _same_bag(zip(places, a, strict=True), zip(places, b, strict=True))


def _same_bag(a: Any, b: Any) -> bool:
    # Counter's == is written in Python and three times slower than dict's.
    return dict.__eq__(Counter(a), Counter(b))


def _mapped(mapping: Mapping, question: _TableQuestion, *notes: str) -> Comparison:
    used = [j for j in mapping if j is not None]
    found = list(notes)
    if question.widths[0] != question.widths[1]:
        found.append("extra_columns")
    if used != sorted(used):
        found.append("column_order")
    return Comparison(equal=True, column_mapping=mapping, notes=tuple(found))
