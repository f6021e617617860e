"""More or fewer columns than the question asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query
from sqljury.faults.wording import name_stems, stem
from sqljury.trees.walk import width

_LIST = re.compile(
    r"(?:list|show|find|give|return|display|what (?:is|are)|tell)(?: me| us)?(?: out)?(?: all)?"
    r"(?: of)? (?:the )?(?:different |distinct )?(?P<items>[^?.]+?) "
    r"(?:of|for|from|in|who|that|which|with|where|whose)\b"
)


_NUMBER_ALONE = r"(?:how many [^,]*|what is the (?:total )?number of [^,]*)\?$"
_BY_GROUP = r"each|every|per|and|by|different|does|do|one"
_NO_COLUMNS = ("", "date", "number")


@check("AU514", sees=Sees.TREE | Sees.QUESTION, read=(2, 4))
def asked_column_missing(query: Query) -> Iterator[Finding]:
    """The question lists several columns by name, and the query does not read one of them."""
    found = _LIST.search(query.wording.lower)
    if found is None:
        return
    items = [i for i in re.split(r",| and ", found["items"]) if i.strip() not in _NO_COLUMNS]
    if len(items) < 2:
        return
    for item in items:
        names = _named(query, item)
        if names and not names & query.columns_read and not _is_read_otherwise(query, item):
            reason = f"the question asks for {item.strip()!r}, and the query does not read it."
            yield Finding(reason=reason, part="SELECT")


@check("AU515", sees=Sees.TREE | Sees.QUESTION, read=(1, 1))
def more_columns(query: Query) -> Iterator[Finding]:
    """The question asks for a number alone, and the query shows more."""
    shown = width(query.tree)
    plain = re.match(_NUMBER_ALONE, query.wording.lower)
    if plain and shown > 1 and not query.wording.says(_BY_GROUP):
        reason = f"the question asks for one number, and the query shows {shown} columns."
        yield Finding(reason=reason, part="SELECT")


def _is_read_otherwise(query: Query, item: str) -> bool:
    """Whether a column is read whose name has the word among others: ``festival_name``."""
    words = {stem(word).removesuffix("s") for word in item.split()}
    words |= {"title"} if "name" in words else set()
    ends = tuple(word for word in words if len(word) > 1)
    return any(
        words & set(name_stems(name)) or name.lower().endswith(ends) for name in query.names_read
    )


def _named(query: Query, item: str) -> set[str]:
    """The columns of the tables read whose name the item is."""
    words = re.sub(r"\b(?:the|its|their|his|her|all|a|an|each)\b|[^a-z0-9 ]", " ", item).split()
    wanted = "".join(word.removesuffix("s") for word in words)
    return {
        column.name.casefold()
        for table in query.tables
        for column in table.columns
        if "".join(w.removesuffix("s") for w in re.findall(r"[a-z0-9]+", column.name.lower()))
        == wanted
    }
