"""A tree as JSON: an object for each node, ``node`` its name, the fields as in ``nodes``."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from sqljury.trees.nodes import Relation


def tree_json(relation: Relation) -> dict[str, Any]:
    """The tree; bytes are hexadecimal, infinity is text, what is empty or None is left out.

    >>> from sqljury.trees.nodes import Project, Ref, Scan
    >>> tree_json(Project(Scan("t", ("a",)), (Ref(0),)))["expressions"]
    [{'node': 'Ref', 'index': 0}]
    """
    found = _json(relation)
    assert isinstance(found, dict)
    return found


def _json(value: Any) -> Any:
    if is_dataclass(value):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        # A literal's value may be False or empty, and is what it is about.
        kept = {
            name: _json(part)
            for name, part in parts.items()
            if name in ("index", "level", "value") or not _is_default(part)
        }
        return {"node": type(value).__name__, **kept}
    if isinstance(value, tuple):
        return [_json(part) for part in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _is_default(part: Any) -> bool:
    return part is None or part is False or part in ((), "")
