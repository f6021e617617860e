"""Judges: each takes a case and returns a verdict. One file per judge."""

from typing import TYPE_CHECKING

from sqljury.rooms import lazily

if TYPE_CHECKING:
    from sqljury.judges.base import Judge, Needs, has_all_rows, needs_database, register, settled
    from sqljury.judges.naming import (
        JudgeOption,
        class_named,
        make_judge,
        name_of,
        options_of,
        registered,
        spec_of,
    )
else:
    __getattr__ = lazily(__name__)

__all__ = [
    "Judge",
    "JudgeOption",
    "Needs",
    "class_named",
    "has_all_rows",
    "make_judge",
    "name_of",
    "needs_database",
    "options_of",
    "register",
    "registered",
    "settled",
    "spec_of",
]
