"""Questions and queries that mean another time each day they are asked.

Source: TrustSQL (Lee et al. 2024), appendix G, "Inconsistent text-to-SQL mapping assumptions".
"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import Final

from sqljury.sql.tokens import tokenize
from sqljury.uses.building.wording import word_set

_UNIT: Final = (
    "(?:second|minute|hour|day|night|morning|afternoon|evening|weekend|week|fortnight|month|"
    "quarter|semester|term|season|year|decade|century|monday|tuesday|wednesday|thursday|friday|"
    "saturday|sunday|spring|summer|autumn|fall|winter|january|february|march|april|may|june|july|"
    "august|september|october|november|december)s?"
)
_COUNT: Final = (
    "(?:(?:\\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|few|several|couple of) )?"
)
_RELATIVE: Final = re.compile(
    "\\b(?:"
    "today|tonight|yesterday|tomorrow|nowadays|right now|by now|until now|"
    "till now|at the moment|so far|(?<!most )recently|lately|these days|the other day|"
    f"(?:this|next|past|previous|coming|current|upcoming) {_COUNT}{_UNIT}|"
    # "The last two years" is relative, "the last day of the festival" is not.
    f"(?:in|over|during|within|for|since|from) (?:the )?last {_COUNT}{_UNIT}|last {_UNIT}(?! of)|"
    f"{_COUNT}{_UNIT} ago|\\w+ {_UNIT} ago|"
    f"{_UNIT} from now|now"
    ")\\b"
)
_CLOCKS: Final = word_set(
    "now getdate sysdate current_date current_time current_timestamp curdate curtime "
    "localtime localtimestamp utc_date utc_timestamp unixepoch"
)


def relative_times(question: str) -> tuple[str, ...]:
    """The expressions that count from the time of asking, each once.

    "Currently" is none: most often it says of which column the question is. Nor is "most
    recently", which is the latest there is.

    >>> relative_times("Which flights left Boston in the last two weeks, and which leave today?")
    ('in the last two weeks', 'today')
    >>> relative_times("What was the last year of the series, and who has this name?")
    ()
    """
    text = " ".join(question.casefold().split())
    return tuple(dict.fromkeys(match[0] for match in _RELATIVE.finditer(text)))


def reads_clock(sql: str, dialect: str = "sqlite") -> bool:
    """Whether a query asks for the time: ``CURRENT_DATE``, ``NOW()``, ``date('now')``.

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
