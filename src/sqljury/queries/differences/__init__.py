"""What two queries do differently, as typed differences and in words. Pure functions."""

from sqljury.queries.differences.compare import Difference, Kind, differences

__all__ = ["Difference", "Kind", "differences"]
