"""Queries as text: what they are made of, and how they are made comparable. Pure functions."""

from sqljury.sql.bare_columns import bare_chosen
from sqljury.sql.clauses import Clauses, Condition, Conditions, clauses_of
from sqljury.sql.comments import remove_distinct, without_comments
from sqljury.sql.features import FEATURES, features
from sqljury.sql.hardness import HARDNESS, hardness
from sqljury.sql.namespaces import alike_in_schema, without_namespaces
from sqljury.sql.ordering import any_order, top_level_order
from sqljury.sql.over_rows import over_rows
from sqljury.sql.sources import neighbours_of, some_values, tables_of
from sqljury.sql.text import normalise_text
from sqljury.sql.ties import KeyedQuery, WiderQuery, keyed_for_ties, tie_broken, without_limit
from sqljury.sql.tokens import parse
from sqljury.sql.transpile import same_in_translation, transpiled
from sqljury.sql.value_profile import merged_profiles, value_profile

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
