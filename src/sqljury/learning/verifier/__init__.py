"""The small verifier: what a question lets one expect, and trees that weigh a query by it."""

from sqljury.learning.verifier.expectations import Choices, Expectations
from sqljury.learning.verifier.model import (
    SHIPPED,
    SmallVerifier,
    Weigher,
    load_small_verifier,
    table_of,
)

__all__ = [
    "SHIPPED",
    "Choices",
    "Expectations",
    "SmallVerifier",
    "Weigher",
    "load_small_verifier",
    "table_of",
]
