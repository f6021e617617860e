"""Finds questions with relative times ("today", "last month"), and corrects them to dates."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from sqljury.sql.tokens import parse, tokenize
from sqljury.uses.building.names import word_set

if TYPE_CHECKING:
    from sqlglot import exp

# ------------------------------------------------------------
# Finding questions and queries whose answer depends on the current time.
# Source: TrustSQL (Lee et al. 2024), appendix G, "Inconsistent text-to-SQL mapping
# assumptions".

_ANY_UNIT: Final = (
    "(?:second|minute|hour|day|night|morning|afternoon|evening|weekend|week|fortnight|month|"
    "quarter|semester|term|season|year|decade|century|monday|tuesday|wednesday|thursday|friday|"
    "saturday|sunday|spring|summer|autumn|fall|winter|january|february|march|april|may|june|july|"
    "august|september|october|november|december)s?"
)
_ANY_COUNT: Final = (
    "(?:(?:\\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|few|several|couple of) )?"
)
_RELATIVE: Final = re.compile(
    "\\b(?:"
    "today|tonight|yesterday|tomorrow|nowadays|right now|by now|until now|"
    "till now|at the moment|so far|(?<!most )recently|lately|these days|the other day|"
    f"(?:this|next|past|previous|coming|current|upcoming) {_ANY_COUNT}{_ANY_UNIT}|"
    # "The last two years" is relative, "the last day of the festival" is not.
    f"(?:in|over|during|within|for|since|from) (?:the )?last {_ANY_COUNT}{_ANY_UNIT}|"
    f"last {_ANY_UNIT}(?! of)|"
    f"{_ANY_COUNT}{_ANY_UNIT} ago|\\w+ {_ANY_UNIT} ago|"
    f"{_ANY_UNIT} from now|now"
    ")\\b"
)
_CLOCKS: Final = word_set(
    "now getdate sysdate current_date current_time current_timestamp curdate curtime "
    "localtime localtimestamp utc_date utc_timestamp unixepoch"
)


def relative_times(question: str) -> tuple[str, ...]:
    """The distinct expressions of a question that are relative to the current time.

    "Currently" does not count, as it mostly says which column is meant; nor does "most recently",
    which means the latest.

    >>> relative_times("Which flights left Boston in the last two weeks, and which leave today?")
    ('in the last two weeks', 'today')
    >>> relative_times("What was the last year of the series, and who has this name?")
    ()
    """
    text = " ".join(question.casefold().split())
    return tuple(dict.fromkeys(match[0] for match in _RELATIVE.finditer(text)))


def reads_clock(sql: str, dialect: str = "sqlite") -> bool:
    """True if a query reads the clock: ``CURRENT_DATE``, ``NOW()``, ``date('now')``.

    >>> reads_clock("SELECT date('now', '-1 day')"), reads_clock("SELECT now FROM times")
    (True, False)
    """
    tokens = tokenize(sql, dialect) or []
    for token, after in zip_longest(tokens, tokens[1:]):
        word = token.text.casefold()
        if word in _CLOCKS:
            quoted = token.token_type.name == "STRING"
            called = after is not None and after.text == "("
            if called or (quoted and word == "now") or word.startswith("current_"):
                return True
    return False


# ------------------------------------------------------------
# Correcting relative times to dates, in two ways. If the question names one relative day
# ("tomorrow") and the reference one date, the question gets that date. If the reference reads the
# clock and a current date is given, question and reference get dates counted from it. All other
# questions are left to a person.
# Source: TrustSQL (Lee et al. 2024), appendix G, "Inconsistent text-to-SQL mapping
# assumptions", where the time that an author had in mind is evident from the SQL.

_NUMBERS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_COUNT: Final = f"(?P<n>\\d{{1,3}}|{'|'.join(_NUMBERS)})"
_UNIT: Final = "(?P<unit>day|week|month|year)"
_WHICH: Final = {
    **dict.fromkeys(("last", "past", "previous"), -1),
    **dict.fromkeys(("this", "current"), 0),
    **dict.fromkeys(("next", "coming", "upcoming"), 1),
}
_DAYS: Final = {"today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1}
_ISO: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_CALLS: Final = word_set("now curdate getdate sysdate")


def made_absolute(
    question: str, sql: str, now: date | None, dialect: str = "sqlite"
) -> tuple[str, str] | None:
    """Question and reference with dates for relative times; None if no rule applies safely.

    >>> made_absolute("Who arrives tomorrow?", "SELECT a FROM t WHERE d = '2024-05-02'", None)[0]
    'Who arrives on 2 May 2024?'
    >>> sql = "SELECT a FROM t WHERE d >= date('now', '-1 month')"
    >>> made_absolute("Who came in the last month?", sql, date(2024, 5, 2))
    ... # doctest: +NORMALIZE_WHITESPACE
    ('Who came from 2 April 2024 to 2 May 2024?',
     "SELECT a FROM t WHERE d >= date('2024-05-02', '-1 month')")
    """
    if not reads_clock(sql, dialect):
        day = _only_date(sql, dialect)
        replaced = None if day is None else _with_day(question, day)
        return None if replaced is None else (replaced, sql)
    stopped = None if now is None else _stopped(sql, now, dialect)
    if now is None or stopped is None:
        return None
    asked = question
    for pattern, written in _PATTERNS:
        asked = pattern.sub(partial(written, now), asked)
    asked = _TWO_PREPOSITIONS.sub(r"\1 ", asked)
    if relative_times(asked) or _BEFORE_A_SPAN.search(asked):
        return None
    asked = asked[:1].upper() + asked[1:] if question[:1].isupper() else asked
    if asked == question:
        # The question has no relative time, but its answer depends on the day.
        body = question.rstrip(" \n\t.?!")
        asked = f"{body}, as of {said(now)}{question[len(body) :]}"
    return asked, stopped


def said(day: date) -> str:
    """A date in words.

    >>> said(date(2024, 5, 2))
    '2 May 2024'
    """
    return f"{day.day} {_month(day)}"


def _month(day: date) -> str:
    # Not strftime, whose names of months depend on the locale.
    return f"{_MONTHS[day.month - 1]} {day.year}"


_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


# ---------------------------------------------------------------- one day, one date


def _with_day(question: str, day: date) -> str | None:
    """The question with a date for its only relative time; None unless that is a single day."""
    found = list(_ONE_DAY.finditer(question))
    if len(found) != 1 or len(relative_times(question)) != 1:
        return None
    start, end = found[0].span()
    return f"{question[:start]}on {said(day)}{question[end:]}"


_ONE_DAY: Final = re.compile(
    rf"\b(?:(?:(?:on|for) )?(?:{'|'.join(_DAYS)})|{_COUNT} days? ago)\b(?!')", re.IGNORECASE
)


def _only_date(sql: str, dialect: str) -> date | None:
    """The only date in a query, as one text or as year, month and day; None if there is not just
    one."""
    from sqlglot import exp

    tree = parse(sql, dialect)
    if tree is None:
        return None
    texts = {one.this for one in tree.find_all(exp.Literal) if _ISO.fullmatch(str(one.this))}
    parts: dict[str, set[int]] = {"year": set(), "month": set(), "day": set()}
    for one in tree.find_all(exp.EQ):
        _add_part(one, parts)
    try:
        if len(texts) == 1 and not any(parts.values()):
            return date.fromisoformat(texts.pop())
        if not texts and all(len(values) == 1 for values in parts.values()):
            return date(*(values.pop() for values in parts.values()))
    except ValueError:
        pass
    return None


def _add_part(one: exp.EQ, parts: dict[str, set[int]]) -> None:
    """Add the value of a condition such as ``month_number = 5`` to ``parts``."""
    from sqlglot import exp

    column, value = one.this, one.expression
    if isinstance(column, exp.Column) and isinstance(value, exp.Literal) and value.is_int:
        words = re.split(r"[_\W]+", column.name.casefold())
        for part, values in parts.items():
            if part in words:
                values.add(int(value.this))


# ---------------------------------------------------------------- counted from a date


def _stopped(sql: str, now: date, dialect: str) -> str | None:
    """The query with a date wherever it reads the clock; None if it reads the time of day."""
    tokens = tokenize(sql, dialect) or []
    out, end = [], 0
    for place, token in enumerate(tokens):
        word = token.text.casefold()
        after = tokens[place + 1 : place + 3]
        stop = token.end
        if token.token_type.name == "STRING":
            literal = f"'{now.isoformat()}'" if word == "now" else None
        elif word == "current_date":
            literal = f"'{now.isoformat()}'"
        elif word == "current_timestamp" or (
            # EHRSQL writes ``datetime(CURRENT_TIME, …)`` for the current date and time.
            word == "current_time" and _DATE_CALL.search(sql[: token.start])
        ):
            literal = f"'{now.isoformat()} 00:00:00'"
        elif word in _CALLS and [one.text for one in after] == ["(", ")"]:
            literal, stop = f"'{now.isoformat()}'", after[1].end
        else:
            literal = None
        if literal is not None:
            out += [sql[end : token.start], literal]
            end = stop + 1
    text = "".join([*out, sql[end:]])
    return None if reads_clock(text, dialect) else text


_DATE_CALL: Final = re.compile(
    r"\b(?:date|datetime|julianday|strftime)\s*\(\s*(?:'[^']*'\s*,\s*)?$", re.IGNORECASE
)


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else _NUMBERS.index(text.casefold()) + 1


def _moved(now: date, unit: str, count: int) -> date:
    """The date ``count`` units later; the last day of the month if that month is too short."""
    if unit in ("day", "week"):
        return now + timedelta(days=count * (7 if unit == "week" else 1))
    months = now.year * 12 + now.month - 1 + count * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    for day in range(now.day, 27, -1):
        try:
            return date(year, month + 1, day)
        except ValueError:
            continue
    return date(year, month + 1, now.day)


def _ago(now: date, found: re.Match[str]) -> str:
    unit, before = found["unit"].casefold(), found["before"]
    then = said(_moved(now, unit, -_number(found["n"])))
    if before:
        return f"{before} {then}"
    # "Three months ago" is not a single day, and its width is unclear.
    return f"on {then}" if unit in ("day", "week") else found[0]


def _span(now: date, found: re.Match[str]) -> str:
    start = _moved(now, found["unit"].casefold(), -_number(found["n"] or "1"))
    return f"from {said(start)} to {said(now)}"


def _which(now: date, found: re.Match[str]) -> str:
    unit = found["unit"].casefold()
    then = _moved(now, unit, _WHICH[found["which"].casefold()])
    if unit == "week":
        monday = then - timedelta(days=then.weekday())
        return f"from {said(monday)} to {said(monday + timedelta(days=6))}"
    return {"month": f"in {_month(then)}", "year": f"in {then.year}"}.get(unit, f"on {said(then)}")


def _month_and_day(now: date, found: re.Match[str]) -> str:
    then = _moved(now, "month", _WHICH[found["which"].casefold()])
    return f"on {int(found['day'])} {_month(then)}"


def _year_and_month(now: date, found: re.Match[str]) -> str:
    year = now.year + _WHICH[found["which"].casefold()]
    month = _MONTHS[int(found["month"]) - 1]
    return f"on {int(found['day'])} {month} {year}" if found["day"] else f"in {month} {year}"


def _day(now: date, found: re.Match[str]) -> str:
    return f"on {said(now + timedelta(days=_DAYS[found['day'].casefold()]))}"


_Written = Callable[[date, re.Match[str]], str]
_THE_LAST: Final = "(?:in|over|during|within|for|since|from) the (?:last|past)"


_EITHER: Final = f"(?P<which>{'|'.join(_WHICH)})"
_MONTH: Final = "(?P<month>0?[1-9]|1[0-2])"
_DAY: Final = "(?P<day>0?[1-9]|[12][0-9]|3[01])"


def _pattern(text: str) -> re.Pattern[str]:
    # "Today's menu" must not become "on 2 May's menu"; "this year/5" is not handled.
    return re.compile(rf"(?<!/)\b{text}\b(?!['/])", re.IGNORECASE)


# In this order: "in the last month" is the month up to today, "last month" a calendar month.
# Months and days with a slash ("in 03/this year") occur in EHRSQL.
_PATTERNS: Final[tuple[tuple[re.Pattern[str], _Written], ...]] = (
    (_pattern(f"{_THE_LAST} (?:{_COUNT} )?{_UNIT}s?"), _span),
    (_pattern(f"(?:(?P<before>since|from|until|before|after) )?{_COUNT} {_UNIT}s? ago"), _ago),
    (_pattern(f"(?:(?:on|in) )?{_EITHER} month/{_DAY}"), _month_and_day),
    (_pattern(f"(?:(?:on|in) )?{_MONTH}/(?:{_DAY}/)?{_EITHER} year"), _year_and_month),
    (_pattern(f"(?:(?:in|during|for) )?(?:the )?{_EITHER} {_UNIT}"), _which),
    (_pattern(f"(?:(?:on|for) )?(?P<day>{'|'.join(_DAYS)})"), _day),
)
_BEFORE_A_SPAN: Final = re.compile(r"\b(?:of|since|until|till|before|after|by|than|to) from \d")
_TWO_PREPOSITIONS: Final = re.compile(
    r"\b((?i:of|since|until|till|before|after|by|than|from|to|throughout)) (?:in|on) "
    r"(?=\d|[A-Z][a-z]+ \d{4})"
)
