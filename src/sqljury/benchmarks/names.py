"""The names that people use for the fields of a Case, and the user's own mapping: ``--map``."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from sqljury.errors import InputError

# ---------------------------------------------------------------- names

# Case field -> its usual key names, most specific first. Case, spaces and punctuation are ignored
# in comparisons, except that BIRD's `SQL` is a reference and `sql` may be anything.
ALIASES: dict[str, tuple[str, ...]] = {
    "id": ("id", "question_id", "query_id", "instance_id", "example_id", "idx", "index"),
    "question": ("question", "nlq", "utterance", "nl_question"),
    "predicted_sql": (
        "predicted_sql",
        "prediction",
        "pred",
        "pred_sql",
        "predicted",
        "predict_sql",
        "generated_sql",
        "pred_sqls",
    ),
    "reference_sqls": (
        "reference_sqls",
        "reference_sql",
        "references",
        "reference",
        "gold_sqls",
        "gold_sql",
        "gold",
        "gold_query",
        "ground_truth",
        "gt_sql",
        "query",
    ),
    "db_id": ("db_id", "database", "database_id", "db", "db_name"),
    "schema_sql": ("schema_sql", "ddl"),
    "hint": ("hint", "evidence", "external_knowledge"),
    "criteria": ("criteria", "acceptance_criteria"),
    "difficulty": ("difficulty", "hardness"),
    "label": ("label",),
    "answerable": ("answerable",),
    "benchmark": ("benchmark",),
    "source": ("source", "system"),
}

FIELDS = tuple(ALIASES)
"""The fields that a mapping may contain."""

BIRD_REFERENCE = "SQL"
UNCLEAR = "sql"


def normal(key: str) -> str:
    """A key name in the form in which names are compared: ``GOLD SQL`` is ``gold_sql``."""
    return re.sub(r"[\W_]+", "_", key).strip("_").lower()


@lru_cache
def id_columns(keys: tuple[str, ...]) -> list[str]:
    """The keys that identify a row, the most specific first.

    >>> id_columns(("sql", "Question ID", "idx"))
    ['Question ID', 'idx']
    """
    by_name = {normal(key): key for key in keys}
    return [by_name[name] for name in ALIASES["id"] if name in by_name]


def is_field(key: str) -> bool:
    """True if a key is a usual name of a field of a Case."""
    return key in (BIRD_REFERENCE, UNCLEAR) or any(
        normal(key) in names for names in ALIASES.values()
    )


# ---------------------------------------------------------------- mapping
#
# The user's mapping of fields to keys: ``question=q,predicted_sql=sql``.


def parse_mapping(text: str) -> dict[str, str]:
    """Parses ``question=q,predicted_sql=sql``: our field, then the file's key.

    >>> parse_mapping("question=q,predicted_sql=sql")
    {'question': 'q', 'predicted_sql': 'sql'}

    Raises:
        InputError: SJ114 for a part without ``=``, or an unknown field.
    """
    out: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, key = (piece.strip() for piece in part.partition("="))
        if not equals or not name or not key:
            raise InputError(
                "SJ114",
                f"expected FIELD=KEY, got {part!r}.",
                hint="Example: question=q,predicted_sql=sql",
            )
        if name in out:
            raise InputError("SJ114", f"{name!r} is mapped twice.")
        out[name] = key
    return out


def check_mapping(mapping: Mapping[str, str], fields: Iterable[str] = FIELDS) -> None:
    """Raises if a mapping contains an unknown field."""
    known = sorted(fields)
    for name, key in mapping.items():
        if name not in known and key in known:
            raise InputError(
                "SJ114", f"there is no field {name!r} to map.", hint=f"Write {key}={name}."
            )
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"Fields: {', '.join(known)}."
            raise InputError("SJ114", f"there is no field {name!r} to map.", hint=hint)
