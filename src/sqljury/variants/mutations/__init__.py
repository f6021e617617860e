"""Mistakes: changes that mostly change what a query means, a file for each clause.

A function yields all changes of its kind that are possible at a node; its docstring says what one
of them does to a copy of the query (:data:`sqljury.variants.base.Changes`).
"""

from sqljury.variants.base import Changes
from sqljury.variants.mutations.conditions import (
    bound,
    comparison,
    condition,
    constant,
    literal_case,
    membership,
)
from sqljury.variants.mutations.grouping import group_key
from sqljury.variants.mutations.joins import join, join_key, redundant_join
from sqljury.variants.mutations.ordering import extreme, order
from sqljury.variants.mutations.select_list import (
    aggregate,
    column,
    counted,
    foreign_column,
    output,
    query,
)
from sqljury.variants.mutations.set_operations import set_operation, set_to_condition, union_all
from sqljury.variants.mutations.values import value

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
"""The kinds of neighbours from which test suites are built. Any change of these kinds or of their
order changes the suites."""

MUTATIONS: dict[str, Changes] = {
    **NEIGHBOUR_KINDS,
    "bound": bound,
    "literal_case": literal_case,
    "value": value,
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
"""All kinds of mistakes by name."""
