"""From a file's object to a Case: key names, null rules, label rules."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import cast

from sqljury.benchmarks.files import FileRecord
from sqljury.benchmarks.layout import Layout
from sqljury.benchmarks.names import id_columns
from sqljury.case import MISSING, Case, Json, Missing
from sqljury.errors import InputError

ABSTENTIONS = ("null", "not_answerable")
"""What a model writes to say that it does not answer (EHRSQL, TrustSQL)."""

_UNANSWERABLE = "null"
_YES = ("true", "yes", "correct", "1", "1.0")
_NO = ("false", "no", "incorrect", "0", "0.0")


def build(
    record: FileRecord, layout: Layout, *, position: int, stem: str, benchmark: str | None = None
) -> Case:
    """The Case that an object of a file describes.

    Args:
        stem: the benchmark's name where the object does not state one.
        benchmark: overrides both.

    Raises:
        InputError: SJ105 for a value of the wrong type, SJ109 for a label.
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
        extra={key: plain(value) for key, value in data.items() if key not in layout.used},
        origin=origin,
    )


def as_object(record: FileRecord) -> Mapping[str, Json]:
    """The record as an object."""
    if not isinstance(record.data, dict):
        raise InputError(
            "SJ105", f"a case is an object, not {kind(record.data)}.", where=record.origin
        )
    return record.data


def as_text(value: Json, key: str, origin: str) -> str | None:
    """Text, or None where there is none; an empty text is none."""
    if value is None or isinstance(value, str):
        return value or None
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return str(value)
    raise InputError("SJ105", f"{key!r} must be text, not {kind(value)}.", where=origin)


def as_id(data: Mapping[str, Json], layout: Layout, position: int, origin: str) -> str:
    """The id as text; the position in the file where the file has no ids."""
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
    """An id as text; None where it is none."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # pandas writes a column of integers with a gap as floats
    return str(value) if (isinstance(value, str) and value) or type(value) is int else None


def _check_other_ids(
    data: Mapping[str, Json], key: str, found: str, position: int, origin: str
) -> None:
    """Refuse a row that has another id under another usual name; a column may count the rows."""
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
    """The predicted SQL: absent is missing, null and the abstain tokens are abstentions."""
    key = layout.keys.get("predicted_sql")
    if key is None or key not in data:
        return MISSING
    value = data[key]
    if layout.failed and any(type(value) is type(it) and value == it for it in layout.failed):
        return ""
    return as_sql(value, key, origin)


def as_sql(value: Json, key: str, origin: str) -> str | None:
    """SQL as it was predicted; None is an abstention, the empty text is none."""
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
    """What was sampled for one question; None where a sample abstains."""
    if not isinstance(value, list):
        raise InputError("SJ105", f"{key!r} must be a list, not {kind(value)}.", where=origin)
    return tuple(as_sql(one, key, origin) for one in value)


def as_references(value: Json, origin: str) -> tuple[tuple[str, ...], bool | None]:
    """The reference queries, and whether their absence says that the question has no answer."""
    if isinstance(value, str):
        sql = value.strip()
        if not sql.startswith("["):  # one reference: nearly all there are
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
    """Several references in one cell of a table: a JSON list."""
    try:
        return cast("Json", json.loads(text))
    except (ValueError, RecursionError):
        return text


def as_label(value: Json, origin: str) -> bool | None:
    """What people say, as a truth value; None where they say nothing."""
    if value is None or value == "":
        return None
    if isinstance(value, int | float) and value in (0, 1):
        return bool(value)
    if isinstance(value, str) and (word := value.strip().lower()) in _YES + _NO:
        return word in _YES
    raise InputError(
        "SJ109",
        f"{value!r} is no label.",
        where=origin,
        hint="Labels are true/false, yes/no, correct/incorrect or 1/0.",
    )


def plain(value: Json) -> Json:
    """A value that JSON can hold: Parquet has dates and decimals, Python's reader has NaN."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def kind(value: Json) -> str:
    """What a JSON value is, in words."""
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
