"""Faults that a query, its question and its data show: checks, and the judge that runs them."""

from sqljury.faults.check import Check, Finding, Sees, all_checks, check, chosen_checks
from sqljury.faults.query import Query

__all__ = ["Check", "Finding", "Query", "Sees", "all_checks", "check", "chosen_checks"]
