"""Judges: each looks at a case and gives a verdict. One judge a file."""

from sqljury.judges.base import (
    Judge,
    Needs,
    make_judge,
    needs_database,
    options_of,
    register,
    registered,
    settled,
    spec_of,
    sql_to_run,
)

__all__ = [
    "Judge",
    "Needs",
    "make_judge",
    "needs_database",
    "options_of",
    "register",
    "registered",
    "settled",
    "spec_of",
    "sql_to_run",
]
