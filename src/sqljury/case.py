"""A case: one question, one predicted query, and what is known about them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from sqljury.stored_table import ReferenceTable, StoredTable

Json = object
"""A value from JSON (None, bool, int, float, str, list, dict); its users narrow the type."""


class Missing(Enum):
    """The type of :data:`MISSING`: no prediction at all, no key, line or row; no abstention."""

    MISSING = "missing"

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing.MISSING

# The fields a judge may read. The others (label, difficulty, …) can change without making a stored
# verdict stale.
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
    """A question, the SQL that a model wrote for it, and whatever else is known.

    Everything but ``id`` is optional. A case is identified by benchmark, id and source, as ids
    repeat across files.

    References are SQL texts or result tables; a prediction is SQL or a result table. Besides text,
    ``predicted_sql`` can be ``None`` for an abstention (JSON null or the format's
    abstain token), or :data:`MISSING` if there is no prediction. An empty string is a prediction
    that cannot run.

    >>> Case(id="7", db_id="shop", predicted_sql="SELECT 1", reference_sqls=("SELECT 1",)).key
    ('', '7', '')
    """

    id: str
    db_id: str = ""
    schema_sql: str | None = None
    """CREATE TABLE statements, if the case itself has its schema."""
    question: str | None = None
    predicted_sql: str | Missing | None = MISSING
    reference_sqls: tuple[str, ...] = ()
    reference_tables: tuple[ReferenceTable, ...] = ()
    """Right results, any of which is enough. If there are any, rows are compared with these, and
    ``reference_sqls`` is only for judges that read SQL."""
    predicted_table: StoredTable | None = None
    """The result of a prediction whose SQL is not known."""
    pool: tuple[str | None, ...] = ()
    """All candidates sampled for the question, the prediction included; None is an abstention."""
    hint: str | None = None
    """External knowledge given with the question (BIRD and ROSE call it evidence)."""
    criteria: str | None = None
    """Acceptance criteria, if the benchmark states them."""
    difficulty: str | None = None
    label: bool | None = None
    """The human label: the prediction answers the question (True) or does not (False)."""
    answerable: bool | None = None
    benchmark: str = ""
    source: str = ""
    """Where the prediction is from: a system, a file, a sample number."""
    extra: Mapping[str, Json] = field(default_factory=dict)
    """Other values from the file, under its own key names."""
    origin: str = ""
    """The place it was read from, ``file:line``, for error messages."""

    def __post_init__(self) -> None:
        # One reference is often given as a text; tuple() would split it into letters.
        for name in ("reference_sqls", "reference_tables", "pool"):
            value = getattr(self, name)
            if isinstance(value, str | ReferenceTable):
                object.__setattr__(self, name, (value,))
            elif isinstance(value, list):
                object.__setattr__(self, name, tuple(value))
            elif not isinstance(value, tuple):
                what = "tables" if name == "reference_tables" else "texts"
                raise TypeError(f"Case({name}=…) is a tuple of {what}, not {type(value).__name__}")

    @property
    def key(self) -> tuple[str, str, str]:
        """Benchmark, id and source, which identify the case."""
        return (self.benchmark, self.id, self.source)

    @property
    def name(self) -> str:
        """The parts of the key that are not empty, joined by slashes, as people type it."""
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
            elif name == "reference_tables":
                out |= {name: [table.to_dict() for table in value]} if value else {}
            elif name == "predicted_table":
                out |= {name: value.to_dict()} if value is not None else {}
            elif name == "pool":
                out |= {name: list(value)} if value else {}
            elif value is not None and value != "" and value != {}:
                out[name] = dict(value) if name == "extra" else value
        return out

    @classmethod
    def from_dict(cls, data: Mapping[str, Json]) -> Case:
        """The case from a JSON object that :meth:`to_dict` made."""
        fields: dict[str, Any] = dict(data)
        for name in ("reference_sqls", "pool"):
            fields[name] = tuple(fields.get(name, ()))
        given = fields.get("reference_tables", ())
        fields["reference_tables"] = tuple(ReferenceTable.from_dict(table) for table in given)
        if fields.get("predicted_table") is not None:
            fields["predicted_table"] = StoredTable.from_dict(fields["predicted_table"])
        return cls(**fields)

    def fingerprint(self) -> str:
        """A SHA-256 of all that a judge may read: equal fingerprints, equal verdicts."""
        judged = [getattr(self, name) for name in _JUDGED]
        if self.pool:
            judged.append(["pool", *self.pool])
        if self.schema_sql is not None:
            judged.append({"schema_sql": self.schema_sql})
        if self.reference_tables:
            judged.append({"reference_tables": [one.to_dict() for one in self.reference_tables]})
        if self.predicted_table is not None:
            judged.append({"predicted_table": self.predicted_table.to_dict()})
        # JSON has no MISSING: an empty list stands for it, which no field can be.
        text = json.dumps([[] if value is MISSING else value for value in judged])
        return hashlib.sha256(text.encode()).hexdigest()
