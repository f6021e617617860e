"""Changes that keep what a query means, a file for each clause.

A function yields all changes of its kind that are possible at a node; its docstring says what one
of them does to a copy of the query (:data:`sqljury.variants.base.Changes`).

They rely on keys, foreign keys and NOT NULL as the schema declares them. A few kinds also assume
that a table has rows, or no NULLs. So label the results by execution before you train on them.
"""

from sqljury.variants.base import Changes
from sqljury.variants.rewrites.conditions import (
    between,
    cast,
    equality_to_in,
    implied_condition,
    in_list,
    integer_bound,
    negation,
    number_as_text,
    operand_order,
    turned_comparison,
)
from sqljury.variants.rewrites.grouping import distinct_to_group, further_group_key, having_to_where
from sqljury.variants.rewrites.nesting import common_table, derived_table, outer_select
from sqljury.variants.rewrites.ordering import first_of_order, idle_clause, positions
from sqljury.variants.rewrites.select_list import (
    average,
    count_case,
    count_rows,
    distinct_of_key,
    output_names,
    output_order,
)
from sqljury.variants.rewrites.set_operations import (
    membership_to_set,
    or_to_union,
    set_to_membership,
    union_to_or,
)
from sqljury.variants.rewrites.subqueries import (
    in_to_exists,
    in_to_join,
    join_to_in,
    not_in_to_outer_join,
)
from sqljury.variants.rewrites.tables import (
    equal_column,
    identifier_style,
    join_condition,
    join_order,
    table_names,
    unqualified,
)

STYLES: dict[str, Changes] = {
    "turned_comparison": turned_comparison,
    "operand_order": operand_order,
    "table_names": table_names,
    "unqualified": unqualified,
    "output_names": output_names,
    "positions": positions,
    "identifier_style": identifier_style,
    "output_order": output_order,
}
"""Other spellings: names, order and layout change, the structure of the query does not."""

STRUCTURES: dict[str, Changes] = {
    "integer_bound": integer_bound,
    "between": between,
    "in_list": in_list,
    "negation": negation,
    "join_order": join_order,
    "join_condition": join_condition,
    "join_to_in": join_to_in,
    "in_to_join": in_to_join,
    "in_to_exists": in_to_exists,
    "not_in_to_outer_join": not_in_to_outer_join,
    "set_to_membership": set_to_membership,
    "membership_to_set": membership_to_set,
    "union_to_or": union_to_or,
    "or_to_union": or_to_union,
    "count_rows": count_rows,
    "count_case": count_case,
    "distinct_of_key": distinct_of_key,
    "distinct_to_group": distinct_to_group,
    "idle_clause": idle_clause,
    "derived_table": derived_table,
    "outer_select": outer_select,
    "common_table": common_table,
    "first_of_order": first_of_order,
    "equal_column": equal_column,
    "further_group_key": further_group_key,
    "having_to_where": having_to_where,
    "implied_condition": implied_condition,
    "number_as_text": number_as_text,
    "cast": cast,
    "equality_to_in": equality_to_in,
    "average": average,
}
"""Other structures that return the same rows."""

REWRITES: dict[str, Changes] = {**STRUCTURES, **STYLES}
"""All kinds of rewrites by name."""

RARE = frozenset(
    {"average", "cast", "implied_condition", "negation", "number_as_text", "outer_select"}
)
"""Kinds that fit nearly every query and that few people write; they are chosen less often."""
