"""Result tables that come from files instead of a database: references, and predicted results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

Cell = bool | int | float | str | None

T = TypeVar("T", bound="StoredTable")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTable:
    """A result table as a file has it.

    >>> StoredTable(columns=("n",), rows=((1,), (None,))).width
    1
    """

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    is_text: bool = False
    """True for the cells of a CSV file: texts, whose types the file does not say."""
    name: str = ""
    """The file's name."""
    problem: str = ""
    """Why there is no table: the file cannot be read as one. Empty if there is a table."""
    too_large: bool = False
    """True if the problem is the file's size."""

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.columns)

    def to_dict(self) -> dict[str, Any]:
        """A JSON object of the fields that differ from their defaults."""
        out: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                out[field.name] = [*value] if isinstance(value, tuple) else value
        return out

    @classmethod
    def from_dict(cls: type[T], data: Mapping[str, Any]) -> T:
        """The table from a JSON object that :meth:`to_dict` made."""
        found: dict[str, Any] = dict(data)
        found["columns"] = tuple(found.get("columns", ()))
        found["rows"] = tuple(map(tuple, found.get("rows", ())))
        if found.get("counted") is not None:
            found["counted"] = tuple(found["counted"])
        return cls(**found)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceTable(StoredTable):
    """A result table that answers the question, and what of it a prediction must have."""

    counted: tuple[int, ...] | None = None
    """The columns that count, by their positions from 0: a prediction must have all of them. None
    if the benchmark does not say it: then all count, and the policy decides on extra columns."""
    ordered: bool = False
    """True if the order of the rows counts."""
