"""Proofs that two queries return the same rows on every database of a schema."""

from sqljury.queries.proof.equal import Order, is_available, ordered, prove_equal, unordered

__all__ = ["Order", "is_available", "ordered", "prove_equal", "unordered"]
