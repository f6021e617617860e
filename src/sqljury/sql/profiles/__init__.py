"""The value profile of a query: the tables, constants and links that test data for it needs."""

from __future__ import annotations

from sqljury.sql.profiles.read import merged_profiles, value_profile

__all__ = ["merged_profiles", "value_profile"]
