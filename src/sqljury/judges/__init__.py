"""Judges: each looks at a case and gives a verdict. One judge a file."""

from sqljury.judges.base import Judge, Needs, needs_database, register
from sqljury.judges.naming import class_named, make_judge, name_of, registered, spec_of
from sqljury.judges.options import JudgeOption, options_of
from sqljury.judges.settled import settled

__all__ = [
    "Judge",
    "JudgeOption",
    "Needs",
    "class_named",
    "make_judge",
    "name_of",
    "needs_database",
    "options_of",
    "register",
    "registered",
    "settled",
    "spec_of",
]
