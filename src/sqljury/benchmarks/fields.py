"""Builds a Case from a file's object: which key has which field, rules for null, rules for
labels."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from sqljury.benchmarks.files import FileRecord, Source
from sqljury.benchmarks.names import ALIASES, BIRD_REFERENCE, FIELDS, UNCLEAR, id_columns, normal
from sqljury.benchmarks.texts import DEEPEST
from sqljury.case import MISSING, Case, Json, Missing
from sqljury.errors import InputError

# ---------------------------------------------------------------- layout
#
# Which key of a file's objects has which field of a Case: known from the format, or guessed.


_EVERYWHERE = {"answerable": "answerable", "criteria": "criteria"}
FAILED = 0
"""BIRD's scripts write this if there is no query: it counts as an empty prediction."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Which key of a file's objects has which field of a Case."""

    keys: Mapping[str, str]
    dropped: frozenset[str] = frozenset()
    """Keys that are not kept, because they repeat others."""
    failed: tuple[Json, ...] = ()
    """Values that mean that no prediction could be made; they count as an empty one."""
    id_is_mapped: bool = False
    """True if the user named the key of the id, so no other key is considered."""
    used: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "used", self.dropped.union(self.keys.values()))

    def get(self, data: Mapping[str, Json], name: str) -> Json:
        """The value of a field; None if the object does not have it."""
        key = self.keys.get(name)
        return None if key is None else data.get(key)


def stated(
    keys: dict[str, str],
    mapping: Mapping[str, str],
    *,
    dropped: Iterable[str] = (),
    failed: tuple[Json, ...] = (),
) -> Layout:
    """The layout of a format with known keys; the user's mapping takes precedence.

    Fields that every score depends on and the format has no key for are read under their own name.
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
    """The layout of a format with known keys, plus fields that people add to its files.

    These are a prediction under one of its usual names, a label, and the name of the system. A key
    that is to be dropped is still used if it has texts other than the reference: Spider's own
    ``sql`` is a parse tree, and some re-published files of BIRD repeat the reference there.
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
    """Finds fields by their usual names; fields in the mapping are not guessed.

    Args:
        predictions: True if the file has only predictions, so that a column named ``sql``, ``SQL``
            or ``query`` is the prediction.

    Raises:
        InputError: SJ118 if two keys mean the same field.
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
    """The records of a file, each with the layout that is known at that record.

    In JSON lines a key may appear late (a prediction after many references without one); then the
    layout is guessed again.
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
    """The error for a required key that the file does not have."""
    keys = ", ".join(source.keys)
    return InputError(
        "SJ104", f"no {json.dumps(key)} (keys: {keys}).", where=source.at_head, hint=hint
    )


def suggest(field_name: str, source: Source) -> str:
    """A ``--map`` option to suggest: for the first key whose values look like SQL, else for any
    key."""
    like = next((k for k in source.keys if "sql" in k.lower() or "query" in k.lower()), None)
    if like is None:
        return (
            f"Is it the right file, with a header? --map {field_name}=KEY names a key that has it."
        )
    return f"Use --map {field_name}={like}."


# ---------------------------------------------------------------- fields
#
# From a file's object to a Case: key names, rules for null, rules for labels.


ABSTENTIONS = ("null", "not_answerable")
"""What a model writes instead of SQL to abstain (EHRSQL, TrustSQL)."""

_UNANSWERABLE = "null"
_YES = ("true", "yes", "correct", "1", "1.0")
_NO = ("false", "no", "incorrect", "0", "0.0")


def build(
    record: FileRecord, layout: Layout, *, position: int, stem: str, benchmark: str | None = None
) -> Case:
    """The Case that an object of a file describes.

    Args:
        stem: the benchmark's name if the object has none.
        benchmark: replaces both.

    Raises:
        InputError: SJ105 for a value of the wrong type, SJ109 for a value that is not a label.
    """
    data = as_object(record)
    origin = record.origin

    def text(name: str) -> str | None:
        value = layout.get(data, name)
        return None if value is None else as_text(value, layout.keys[name], origin)

    references, answerable = as_references(layout.get(data, "reference_sqls"), origin)
    stated = as_label(layout.get(data, "answerable"), origin)
    return Case(
        id=as_id(data, layout, position, origin),
        db_id=text("db_id") or "",
        schema_sql=text("schema_sql"),
        question=text("question"),
        predicted_sql=as_prediction(data, layout, origin),
        reference_sqls=references,
        hint=text("hint"),
        criteria=text("criteria"),
        difficulty=text("difficulty"),
        label=as_label(layout.get(data, "label"), origin),
        answerable=answerable if stated is None else stated,
        benchmark=(text("benchmark") or stem) if benchmark is None else benchmark,
        source=text("source") or "",
        extra=plain_values(data, layout.used, origin),
        origin=origin,
    )


def as_object(record: FileRecord) -> Mapping[str, Json]:
    """The record as an object; raises if it is not one."""
    if not isinstance(record.data, dict):
        raise InputError(
            "SJ105", f"a case must be an object, not {kind(record.data)}.", where=record.origin
        )
    return record.data


def as_text(value: Json, key: str, origin: str) -> str | None:
    """The text, or None if there is none; an empty text also gives None."""
    if value is None or isinstance(value, str):
        return value or None
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return str(value)
    raise InputError("SJ105", f"{key!r} must be text, not {kind(value)}.", where=origin)


def as_id(data: Mapping[str, Json], layout: Layout, position: int, origin: str) -> str:
    """The id as text; if the file has no ids, the position in the file."""
    key = layout.keys.get("id")
    if key is None:
        return str(position)
    if key not in data:
        raise InputError("SJ104", f"no {json.dumps(key)} (keys: {', '.join(data)}).", where=origin)
    if (found := _id_text(data[key])) is not None:
        if not layout.id_is_mapped:
            _check_other_ids(data, key, found, position, origin)
        return found
    what = "empty" if data[key] == "" else kind(data[key])
    raise InputError("SJ105", f"{key!r} must be text or a whole number, not {what}.", where=origin)


def _id_text(value: Json) -> str | None:
    """An id as text; None if the value is not an id."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # pandas writes a column of integers with a gap as floats
    return str(value) if (isinstance(value, str) and value) or type(value) is int else None


