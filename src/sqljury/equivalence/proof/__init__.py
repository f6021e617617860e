"""Proofs that two queries return the same rows on every database of a schema."""

from sqljury.equivalence.proof.equal import (
    Order,
    implies,
    is_available,
    ordered,
    prove_equal,
    unordered,
    unsatisfiable,
)

__all__ = [
    "Order",
    "implies",
    "is_available",
    "ordered",
    "prove_equal",
    "unordered",
    "unsatisfiable",
]
