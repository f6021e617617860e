"""What is closed at the end of its ``with`` block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self


class Closing(ABC):
    """A value with a ``close()``."""

    __slots__ = ()

    @abstractmethod
    def close(self) -> None:
        """Give back what it holds; it is not used afterwards."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
