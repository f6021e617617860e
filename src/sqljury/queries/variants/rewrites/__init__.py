"""Changes that keep what a query means, one kind a file.

Keys, foreign keys and NOT NULL are taken as the schema declares them. A few kinds rely on more:
that a table has rows, or no NULL; who trains on them has them labelled.
"""

from sqljury.queries.variants.base import Changes
from sqljury.queries.variants.rewrites.average import average
from sqljury.queries.variants.rewrites.between import between
from sqljury.queries.variants.rewrites.cast import cast
from sqljury.queries.variants.rewrites.common_table import common_table
from sqljury.queries.variants.rewrites.count_case import count_case
from sqljury.queries.variants.rewrites.count_rows import count_rows
from sqljury.queries.variants.rewrites.derived_table import derived_table
from sqljury.queries.variants.rewrites.distinct_of_key import distinct_of_key
from sqljury.queries.variants.rewrites.distinct_to_group import distinct_to_group
from sqljury.queries.variants.rewrites.equal_column import equal_column
from sqljury.queries.variants.rewrites.equality_to_in import equality_to_in
from sqljury.queries.variants.rewrites.first_of_order import first_of_order
from sqljury.queries.variants.rewrites.further_group_key import further_group_key
from sqljury.queries.variants.rewrites.having_to_where import having_to_where
from sqljury.queries.variants.rewrites.identifier_style import identifier_style
from sqljury.queries.variants.rewrites.idle_clause import idle_clause
from sqljury.queries.variants.rewrites.implied_condition import implied_condition
from sqljury.queries.variants.rewrites.in_list import in_list
from sqljury.queries.variants.rewrites.in_to_exists import in_to_exists
from sqljury.queries.variants.rewrites.in_to_join import in_to_join
from sqljury.queries.variants.rewrites.integer_bound import integer_bound
from sqljury.queries.variants.rewrites.join_condition import join_condition
from sqljury.queries.variants.rewrites.join_order import join_order
from sqljury.queries.variants.rewrites.join_to_in import join_to_in
from sqljury.queries.variants.rewrites.membership_to_set import membership_to_set
from sqljury.queries.variants.rewrites.negation import negation
from sqljury.queries.variants.rewrites.not_in_to_outer_join import not_in_to_outer_join
from sqljury.queries.variants.rewrites.number_as_text import number_as_text
from sqljury.queries.variants.rewrites.operand_order import operand_order
from sqljury.queries.variants.rewrites.or_to_union import or_to_union
from sqljury.queries.variants.rewrites.outer_select import outer_select
from sqljury.queries.variants.rewrites.output_names import output_names
from sqljury.queries.variants.rewrites.output_order import output_order
from sqljury.queries.variants.rewrites.positions import positions
from sqljury.queries.variants.rewrites.set_to_membership import set_to_membership
from sqljury.queries.variants.rewrites.table_names import table_names
from sqljury.queries.variants.rewrites.turned_comparison import turned_comparison
from sqljury.queries.variants.rewrites.union_to_or import union_to_or
from sqljury.queries.variants.rewrites.unqualified import unqualified

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
"""Other spellings: the query does the same in the same way."""

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
"""Other ways to the same rows."""

REWRITES: dict[str, Changes] = {**STRUCTURES, **STYLES}
"""All kinds by name."""

RARE = frozenset(
    {"average", "cast", "implied_condition", "negation", "number_as_text", "outer_select"}
)
"""Kinds that nearly every query takes, and few people write."""
