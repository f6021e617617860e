"""Analyses and rewrites the text of queries: clauses, features, names, ties, other dialects.

Pure functions.
"""

from typing import TYPE_CHECKING

from sqljury.rooms import lazily
from sqljury.sql.features import FEATURES, HARDNESS, features, hardness, slice_features

if TYPE_CHECKING:
    from sqljury.sql.clauses import Clauses, Condition, Conditions, clauses_of
    from sqljury.sql.profiles import merged_profiles, value_profile
    from sqljury.sql.resolve import (
        alike_in_schema,
        neighbours_of,
        some_values,
        tables_of,
        without_namespaces,
    )
    from sqljury.sql.ties import (
        KeyedQuery,
        WiderQuery,
        bare_chosen,
        keyed_for_ties,
        tie_broken,
        without_limit,
    )
    from sqljury.sql.tokens import (
        any_order,
        normalise_text,
        parse,
        remove_distinct,
        top_level_order,
        without_comments,
    )
    from sqljury.sql.transpile import over_rows, same_in_translation, transpiled
else:
    __getattr__ = lazily(__name__)

__all__ = [
    "FEATURES",
    "HARDNESS",
    "Clauses",
    "Condition",
    "Conditions",
    "KeyedQuery",
    "WiderQuery",
    "alike_in_schema",
    "any_order",
    "bare_chosen",
    "clauses_of",
    "features",
    "hardness",
    "keyed_for_ties",
    "merged_profiles",
    "neighbours_of",
    "normalise_text",
    "over_rows",
    "parse",
    "remove_distinct",
    "same_in_translation",
    "slice_features",
    "some_values",
    "tables_of",
    "tie_broken",
    "top_level_order",
    "transpiled",
    "value_profile",
    "without_comments",
    "without_limit",
    "without_namespaces",
]
