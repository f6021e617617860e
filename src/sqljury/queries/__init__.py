"""Queries as text: what they are made of, and how they are made comparable. Pure functions."""

from sqljury.queries.bare_columns import bare_chosen
from sqljury.queries.clauses import Clauses, Condition, Conditions, clauses_of
from sqljury.queries.comments import without_comments
from sqljury.queries.distinct import remove_distinct
from sqljury.queries.features import FEATURES, features
from sqljury.queries.hardness import HARDNESS, hardness
from sqljury.queries.ordering import any_order, top_level_order
from sqljury.queries.over_rows import over_rows
from sqljury.queries.sources import neighbours_of, some_values, tables_of
from sqljury.queries.text import normalise_text
from sqljury.queries.tie_breaks import tie_broken
from sqljury.queries.ties import KeyedQuery, WiderQuery, keyed_for_ties, without_limit
from sqljury.queries.tokens import parse
from sqljury.queries.transpile import transpiled
from sqljury.queries.value_profile import merged_profiles, value_profile

__all__ = [
    "FEATURES",
    "HARDNESS",
    "Clauses",
    "Condition",
    "Conditions",
    "KeyedQuery",
    "WiderQuery",
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
    "some_values",
    "tables_of",
    "tie_broken",
    "top_level_order",
    "transpiled",
    "value_profile",
    "without_comments",
    "without_limit",
]
