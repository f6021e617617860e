"""Chance that is the same for the same seed, whatever the order things come in."""

from __future__ import annotations

import hashlib


def place(seed: int, *parts: str) -> bytes:
    """Where something stands in a random order: sort by it."""
    text = "\0".join((str(seed), *parts))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
