"""The words, numbers, quoted texts and conditions in a question or its hint."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from sqljury.schema import Schema

_OPERATOR = r"(?P<operator>>=|<=|<>|!=|==|=|>|<|\blike\b)"
_VALUE = r"(?P<value>'(?:[^']|'')*'|\"[^\"]*\"|‘[^’]*’|-?\d+(?:\.\d+)?(?![\w./-]))"


@dataclass(frozen=True, slots=True)
class HintCondition:
    """``column operator value``, the column as the schema spells it."""

    column: str
    operator: str
    value: str
    """The constant without quotation marks."""
    is_text: bool
    text: str
    """The condition as written in the hint."""


@lru_cache(maxsize=1024)
def _names(schema_columns: tuple[str, ...]) -> re.Pattern[str]:
    by_length = sorted(schema_columns, key=len, reverse=True)
    names = "|".join(re.escape(name) for name in by_length)
    return re.compile(
        rf"(?<![\w(])[`\"']?(?P<column>{names})[`\"']?\s*{_OPERATOR}\s*{_VALUE}", re.IGNORECASE
    )


def hint_conditions(hint: str, schema: Schema) -> tuple[HintCondition, ...]:
    """The conditions ``column operator value`` in a hint, in its order.

    >>> from sqljury.databases import schema_from_ddl
    >>> schema = schema_from_ddl("CREATE TABLE t (Charter INTEGER)")
    >>> hint_conditions("charter schools refers to charter = 1", schema)[0].text
    'charter = 1'
    """
    if not hint:
        return ()
    return tuple(
        HintCondition(
            _spelled(found["column"], schema),
            {"==": "=", "!=": "<>"}.get(found["operator"].lower(), found["operator"].upper()),
            found["value"].strip("'\"‘’").replace("''", "'"),
            not found["value"][-1].isdigit(),
            found[0].strip(),
        )
        for found in _names(_column_names(schema)).finditer(hint)
    )


def _column_names(schema: Schema) -> tuple[str, ...]:
    return tuple(sorted({column.name for table in schema.tables for column in table.columns}))


def _spelled(name: str, schema: Schema) -> str:
    known = (column.name for table in schema.tables for column in table.columns)
    return next(one for one in known if one.casefold() == name.casefold())


_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?|\d+")
_NUMBER = re.compile(r"(?<![\w.,/:-])-?\d[\d,]*(?:\.\d+)?(?![\w/:-]|[.,]\d)")
_QUOTED = re.compile(
    r"\"([^\"]+)\"|“([^”]+)”|(?<!\w)['‘’`]{1,2}((?:[^'‘’`\"]|(?<=\w)['’](?=s?\s?\w))+?)['’`]{1,2}(?!\w)"
)
_NAMED_NUMBERS = {
    **{
        word: n
        for n, word in enumerate(
            ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
        )
    },
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "twenty": 20,
    "thirty": 30,
    "fifty": 50,
    "once": 1,
    "twice": 2,
    "both": 2,
    "hundred": 100,
    "thousand": 1000,
    "million": 1_000_000,
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "half": 0.5,
    "dozen": 12,
}
_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)


class Wording:
    """The words, numbers and quoted texts of an English text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lower = " ".join(text.lower().split())

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Its words and whole numbers in lower case, in order."""
        return tuple(word.lower() for word in _WORD.findall(self.text))

    @cached_property
    def stems(self) -> frozenset[str]:
        """Its words without the endings of plurals and verbs."""
        return frozenset(stem(word) for word in self.words)

    @cached_property
    def digits(self) -> tuple[float, ...]:
        """The numbers that are written in digits."""
        found = (text.replace(",", "") for text in _NUMBER.findall(self.text))
        return tuple(float(text) for text in found if text not in ("", "-"))

    @cached_property
    def numbers(self) -> frozenset[float]:
        """All numbers: in digits, in words, and the numbers of months that are named."""
        named = {float(_NAMED_NUMBERS[word]) for word in self.words if word in _NAMED_NUMBERS}
        months = {float(_MONTHS.index(word) + 1) for word in self.words if word in _MONTHS}
        loose = {float(text) for text in re.findall(r"\d+(?:\.\d+)?", self.text)}
        return frozenset(self.digits) | named | months | loose

    @cached_property
    def quoted(self) -> tuple[str, ...]:
        """The texts in quotation marks."""
        found = ("".join(parts).strip() for parts in _QUOTED.findall(self.text))
        return tuple(text for text in found if text)

    @cached_property
    def counted(self) -> frozenset[str]:
        """The stems of the one to five words after the first "how many" or "number of"."""
        found = re.search(r"(?:how many|number of)((?: \w+){1,5})", self.lower)
        return frozenset(stem(word) for word in found[1].split()) if found else frozenset()

    def says(self, pattern: str) -> bool:
        """True if a regular expression matches whole words of the text, in any case."""
        return re.search(rf"\b(?:{pattern})\b", self.lower) is not None

    def names(self, name: str) -> bool:
        """True if all words of a schema's name occur, with any endings."""
        parts = name_stems(name)
        return bool(parts) and all(part in self.stems for part in parts)

    def mentions_text(self, value: str) -> bool:
        """True if the text contains a value, all of its words, or their abbreviations."""
        low = value.lower().strip("% ")
        if not low or low in self.lower:
            return True
        words = [stem(word) for word in re.findall(r"[a-z]+|\d+", low)]
        return bool(words) and all(self._near(word) for word in words)

    def _near(self, word: str) -> bool:
        return any(own == word or _is_short_for(word, own) for own in self.stems) or (
            word in self._initials
        )

    @cached_property
    def _initials(self) -> frozenset[str]:
        """The initials of every two to four words in a row, without "of", "the" and "and"."""
        words = [word for word in self.words if word not in ("of", "the", "and")]
        runs = (words[i : i + n] for n in (2, 3, 4) for i in range(len(words)))
        return frozenset("".join(word[0] for word in run) for run in runs)


def _is_short_for(a: str, b: str) -> bool:
    """True if two words have the same four first letters, or one is the other with letters left
    out (asst, assistant)."""
    if min(len(a), len(b)) >= 4 and a[:4] == b[:4]:
        return True
    short, long = sorted((a, b), key=len)
    letters = iter(long)
    return len(short) >= 2 and short[0] == long[0] and all(c in letters for c in short)


def stem(word: str) -> str:
    """A word without the ending of a plural: ``countries`` is ``countri`` as ``country`` is."""
    word = word.lower().removesuffix("'s")
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "i"
    if word.endswith("y") and len(word) > 3:
        return word[:-1] + "i"
    if word.endswith(("ses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def name_stems(name: str) -> list[str]:
    """The stems of the words of a schema's name: ``Song_Name``, ``songName``, ``song name``."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)
    return [stem(part) for part in parts]
