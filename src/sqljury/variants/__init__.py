"""Variants of a query: neighbours, realistic mistakes (mutations), and equivalent rewrites."""

from sqljury.variants.base import Variant
from sqljury.variants.neighbours import neighbours
from sqljury.variants.varied import mutations, rewrites

__all__ = ["Variant", "mutations", "neighbours", "rewrites"]
