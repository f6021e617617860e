"""The words of names: what an identifier is made of, as people would say it."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
IRREGULAR = {
    "people": "person",
    "men": "man",
    "women": "woman",
    "children": "child",
    "mice": "mouse",
    "indices": "index",
    "matches": "match",
    "branches": "branch",
    "churches": "church",
    "coaches": "coach",
    "dishes": "dish",
    "boxes": "box",
    "taxes": "tax",
    "movies": "movie",
    "cookies": "cookie",
    "series": "series",
    "species": "species",
    "buses": "bus",
    "viruses": "virus",
    "statuses": "status",
    "campuses": "campus",
}


@lru_cache(maxsize=4096)
def words(name: str) -> tuple[str, ...]:
    """The words of an identifier, in lower case.

    >>> words("Song_releaseYear"), words("PetID")
    (('song', 'release', 'year'), ('pet', 'id'))
    """
    return tuple(word.lower() for word in _WORD.findall(name))


def singular(word: str) -> str:
    """A noun's singular; a word that is none stays.

    >>> [singular(word) for word in ("cities", "classes", "status", "dogs", "people", "bus")]
    ['city', 'class', 'status', 'dog', 'person', 'bus']
    """
    if word in IRREGULAR:
        return IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith(("ss", "us", "is", "as", "os")) or not word.endswith("s") or len(word) < 4:
        return word
    return word[:-1]
