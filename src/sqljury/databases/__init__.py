"""Databases behind one read-only, limited execution."""

from sqljury.databases.open import open_databases
from sqljury.databases.protocol import Database, Databases

__all__ = ["Database", "Databases", "open_databases"]
