"""Figures of a part, with what says which part it is."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")


def widened(kind: type[T], figures: DataclassInstance, **own: object) -> T:
    """A value of a class that adds fields to those of ``figures``."""
    shared: dict[str, Any] = {one.name: getattr(figures, one.name) for one in fields(figures)}
    return kind(**shared, **own)
