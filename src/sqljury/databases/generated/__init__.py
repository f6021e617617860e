"""Generates small databases in memory for a pair of queries, from a profile and a seed."""

from sqljury.databases.generated.admission import typed
from sqljury.databases.generated.edges import Traps
from sqljury.databases.generated.material import HOLDS_FOREIGN_KEYS, Material
from sqljury.databases.generated.plans import (
    DataProfile,
    Plan,
    further_plans,
    plans_for,
    trap_plans,
)
from sqljury.databases.generated.rows import Row, Rows, broken_rules, make_rows
from sqljury.databases.generated.scratch import ScratchDatabase, empty_duckdb, in_duckdb, replayed
from sqljury.databases.generated.witness import minimise, script

__all__ = [
    "HOLDS_FOREIGN_KEYS",
    "DataProfile",
    "Material",
    "Plan",
    "Row",
    "Rows",
    "ScratchDatabase",
    "Traps",
    "broken_rules",
    "empty_duckdb",
    "further_plans",
    "in_duckdb",
    "make_rows",
    "minimise",
    "plans_for",
    "replayed",
    "script",
    "trap_plans",
    "typed",
]
