"""Files that are joined by id must have an id in common: else they are about other questions."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice

from sqljury.benchmarks.files import PathLike
from sqljury.errors import InputError
from sqljury.writing import shown_path

_SHOWN = 3


def check_shared_ids(given: Collection[str], known: Iterable[str], where: PathLike) -> None:
    """Refuse a file of which no id is known.

    Args:
        given: the ids of the file.
        known: those that it is joined to.

    Raises:
        InputError: SJ122.
    """
    ids = list(known)
    if not set(given).isdisjoint(ids):
        return
    raise InputError(
        "SJ122",
        f"none of its {len(given):,} ids ({_few(given)}) is one of the {len(ids):,} that it is "
        f"joined to ({_few(ids)})."
        if given
        else "it says nothing of any id.",
        where=shown_path(where),
        hint="Is it the file of another benchmark? Ids are joined as texts, letter by letter.",
    )


def _few(ids: Collection[str]) -> str:
    shown = ", ".join(map(repr, islice(ids, _SHOWN)))
    return f"{shown}, …" if len(ids) > _SHOWN else shown
