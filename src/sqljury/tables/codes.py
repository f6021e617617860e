"""Error codes of result tables and policies: what is wrong, and what to do about it."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "SJ601": (
        "there is no such policy",
        "A policy says when two result tables are equal. Named ones: strict, spider, bird, rose, "
        "spider2, intent; change single settings of one with make_policy(name, setting=value).",
    ),
    "SJ602": (
        "a setting of a policy is unknown or has an impossible value",
        "The message lists what is possible.",
    ),
    "SJ603": (
        "two settings of a policy exclude each other",
        "Extra columns can only be told apart where columns may stand in any order; texts have "
        "no numeric tolerance; duplicates=odd (the policy rose) knows neither rows nor columns; "
        "duplicates=by_column and values=csv belong together (the policy spider2).",
    ),
    "SJ604": (
        "not a table",
        "compare_tables takes a list of tuples or lists, a ResultTable, or an object with "
        "columns and itertuples, as pandas data frames have.",
    ),
    "SJ605": (
        "rows of unequal length",
        "Every row of a table has one cell for each column. A ragged table has lost or gained "
        "cells on its way; comparing it would compare the wrong columns.",
    ),
}
