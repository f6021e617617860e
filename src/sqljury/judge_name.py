"""A judge's name as users write it: the judge, its variant and its options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from sqljury.errors import InputError

_QUOTED: Final = r'"((?:[^"]|"")*)"'


@dataclass(frozen=True, slots=True)
class JudgeName:
    """A judge's name of the form ``NAME[:VARIANT][,key=value…]``.

    A value that contains a comma or begins with a quote is written in double quotes, as in CSV:
    ``""`` inside stands for one ``"``.

    >>> name = JudgeName.parse('rose,model=openai:o3,criteria="ties, too"')
    >>> name.name, name.option("criteria")
    ('rose', 'ties, too')
    >>> str(name.with_options(rows="5"))
    'rose,model=openai:o3,criteria="ties, too",rows=5'
    """

    name: str
    """The name of a registered judge, or ``package.module:Class`` or ``file.py:Class``."""
    variant: str = ""
    """Empty if the name has none; a judge that is imported never has one."""
    options: tuple[tuple[str, str], ...] = ()
    """Keys and values as text, in the order of the name; each key once."""

    @classmethod
    def parse(cls, text: str, separator: str = ",") -> JudgeName:
        """Parse a name.

        Args:
            separator: the character between the options: ``;`` for a name inside an option's value.

        Raises:
            InputError: SJ304: an option is not ``key=value``, or a quoted value does not end.
        """
        name, variant, rest = _head(text, separator)
        return cls(name, variant, tuple(dict(_options(rest, separator, text)).items()))

    @property
    def is_imported(self) -> bool:
        """True if it names a class in a module or file instead of a registered judge."""
        return _is_path(self.name)

    def option(self, key: str) -> str | None:
        """The value of an option as text; None if it is not given."""
        return dict(self.options).get(key)

    def with_options(self, **options: str) -> JudgeName:
        """The same judge with these options added; they replace options of the same key."""
        return replace(self, options=tuple({**dict(self.options), **options}.items()))

    def text(self, separator: str = ",") -> str:
        """The name as text, which :meth:`parse` reads."""
        head = _written(self.name, separator)
        if self.variant:
            head += f":{_written(self.variant, f'{separator}/')}"
        return separator.join(
            [head, *(f"{key}={_written(value, separator)}" for key, value in self.options)]
        )

    def __str__(self) -> str:
        return self.text()


def _head(text: str, separator: str) -> tuple[str, str, str]:
    """The name, the variant, and the rest from the first separator on."""
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
                f"{rest[at:].removeprefix(separator)!r} is not an option key=value.",
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
    """A value, in quotes if it begins with one or contains a special character."""
    if value.startswith('"') or any(sign in value for sign in special):
        return '"' + value.replace('"', '""') + '"'
    return value


def _unquoted(value: str | None) -> str:
    return (value or "").replace('""', '"')


def _is_path(name: str) -> bool:
    return "." in name.partition(":")[0] or "/" in name
