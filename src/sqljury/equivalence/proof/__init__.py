"""Proofs that two queries return the same rows on every database of a schema."""

from sqljury.equivalence.proof.equal import Order, is_available, ordered, prove_equal, unordered
from sqljury.equivalence.proof.predicates import implies, unsatisfiable

__all__ = [
    "Order",
    "implies",
    "is_available",
    "ordered",
    "prove_equal",
    "unordered",
    "unsatisfiable",
]
