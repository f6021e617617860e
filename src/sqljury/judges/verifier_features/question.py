"""A question as words: stems, numbers, names; masked, too."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache

from sqljury.schema import Schema
from sqljury.sql.names import singular, words

_TOKEN = re.compile(r"[A-Za-z]+(?:'[a-z]+)?|\d+(?:[.,]\d+)*")
_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|(?<!\w)'([^']+)'(?!\w)|‘([^’]+)’")
_NUMBERS = {
    "zero": "0",
    "one": "1",
    "once": "1",
    "two": "2",
    "twice": "2",
    "both": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
}
_ENDINGS = ("ing", "ed", "ly", "e")
_SUFFIXES = ("name", "date", "code", "type", "time", "num", "id", "no")
_ABBREVIATED = {
    "acc": "account",
    "addr": "address",
    "amt": "amount",
    "avg": "average",
    "cust": "customer",
    "dept": "department",
    "desc": "description",
    "dob": "birth",
    "emp": "employee",
    "f": "first",
    "fname": "first name",
    "l": "last",
    "lat": "latitude",
    "lname": "last name",
    "long": "longitude",
    "max": "maximum",
    "min": "minimum",
    "no": "number",
    "num": "number",
    "org": "organization",
    "prof": "professor",
    "qty": "quantity",
    "stu": "student",
    "tel": "telephone",
}


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """The words of a question, one after the other, and what stands out among them."""

    text: str
    words: tuple[str, ...]
    """In lower case."""
    stems: tuple[str, ...]
    numbers: tuple[str, ...]
    """Digits as written, and small numbers in words as digits."""
    quoted: tuple[str, ...]
    names: tuple[str, ...]
    """Words with a capital letter that do not begin a sentence."""


@lru_cache(maxsize=1024)
def read_question(text: str) -> QuestionWords:
    """The words of a question.

    >>> read_question('How many dogs are named "Rex"?').quoted
    ('Rex',)
    """
    found = [(match.group(), match.start()) for match in _TOKEN.finditer(text)]
    lower = tuple(word.lower().removesuffix("'s") for word, _ in found)
    numbers = tuple(
        _NUMBERS.get(word, word.replace(",", ""))
        for word in lower
        if word[0].isdigit() or word in _NUMBERS
    )
    quoted = tuple(
        next(filter(None, groups)).strip() for groups in _QUOTED.findall(text) if any(groups)
    )
    begins = {0} | {match.end() for match in re.finditer(r"[.?!]\s+", text)}
    names = tuple(word for word, at in found if word[0].isupper() and at not in begins)
    return QuestionWords(text, lower, tuple(map(stem, lower)), numbers, quoted, names)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word without its ending, so that forms of one word meet.

    >>> [stem(word) for word in ("ages", "cities", "ordered", "ordering", "order", "name")]
    ['ag', 'city', 'order', 'order', 'order', 'nam']
    """
    word = singular(word)
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= (2 if ending == "e" else 4):
            word = word[: -len(ending)]
    return word


@lru_cache(maxsize=65536)
def name_stems(name: str) -> tuple[str, ...]:
    """The stems of an identifier's words, well-known abbreviations spelled out.

    >>> name_stems("stu_fname"), name_stems("deptid")
    (('student', 'first', 'nam'), ('department', 'id'))
    """
    out: list[str] = []
    for word in words(name):
        for part in _parts(word):
            out += (stem(one) for one in _ABBREVIATED.get(part, part).split())
    return tuple(dict.fromkeys(out))


def _parts(word: str) -> tuple[str, ...]:
    """``stuid`` is ``stu id``; a word that merely ends so (``said``) mostly is no column's."""
    if word in _ABBREVIATED:
        return (word,)
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) > 2:
            return (word[: -len(suffix)], suffix)
    return (word,)


@lru_cache(maxsize=262144)
def likeness(name: str, said: str) -> float:
    """How alike a stem of a name and one of a question are: 1 the same, less for a common start."""
    if name == said:
        return 1.0
    short, long = sorted((name, said), key=len)
    if len(short) >= 3 and long.startswith(short):
        return 0.5 + 0.5 * len(short) / len(long)
    common = 0
    for a, b in zip(name, said, strict=False):
        if a != b:
            break
        common += 1
    return 0.6 if common >= 5 and common >= 0.6 * len(long) else 0.0


LONGEST = 4
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_SMALL_TEXT = """
a all an and any are as at average be by count different do does each every for from give has
have having how in is it list many maximum minimum more most name names no not number of on or
order show than that the their them there they to total what when where which who whose with
year years
"""
_SMALL = frozenset(_SMALL_TEXT.split())
"""Words of questions that are left even where a column is called so."""


def masked_words(question: QuestionWords, schema: Schema) -> list[str]:
    """The words of a question, ``T``, ``C``, ``V``, ``N`` for tables, columns, values, numbers."""
    tables = {one for table in schema.tables for one in name_stems(table.name)}
    columns = {one for t in schema.tables for c in t.columns for one in name_stems(c.name)}
    values = {word.lower() for word in question.names}
    values |= {word.lower() for text in question.quoted for word in text.split()}
    out: list[str] = []
    for word, stem in zip(question.words, question.stems, strict=True):
        mask = _mask(word, stem, tables, columns, values)
        if not (out and out[-1] == mask and mask in ("T", "C", "V")):
            out.append(mask)
    return out


def _mask(
    word: str, stem: str, tables: Collection[str], columns: Collection[str], values: Collection[str]
) -> str:
    if word[0] not in _LETTERS:
        return "N"
    if word in values:
        return "V"
    if word in _SMALL:
        return word
    if stem in tables:
        return "T"
    return "C" if stem in columns else word


def ngrams(words: list[str]) -> Iterator[str]:
    """All runs of one to four words, the ends marked."""
    padded = ["^", *words, "$"]
    for n in range(1, LONGEST + 1):
        yield from (" ".join(padded[i : i + n]) for i in range(len(padded) - n + 1))
