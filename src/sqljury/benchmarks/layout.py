"""Which key of a file's objects holds which field of a Case: stated by a format, or guessed."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sqljury.benchmarks.files import FileRecord, Source
from sqljury.benchmarks.names import ALIASES, BIRD_REFERENCE, FIELDS, UNCLEAR, normal
from sqljury.case import Json
from sqljury.errors import InputError

_EVERYWHERE = {"answerable": "answerable", "criteria": "criteria"}
FAILED = 0
"""What BIRD's scripts write where no query could be had: an empty prediction."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Which key of a file's objects holds which field of a Case."""

    keys: Mapping[str, str]
    dropped: frozenset[str] = frozenset()
    """Keys that are not worth keeping: they repeat others."""
    failed: tuple[Json, ...] = ()
    """Values that stand for a prediction which failed to be made: an empty one."""
    id_is_mapped: bool = False
    """The user said which key is the id, so that no other can be meant."""
    used: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "used", self.dropped.union(self.keys.values()))

    def get(self, data: Mapping[str, Json], name: str) -> Json:
        """The value of a field, None if the object has none."""
        key = self.keys.get(name)
        return None if key is None else data.get(key)


def stated(
    keys: dict[str, str],
    mapping: Mapping[str, str],
    *,
    dropped: Iterable[str] = (),
    failed: tuple[Json, ...] = (),
) -> Layout:
    """The layout of a format that knows its keys; what the user maps goes before.

    What a format has no key for, but every score depends on, goes by its own name in all of them.
    """
    taken = set(mapping.values())
    kept = {name: key for name, key in (_EVERYWHERE | keys).items() if key not in taken}
    return Layout({**kept, **mapping}, frozenset(dropped) - taken, failed, "id" in mapping)


def stated_and_added(
    source: Source,
    keys: dict[str, str],
    mapping: Mapping[str, str],
    *,
    dropped: Iterable[str] = (),
) -> Layout:
    """The layout of a format that knows its keys, and what people add to its files.

    That is a prediction under one of its usual names, what people say of it, and who made it. A
    key that is to be dropped counts where it holds texts that are not the reference's: Spider's
    own ``sql`` is a parse tree, and some re-packings of BIRD repeat the reference there.
    """
    reference = mapping.get("reference_sqls", keys["reference_sqls"])
    copies = {key for key in dropped if not _holds_other_texts(source, key, reference)}
    known = stated(keys, mapping, dropped=copies)
    rest = {name: key for name, key in known.keys.items() if name not in ("answerable", "criteria")}
    found = guess([key for key in source.keys if key not in copies], rest, source.at_head)
    if "predicted_sql" not in found.keys:
        return known
    added = {name: found.keys[name] for name in _ADDED if name in found.keys}
    return replace(known, keys={**known.keys, **added})


_ADDED = ("predicted_sql", "label", "source")


def _holds_other_texts(source: Source, key: str, reference: str) -> bool:
    rows = [record.data for record in source.head if isinstance(record.data, dict)]
    found = [(row[key], row.get(reference)) for row in rows if key in row]
    texts = all(isinstance(value, str) for value, _ in found)
    return texts and any(value != other for value, other in found)


def guess(
    keys: Collection[str],
    mapping: Mapping[str, str],
    origin: str,
    *,
    predictions: bool = False,
) -> Layout:
    """Find the fields by their usual names; what the mapping names is not guessed.

    Args:
        predictions: the file holds predictions only, so a column called just ``sql``, ``SQL``
            or ``query`` is one.

    Raises:
        InputError: SJ118 for two keys of one meaning.
    """
    present = [key for key in keys if key not in mapping.values()]
    found = dict(mapping)
    for name in FIELDS:
        if name not in found and (key := _pick(name, present, origin)):
            found[name] = key
            present.remove(key)
    if "predicted_sql" not in found:
        if UNCLEAR in present and (predictions or found.keys() & {"reference_sqls", "label"}):
            found["predicted_sql"] = UNCLEAR
        elif predictions and found.get("reference_sqls") in (BIRD_REFERENCE, "query"):
            found["predicted_sql"] = found.pop("reference_sqls")
    return Layout(found, id_is_mapped="id" in mapping)


def guessed(
    source: Source, mapping: Mapping[str, str], *, predictions: bool = False
) -> Iterator[tuple[FileRecord, Layout]]:
    """The records of a file, each with the layout that is known by then.

    JSON lines may bring a key late (a prediction after many references without): then the
    layout is guessed anew.
    """
    keys = dict.fromkeys(source.keys)
    layout = guess(keys, mapping, source.at_head, predictions=predictions)
    for record in source.records():
        if isinstance(record.data, dict) and not keys.keys() >= record.data.keys():
            keys |= dict.fromkeys(record.data)
            layout = guess(keys, mapping, record.origin, predictions=predictions)
        yield record, layout


def _pick(name: str, present: list[str], origin: str) -> str | None:
    by_name = {normal(key): key for key in present if key not in (BIRD_REFERENCE, UNCLEAR)}
    hits = [by_name[alias] for alias in ALIASES[name] if alias in by_name]
    if name == "reference_sqls" and BIRD_REFERENCE in present:
        hits.append(BIRD_REFERENCE)
    if len(hits) > 1 and name in ("predicted_sql", "reference_sqls"):
        raise InputError(
            "SJ118",
            f"both {hits[0]!r} and {hits[1]!r} could be {name}.",
            where=origin,
            hint=f"Use --map {name}={hits[0]} or --map {name}={hits[1]}.",
        )
    return hits[0] if hits else None


def missing_key(key: str, source: Source, *, hint: str = "") -> InputError:
    """The error for a key that a file must have and has not."""
    keys = ", ".join(source.keys)
    return InputError(
        "SJ104", f"no {json.dumps(key)} (keys: {keys}).", where=source.at_head, hint=hint
    )


def suggest(field_name: str, source: Source) -> str:
    """A ``--map`` that could be meant: the first key that looks like SQL, else any."""
    like = next((k for k in source.keys if "sql" in k.lower() or "query" in k.lower()), None)
    if like is None:
        return (
            f"Is it the right file, with a header? --map {field_name}=KEY names a key that has it."
        )
    return f"Use --map {field_name}={like}."
