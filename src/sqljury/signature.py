"""The signature under a number: what computed it, and the value of all that it depends on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqljury.version import __version__


@dataclass(frozen=True, slots=True)
class Signature:
    """What computed a number, and fields with the settings, versions and data that it depends on.

    >>> signature = Signature.parse("execution:spider|n:{n}|tol:0|data:9f3c")
    >>> signature.get("tol")
    '0'
    >>> str(signature.replaced(n=972, data=None, seed=1))
    'execution:spider|n:972|tol:0|seed:1'
    """

    head: str
    """The name of a judge or a use."""
    fields: tuple[tuple[str, str], ...] = ()
    """Names and values, in the printed order."""

    @classmethod
    def of(cls, head: str, fields: Iterable[tuple[str, object]]) -> Signature:
        """A signature; a field whose value is None is left out."""
        return cls(head, tuple((name, str(value)) for name, value in fields if value is not None))

    @classmethod
    def parse(cls, text: str) -> Signature:
        """The signature that was printed as ``text``."""
        head, *parts = text.split("|")
        fields: list[tuple[str, str]] = []
        for part in parts:
            name, colon, value = part.partition(":")
            if colon:
                fields.append((name, value))
            elif fields:  # the bar is part of a value
                fields[-1] = (fields[-1][0], f"{fields[-1][1]}|{part}")
            else:
                head += f"|{part}"
        return cls(head, tuple(fields))

    def get(self, name: str) -> str | None:
        """The value of a field; None if there is no such field."""
        return dict(self.fields).get(name)

    def replaced(self, **values: object) -> Signature:
        """The signature with other values: None removes a field, a new one is added at the end."""
        known = dict(self.fields)
        added = [(name, value) for name, value in values.items() if name not in known]
        kept = [(name, values.get(name, value)) for name, value in self.fields]
        return Signature.of(self.head, [*kept, *added])

    def __str__(self) -> str:
        return "|".join([self.head, *(f"{name}:{value}" for name, value in self.fields)])


def signed(head: str, *fields: tuple[str, object]) -> str:
    """The printed signature of a use of verdicts; the version of sqljury is its last field.

    >>> signed("agree", ("judges", 2)).rpartition(":")[0]
    'agree|judges:2|sqljury'
    """
    return str(Signature.of(head, [*fields, ("sqljury", __version__)]))


def with_fields(signature: str, **values: object) -> str:
    """A printed signature with other values; see :meth:`Signature.replaced`."""
    return str(Signature.parse(signature).replaced(**values))
