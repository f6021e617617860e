"""A judge's name as people write it: which judge, its variant, its options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from sqljury.errors import InputError

_QUOTED: Final = r'"((?:[^"]|"")*)"'


@dataclass(frozen=True, slots=True)
class JudgeName:
    """``NAME[:VARIANT][,key=value…]``; a value that holds a comma stands in double quotes.

    Quotes are those of CSV: a quoted value ends at the next lone ``"``, and ``""`` inside is one
    ``"``. A value needs them where it holds a comma or begins with a quote.

    >>> name = JudgeName.parse('rose,model=openai:o3,criteria="ties, too"')
    >>> name.name, name.option("criteria")
    ('rose', 'ties, too')
    >>> str(name.with_options(rows="5"))
    'rose,model=openai:o3,criteria="ties, too",rows=5'
    """

    name: str
    """Of a judge that is known by name, or ``package.module:Class`` or ``file.py:Class``."""
    variant: str = ""
    """Empty where the name has none; a judge that is imported never has one here."""
    options: tuple[tuple[str, str], ...] = ()
    """Keys, each once, with their values as text, in the order in which they were written."""

    @classmethod
    def parse(cls, text: str, separator: str = ",") -> JudgeName:
        """The name that a text stands for.

        Args:
            separator: between the options; where a name is itself an option's value, ``;``.

        Raises:
            InputError: SJ304: an option is not ``key=value``, or a quoted value does not end.
        """
        name, variant, rest = _head(text, separator)
        return cls(name, variant, tuple(dict(_options(rest, separator, text)).items()))

    @property
    def is_imported(self) -> bool:
        """Whether it names a class of a module or file instead of a known judge."""
        return _is_path(self.name)

    def option(self, key: str) -> str | None:
        """The value of an option as text; None where it is not given."""
        return dict(self.options).get(key)

    def with_options(self, **options: str) -> JudgeName:
        """The same judge with these options, in the place of those of the same key."""
        return replace(self, options=tuple({**dict(self.options), **options}.items()))

    def text(self, separator: str = ",") -> str:
        """As :meth:`parse` reads it."""
        head = _written(self.name, separator)
        if self.variant:
            head += f":{_written(self.variant, f'{separator}/')}"
        return separator.join(
            [head, *(f"{key}={_written(value, separator)}" for key, value in self.options)]
        )

    def __str__(self) -> str:
        return self.text()


def _head(text: str, separator: str) -> tuple[str, str, str]:
    """Name, variant, and the rest from the first separator on."""
    plain, rest = rf'[^{separator}/"][^{separator}/]*', rf"({separator}.*|)"
    known = re.fullmatch(
        rf'([^{separator}:."/]*)(?::(?:{_QUOTED}|({plain}))?)?{rest}', text, re.DOTALL
    )
    if known is not None:
        return known[1], known[3] or _unquoted(known[2]), known[4]
    imported = re.fullmatch(
        rf'(?:{_QUOTED}|([^{separator}"][^{separator}]*)){rest}', text, re.DOTALL
    )
    if imported is None:
        raise _unended(text)
    return imported[2] or _unquoted(imported[1]), "", imported[3]


def _options(rest: str, separator: str, where: str) -> Iterator[tuple[str, str]]:
    """The options of ``,key=value,key=value``."""
    key, plain = rf"{separator}([^{separator}=]*)", rf'[^{separator}"][^{separator}]*'
    option = re.compile(rf"{key}(=)?(?:{_QUOTED}|({plain})?)", re.DOTALL)
    at = 0
    while at < len(rest):
        found = option.match(rest, at)
        if found is None or not found[2]:
            raise InputError(
                "SJ304",
                f"{rest[at:].removeprefix(separator)!r} is no option key=value.",
                where=where,
                hint="See `sqljury list judges`; a value with a comma needs double quotes.",
            )
        at = found.end()
        if not rest.startswith(separator, at) and at < len(rest):
            raise _unended(where)
        yield found[1], found[4] or _unquoted(found[3])


def _unended(where: str) -> InputError:
    return InputError(
        "SJ304",
        "a quoted value does not end.",
        where=where,
        hint='A quote inside is written twice: criteria="the ""best"" one".',
    )


def _written(value: str, special: str) -> str:
    """A value in quotes where it needs them."""
    if value.startswith('"') or any(sign in value for sign in special):
        return '"' + value.replace('"', '""') + '"'
    return value


def _unquoted(value: str | None) -> str:
    return (value or "").replace('""', '"')


def _is_path(name: str) -> bool:
    return "." in name.partition(":")[0] or "/" in name
