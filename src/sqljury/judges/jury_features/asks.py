"""Which clauses the words of a question ask for."""

from __future__ import annotations

from typing import Final

from sqljury.faults.wording import Wording

ASKS: Final = {
    "distinct": r"different|distinct|unique|without duplicates?|no duplicates?",
    "order": (
        r"(?:sort|order|rank)(?:s|ed|ing)? (?:\w+ ){0,4}?(?:by|in|from|according)|ascending|"
        r"descending|alphabetical\w*|chronological\w*"
    ),
    "limit": (
        r"top|first|last|highest|lowest|largest|smallest|biggest|oldest|youngest|longest|shortest|"
        r"most|least|best|worst|earliest|latest|fewest|greatest|maximum|minimum|max|min"
    ),
    "group": r"each|every|per|by (?:the )?\w+ (?:of|and)|respectively",
    "count": r"how many|number of|count|total number",
    "share": r"percent\w*|ratio|proportion|rate|average|mean",
    "negation": r"not|no|never|without|none|neither|except|excluding",
    "all": r"all|both|only|list",
}
"""By what is asked for, the words that ask for it, as a pattern."""


def asks_for(wording: Wording, what: str) -> bool:
    """Whether a question has words that ask for one of :data:`ASKS`."""
    return wording.says(ASKS[what])
