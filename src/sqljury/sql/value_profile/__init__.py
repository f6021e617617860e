"""The value profile of a query: which data would show what it does."""

from __future__ import annotations

from sqljury.sql.value_profile.read import merged_profiles, value_profile

__all__ = ["merged_profiles", "value_profile"]
