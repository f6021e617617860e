"""What a check of faults can look at."""

from __future__ import annotations

from enum import Flag, auto


class Sees(Flag):
    """What a check looks at; where that is not there, the check is skipped and named."""

    TEXT = 0
    QUESTION = auto()
    HINT = auto()
    TREE = auto()
    """The operator tree, for which a schema must be known."""
    ROWS = auto()
    """What the database holds."""
