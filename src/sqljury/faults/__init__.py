"""Checks that find faults of a query from its text, its question, its schema and the data."""

from sqljury.faults.check import Check, Finding, Sees, all_checks, check, chosen_checks
from sqljury.faults.query import Query

__all__ = ["Check", "Finding", "Query", "Sees", "all_checks", "check", "chosen_checks"]
