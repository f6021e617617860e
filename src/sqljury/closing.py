"""The base class of values that are closed at the end of a ``with`` block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self


class Closing(ABC):
    """A value with a ``close()``, which a ``with`` block calls at its end."""

    __slots__ = ()

    @abstractmethod
    def close(self) -> None:
        """Release files, connections and workers; the value cannot be used afterwards."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
