"""Variants of a query: neighbours, realistic mistakes, and other ways to say the same."""

from sqljury.queries.variants.base import Variant
from sqljury.queries.variants.neighbours import neighbours
from sqljury.queries.variants.varied import mutations, rewrites

__all__ = ["Variant", "mutations", "neighbours", "rewrites"]
