"""A question with its names, values and numbers masked: what is left is the same in all domains."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sqljury.judges.verifier_features.question import QuestionWords, name_stems
from sqljury.schema import Schema

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
