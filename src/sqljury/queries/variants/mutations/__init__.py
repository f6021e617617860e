"""Changes that mostly change what a query means, one kind a file."""

from sqljury.queries.variants.base import Changes
from sqljury.queries.variants.mutations.aggregate import aggregate
from sqljury.queries.variants.mutations.bound import bound
from sqljury.queries.variants.mutations.column import column
from sqljury.queries.variants.mutations.comparison import comparison
from sqljury.queries.variants.mutations.condition import condition
from sqljury.queries.variants.mutations.constant import constant
from sqljury.queries.variants.mutations.counted import counted
from sqljury.queries.variants.mutations.extreme import extreme
from sqljury.queries.variants.mutations.foreign_column import foreign_column
from sqljury.queries.variants.mutations.group_key import group_key
from sqljury.queries.variants.mutations.join import join
from sqljury.queries.variants.mutations.join_key import join_key
from sqljury.queries.variants.mutations.literal_case import literal_case
from sqljury.queries.variants.mutations.membership import membership
from sqljury.queries.variants.mutations.order import order
from sqljury.queries.variants.mutations.output import output
from sqljury.queries.variants.mutations.query import query
from sqljury.queries.variants.mutations.redundant_join import redundant_join
from sqljury.queries.variants.mutations.set_operation import set_operation
from sqljury.queries.variants.mutations.set_to_condition import set_to_condition
from sqljury.queries.variants.mutations.union_all import union_all

NEIGHBOUR_KINDS: dict[str, Changes] = {
    "comparison": comparison,
    "constant": constant,
    "condition": condition,
    "aggregate": aggregate,
    "query": query,
    "join": join,
    "order": order,
    "column": column,
    "set": set_operation,
}
"""Of test suites, which are built from them: another kind or order is another suite."""

MUTATIONS: dict[str, Changes] = {
    **NEIGHBOUR_KINDS,
    "bound": bound,
    "literal_case": literal_case,
    "redundant_join": redundant_join,
    "group_key": group_key,
    "foreign_column": foreign_column,
    "output": output,
    "set_to_condition": set_to_condition,
    "union_all": union_all,
    "extreme": extreme,
    "join_key": join_key,
    "counted": counted,
    "membership": membership,
}
"""All kinds by name."""
