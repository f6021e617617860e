"""The user's own word on which key holds which field: ``question=q,predicted_sql=sql``."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

from sqljury.benchmarks.names import FIELDS
from sqljury.errors import InputError


def parse_mapping(text: str) -> dict[str, str]:
    """Read ``question=q,predicted_sql=sql``: our field, then the file's key.

    >>> parse_mapping("question=q,predicted_sql=sql")
    {'question': 'q', 'predicted_sql': 'sql'}

    Raises:
        InputError: SJ114 for a part without ``=`` or a field that there is not.
    """
    out: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, key = (piece.strip() for piece in part.partition("="))
        if not equals or not name or not key:
            raise InputError(
                "SJ114", f"{part!r} is no FIELD=KEY.", hint="Example: question=q,predicted_sql=sql"
            )
        if name in out:
            raise InputError("SJ114", f"{name!r} is mapped twice.")
        out[name] = key
    return out


def check_mapping(mapping: Mapping[str, str], fields: Iterable[str] = FIELDS) -> None:
    """Refuse a mapping that names a field which there is not."""
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