def _check_other_ids(
    data: Mapping[str, Json], key: str, found: str, position: int, origin: str
) -> None:
    """Raises if a row has a different id under another usual name; a column that counts rows is
    fine."""
    for other in id_columns(tuple(data)):
        said = _id_text(data[other])
        if said not in (None, found, str(position), str(position + 1)):
            raise InputError(
                "SJ118",
                f"both {key!r} ({found}) and {other!r} ({said}) could be the id.",
                where=origin,
                hint=f"Use --map id={key} or --map id={other}.",
            )


def as_prediction(data: Mapping[str, Json], layout: Layout, origin: str) -> str | Missing | None:
    """The predicted SQL: MISSING if the key is absent, None (an abstention) for null and abstain
    tokens."""
    key = layout.keys.get("predicted_sql")
    if key is None or key not in data:
        return MISSING
    value = data[key]
    if layout.failed and any(type(value) is type(it) and value == it for it in layout.failed):
        return ""
    if key == "pred_sqls" and isinstance(value, list):  # the statements of one answer
        return ";\n".join(as_sql(one, key, origin) or "" for one in value)
    return as_sql(value, key, origin)


def as_sql(value: Json, key: str, origin: str) -> str | None:
    """The SQL as it was predicted; None for an abstention; an empty text stays empty."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise InputError(
            "SJ105",
            f"{key!r} must be SQL text or null, not {kind(value)}.",
            where=origin,
            hint="null is an abstention, an empty text a prediction that cannot run.",
        )
    return None if value.strip() in ABSTENTIONS else value


def as_samples(value: Json, key: str, origin: str) -> tuple[str | None, ...]:
    """The samples of one question; None for a sample that abstains."""
    if not isinstance(value, list):
        raise InputError("SJ105", f"{key!r} must be a list, not {kind(value)}.", where=origin)
    return tuple(as_sql(one, key, origin) for one in value)


def as_references(value: Json, origin: str) -> tuple[tuple[str, ...], bool | None]:
    """The reference queries; and False if the file says that the question has no answer, else
    None."""
    if isinstance(value, str):
        sql = value.strip()
        if not sql.startswith("["):  # nearly all are one reference
            return ((), False) if sql == _UNANSWERABLE else ((value,) if sql else (), None)
        value = _listed(value)
    values = value if isinstance(value, list | tuple) else [value]
    wrong = next((one for one in values if one is not None and not isinstance(one, str)), None)
    if wrong is not None:
        raise InputError("SJ105", f"a reference must be SQL text, not {kind(wrong)}.", where=origin)
    texts = [one for one in values if isinstance(one, str)]
    if any(one.strip() == _UNANSWERABLE for one in texts):
        return (), False
    return tuple(one for one in texts if one.strip()), None


def _listed(text: str) -> Json:
    """Several references in one cell of a table, written as a JSON list."""
    try:
        return cast("Json", json.loads(text))
    except (ValueError, RecursionError):
        return text


def as_label(value: Json, origin: str) -> bool | None:
    """A person's label as a truth value; None if there is no label.

    Raises:
        InputError: SJ109: the value is no label (true/false, yes/no, correct/incorrect, 1/0).
    """
    if value is None or value == "":
        return None
    if isinstance(value, int | float) and value in (0, 1):
        return bool(value)
    if isinstance(value, str) and (word := value.strip().lower()) in _YES + _NO:
        return word in _YES
    raise InputError(
        "SJ109",
        f"{value!r} is not a label.",
        where=origin,
        hint="Labels are true/false, yes/no, correct/incorrect or 1/0.",
    )


def plain_values(data: Mapping[str, Json], without: Container[str], origin: str) -> dict[str, Json]:
    """The other values of an object in JSON's types.

    Raises:
        InputError: SJ106: one of them is nested too deeply.
    """
    try:
        return {key: _plain(value) for key, value in data.items() if key not in without}
    except RecursionError:
        raise InputError("SJ106", "the JSON is nested too deeply.", where=origin) from None


def _plain(value: Json, depth: int = 0) -> Json:
    """The value in JSON's types: Parquet has dates and decimals, and Python reads NaN."""
    if depth > DEEPEST:
        raise RecursionError
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(key): _plain(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner, depth + 1) for inner in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def kind(value: Json) -> str:
    """The kind of a JSON value, as words for a message."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "an infinite number"
    names = {
        type(None): "null",
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "text",
        list: "a list",
        dict: "an object",
    }
    return names.get(type(value), type(value).__name__)
