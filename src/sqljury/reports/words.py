"""Formats numbers, names and facts as text, the same for the terminal, pages and tests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from sqljury.case import MISSING, Case
from sqljury.stored_table import ReferenceTable, StoredTable
from sqljury.verdict import Outcome

UNDEFINED = "–"
"""Shown for a statistic without a value."""
# Characters that reorder or hide text or control a terminal: C0 and C1 controls, bidirectional
# overrides, and, below, lone surrogates.
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def percent(fraction: float | None, digits: int = 1) -> str:
    """A fraction in percent, without the % sign; only exactly 1 prints as 100.

    >>> percent(0.7921), percent(0.99999), percent(None)
    ('79.2', '>99.9', '–')
    """
    if fraction is None:
        return UNDEFINED
    text = f"{100 * fraction:.{digits}f}"
    if fraction < 1 and text == f"{100:.{digits}f}":
        return f">{100 - 10**-digits:.{digits}f}"
    # Not -0.0.
    return text.removeprefix("-") if float(text) == 0 else text


def interval(low: float | None, high: float | None, digits: int = 1) -> str:
    """Both ends in percent, with spaces around the dash if one is negative; empty for None.

    >>> interval(0.765, 0.8172), interval(-0.05, 0.1), interval(None, None)
    ('76.5–81.7', '-5.0 – 10.0', '')
    """
    if low is None or high is None:
        return ""
    dash = " – " if low < 0 or high < 0 else "–"
    return f"{percent(low, digits)}{dash}{percent(high, digits)}"


def count(number: int) -> str:
    """An integer with commas between thousands.

    >>> count(11708)
    '11,708'
    """
    return f"{number:,}"


def counts(outcomes: Mapping[str, int], chosen: Iterable[Outcome]) -> str:
    """``incorrect 150, unknown 4``: the chosen outcomes that occur, in the fixed order."""
    found = ((str(outcome), outcomes.get(outcome, 0)) for outcome in chosen)
    return ", ".join(f"{name} {count(number)}" for name, number in found if number)


def visible(text: str) -> str:
    """The text with control characters escaped (``\\x1b``), so that it is safe to print.

    >>> visible("red \\x1b[31m, left \\u202e")
    'red \\\\x1b[31m, left \\\\u202e'
    """
    return _SURROGATE.sub("\ufffd", _INVISIBLE.sub(_escaped, text))


def _escaped(match: re.Match[str]) -> str:
    if match[0] == "\r":
        return "\\r"
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def shortened(text: str, most: int) -> str:
    """The first ``most`` characters, and how many were cut off.

    >>> shortened("abcdefgh", 3)
    'abc… (5 more)'
    """
    rest = len(text) - most
    return text if rest <= 0 else f"{text[:most]}… ({count(rest)} more)"


def hidden_rows(hidden: int, differing: int) -> str:
    """``and 12 more rows, 3 of which differ``.

    >>> hidden_rows(1, 0), hidden_rows(12, 3)
    ('and 1 more row', 'and 12 more rows, 3 of which differ')
    """
    rows = "row" if hidden == 1 else "rows"
    verb = "differs" if differing == 1 else "differ"
    more = f", {count(differing)} of which {verb}" if differing else ""
    return f"and {count(hidden)} more {rows}{more}"


# ---------------------------------------------------------------- evaluate


def tone(outcome: Outcome) -> str:
    """The colour's name for an outcome: ``good``, ``bad``, ``unsure``, ``out`` (of the score)."""
    if outcome is Outcome.CORRECT:
        return "good"
    if outcome.left_out:
        return "out"
    return "unsure" if outcome in (Outcome.UNKNOWN, Outcome.ABSTAINED) else "bad"


def p_value(p: float | None) -> str:
    """A p value with four digits; a dash for None.

    >>> p_value(0.04321), p_value(3e-9), p_value(None)
    ('0.0432', '<0.0001', '–')
    """
    if p is None:
        return UNDEFINED
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


# ---------------------------------------------------------------- cases


def case_facts(case: Case) -> list[tuple[str, str]]:
    """Names and texts of what is known about a case besides its queries."""
    label = {None: "", True: "correct", False: "incorrect"}[case.label]
    answerable = {None: "", True: "", False: "no"}[case.answerable]
    facts = (
        ("question", case.question),
        ("hint", case.hint),
        ("criteria", case.criteria),
        ("database", case.db_id),
        ("difficulty", case.difficulty),
        ("label", label),
        ("answerable", answerable),
        ("right results", "; ".join(map(table_text, case.reference_tables))),
    )
    return [(name, value) for name, value in facts if value]


def table_text(table: StoredTable) -> str:
    """A result table in words: its file's name and size, and the columns that count."""
    size = f"{count(len(table.rows))} rows of {table.width}" if not table.problem else table.problem
    counted = table.counted if isinstance(table, ReferenceTable) else None
    some = counted is not None and len(counted) < table.width
    names = ", ".join(table.columns[i] for i in counted or ())
    return visible(f"{table.name} ({size}{f'; what counts: {names}' if some else ''})")


def no_prediction(case: Case) -> str:
    """A sentence on why there is no predicted SQL to show; empty if there is one."""
    if case.predicted_table is not None:
        return f"The prediction is the result table {table_text(case.predicted_table)}."
    if case.predicted_sql is MISSING and "failed" in case.extra:
        return visible(f"The system gave no answer: {case.extra.get('problem')}.")
    if case.predicted_sql is MISSING:
        return "There is no prediction for this case."
    return "The system abstained." if case.predicted_sql is None else ""
