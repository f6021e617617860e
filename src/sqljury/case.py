"""The noun everything turns on: one question, one predicted SQL, what is known about them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

Json = object
"""A value that came from JSON (None, bool, int, float, str, list, dict): who uses it says which."""


class Missing(Enum):
    """There is no prediction at all: no key, no line, no row. Not an abstention."""

    MISSING = "missing"

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing.MISSING

# The fields a judge may look at. What is not here (label, difficulty, …) can change
# without making a stored verdict stale.
_JUDGED = (
    "benchmark",
    "id",
    "source",
    "db_id",
    "question",
    "hint",
    "criteria",
    "answerable",
    "predicted_sql",
    "reference_sqls",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A question, the SQL a model wrote for it, and whatever else is known.

    Everything but ``id`` is optional. A case is known by (benchmark, id, source):
    ids repeat across files.

    ``predicted_sql`` has three states besides text: ``None`` is an abstention (JSON null or
    the format's abstain token), :data:`MISSING` is a prediction that is not there, and an
    empty string is a prediction that cannot run.

    >>> Case(id="7", db_id="shop", predicted_sql="SELECT 1", reference_sqls=("SELECT 1",)).key
    ('', '7', '')
    """

    id: str
    db_id: str = ""
    schema_sql: str | None = None
    """CREATE TABLE statements, where the case brings its schema along."""
    question: str | None = None
    predicted_sql: str | Missing | None = MISSING
    reference_sqls: tuple[str, ...] = ()
    pool: tuple[str | None, ...] = ()
    """All that was sampled for the question, the prediction among it; None abstains."""
    hint: str | None = None
    """External knowledge given with the question (BIRD and ROSE call it evidence)."""
    criteria: str | None = None
    """Acceptance criteria, where a benchmark states them."""
    difficulty: str | None = None
    label: bool | None = None
    """What people say: the prediction answers the question (True) or does not (False)."""
    answerable: bool | None = None
    benchmark: str = ""
    source: str = ""
    """Who predicted: a system, a file, a sample number."""
    extra: Mapping[str, Json] = field(default_factory=dict)
    """What else the file said, by its own key names."""
    origin: str = ""
    """Where it was read, ``file:line``, for error messages."""

    def __post_init__(self) -> None:
        # One reference is often given as the text that it is; its letters are never meant.
        for name in ("reference_sqls", "pool"):
            value = getattr(self, name)
            if isinstance(value, str):
                object.__setattr__(self, name, (value,))
            elif isinstance(value, list):
                object.__setattr__(self, name, tuple(value))
            elif not isinstance(value, tuple):
                raise TypeError(f"Case({name}=…) is a tuple of texts, not {type(value).__name__}")

    @property
    def key(self) -> tuple[str, str, str]:
        """What this case is known by."""
        return (self.benchmark, self.id, self.source)

    @property
    def name(self) -> str:
        """The key as people type it: the parts that are not empty, joined by a slash."""
        return "/".join(part for part in self.key if part)

    def to_dict(self) -> dict[str, Json]:
        """A JSON object; :meth:`from_dict` turns it back into an equal case."""
        out: dict[str, Json] = {}
        for name in self.__slots__:
            value = getattr(self, name)
            if name == "predicted_sql":
                if value is not MISSING:
                    out[name] = value
            elif name == "reference_sqls":
                out[name] = list(value)
            elif name == "pool":
                out |= {name: list(value)} if value else {}
            elif value is not None and value != "" and value != {}:
                out[name] = dict(value) if name == "extra" else value
        return out

    @classmethod
    def from_dict(cls, data: Mapping[str, Json]) -> Case:
        """The inverse of :meth:`to_dict`."""
        fields: dict[str, Any] = dict(data)
        for name in ("reference_sqls", "pool"):
            fields[name] = tuple(fields.get(name, ()))
        return cls(**fields)

    def fingerprint(self) -> str:
        """A sha256 over all a judge may look at: equal fingerprints, equal verdicts."""
        judged = [getattr(self, name) for name in _JUDGED]
        if self.pool:
            judged.append(["pool", *self.pool])
        if self.schema_sql is not None:
            judged.append({"schema_sql": self.schema_sql})
        # MISSING is no JSON value: a list stands for it, which no field can be.
        text = json.dumps([[] if value is MISSING else value for value in judged])
        return hashlib.sha256(text.encode()).hexdigest()
