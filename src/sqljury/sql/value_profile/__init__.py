"""The value profile of a query: which data would show what it does."""

from __future__ import annotations

from sqljury.sql.value_profile.merge import merged_profiles
from sqljury.sql.value_profile.read import value_profile

__all__ = ["merged_profiles", "value_profile"]
