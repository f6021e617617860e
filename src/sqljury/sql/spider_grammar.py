"""Finds the parts of a query that Spider's evaluation script ignores.

The script has its own parser for the queries that Spider's authors wrote, and its exact set match
compares what that parser returns: a query outside of its grammar counts as wrong, and parts that it
skips do not count. The grammar differs from SQLite's in these points:

- there is one statement; text after its end is ignored
- tables are joined only by JOIN and renamed only by AS; columns cannot be renamed
- a quoted name is a string
- columns are resolved in the tables of their own SELECT only; a table alias is valid everywhere
- an expression has at most two columns with one operator; max, min, count, sum and avg take one
  column
- a condition has a column on its left; after a column on its right, everything up to AND or the
  next clause is skipped

Source: Yu et al. 2018 (Spider), the evaluation script's behaviour.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from sqljury.schema import Schema

_WORDS = re.compile(
    r"""(?P<text>"[^"]*") | [!<>]\s*= | `+ | [()\[\]{}<>?!;@#$%&] | ,(?!\d) | --
    | (?:(?!--)[^\s"`()\[\]{}<>?!;@#$%&,] | ,(?=\d))+""",
    re.VERBOSE,
)
_CLAUSES = frozenset(
    {"select", "from", "where", "group", "order", "limit", "intersect", "union", "except"}
)
_JOINS = frozenset({"join", "on", "as"})
_SETS = frozenset({"intersect", "union", "except"})
_AGGREGATES = frozenset({"none", "max", "min", "count", "sum", "avg"})
_ARITHMETIC = frozenset({"none", "-", "+", "*", "/"})
_COMPARISONS = frozenset(
    {"not", "between", "=", ">", "<", ">=", "<=", "!=", "in", "like", "is", "exists"}
)
_ENDS = _CLAUSES | {")", ";"}


class OutsideGrammarError(ValueError):
    """Raised for a query that the script's parser rejects; the message says why."""


def as_read(sql: str, schema: Schema) -> str:
    """The query without the parts that the script skips.

    Raises:
        OutsideGrammarError: the script cannot parse it.
    """
    reader = _Reader(_words(sql), schema)
    end = reader.query(0)
    if end < len(reader.words):
        reader.passed_over.append((end, len(reader.words)))
    return reader.without(sql, reader.passed_over)


class _Word(NamedTuple):
    text: str
    start: int
    end: int


def _words(sql: str) -> list[_Word]:
    """The script's tokens: single quotes become double ones, and a string is one token."""
    quoted = sql.replace("'", '"')
    if quoted.count('"') % 2:
        raise OutsideGrammarError("a quote is not closed")
    return [
        _Word(
            found.group() if found["text"] else re.sub(r"\s", "", found.group()).lower(),
            *found.span(),
        )
        for found in _WORDS.finditer(quoted)
    ]


class _Reader:
    """Parses the words; every reading method takes the index of the first word and returns the
    index after the last one."""

    def __init__(self, words: list[_Word], schema: Schema) -> None:
        self.words = words
        self.passed_over: list[tuple[int, int]] = []
        """The skipped parts: index of the first word, and index after the last one."""
        self._columns = {
            table.name.lower(): {column.name.lower() for column in table.columns}
            for table in schema.tables
        }
        self._tables = self._names()
        self._near: list[str] = []
        """The tables of the SELECT that is being read."""

    def without(self, sql: str, parts: list[tuple[int, int]]) -> str:
        """The query without some of its words."""
        kept, at = [], 0
        for first, last in sorted(parts):
            kept.append(sql[at : self.words[first].start])
            at = max(at, self.words[last - 1].end)
        return "".join([*kept, sql[at:]]).strip()

    def _names(self) -> dict[str, str]:
        """The table of each name; of several AS with the same name, the last one counts."""
        named = {
            self._word(at + 1): self._word(at - 1)
            for at, word in enumerate(self.words)
            if word.text == "as"
        }
        taken = next((name for name in self._columns if name in named), None)
        if taken is not None:
            raise OutsideGrammarError(f"{taken!r} is a table's name and another name")
        return {**named, **{name: name for name in self._columns}}

    def _word(self, at: int) -> str:
        if not 0 <= at < len(self.words):
            raise OutsideGrammarError("it ends too early")
        return self.words[at].text

    def _is(self, at: int, *texts: str) -> bool:
        return at < len(self.words) and self.words[at].text in texts

    def _expect(self, at: int, text: str) -> int:
        if self._word(at) != text:
            raise OutsideGrammarError(f"{self._word(at)!r} stands where {text!r} should")
        return at + 1

    def _in_brackets(self, at: int, read: Callable[[int], int]) -> int:
        if not self._is(at, "("):
            return read(at)
        return self._expect(read(at + 1), ")")

    # ------------------------------------------------------------ clauses

    def query(self, at: int) -> int:
        """A SELECT with the set operations that follow it."""
        bracket = self._word(at) == "("
        begins = at + bracket
        around, self._near = self._near, []
        at = self._from(begins)
        self._select(begins)
        if self._is(at, "where"):
            at = self._conditions(at + 1)
        if self._is(at, "group"):
            at = self._list(self._expect(at + 1, "by"), self._column)
        if self._is(at, "having"):
            at = self._conditions(at + 1)
        if self._is(at, "order"):
            at = self._list(self._expect(at + 1, "by"), self._sorted)
        if self._is(at, "limit"):
            self._word(at + 1)
            at += 2
        at = self._semicolons(at)
        if bracket:
            at = self._semicolons(self._expect(at, ")"))
        self._near = around
        return self.query(at + 1) if self._is(at, *_SETS) else at

    def _semicolons(self, at: int) -> int:
        while self._is(at, ";"):
            at += 1
        return at

    def _list(self, at: int, read: Callable[[int], int]) -> int:
        while at < len(self.words) and self._word(at) not in _ENDS:
            at = read(at)
            if not self._is(at, ","):
                break
            at += 1
        return at

    def _sorted(self, at: int) -> int:
        at = self._value(at)
        return at + self._is(at, "asc", "desc")

    def _select(self, at: int) -> None:
        at = self._expect(at, "select")
        at += self._is(at, "distinct")
        while at < len(self.words) and self._word(at) not in _CLAUSES:
            at = self._value(at + self._is(at, *_AGGREGATES))
            at += self._is(at, ",")

    def _from(self, at: int) -> int:
        """Reads FROM and sets the tables in which columns are resolved."""
        while self._word(at) != "from":  # like the script, even if it belongs to a subquery
            at += 1
        at += 1
        while at < len(self.words):
            bracket = self._is(at, "(")
            at += bracket
            if self._is(at, "select"):
                at = self.query(at)
            else:
                at += self._is(at, "join")
                table = self._tables.get(self._word(at), "")
                if table not in self._columns:
                    raise OutsideGrammarError(f"{self._word(at)!r} is no table")
                at += 3 if self._is(at + 1, "as") else 1
                self._near.append(table)
            if self._is(at, "on"):
                at = self._conditions(at + 1)
            if bracket:
                at = self._expect(at, ")")
            if self._is(at, *_ENDS):
                break
        return at

    # ------------------------------------------------------------ conditions and values

    def _conditions(self, at: int) -> int:
        while at < len(self.words):
            at = self._value(at)
            at += self._word(at) == "not"
            comparison = self._word(at)
            if comparison not in _COMPARISONS:
                raise OutsideGrammarError(f"{comparison!r} is no comparison")
            at = self._right(at + 1)
            if comparison == "between":
                at = self._right(self._expect(at, "and"))
            if self._is(at, *_ENDS, *_JOINS):
                break
            at += self._is(at, "and", "or")
        return at

    def _right(self, at: int) -> int:
        return self._in_brackets(at, self._compared)

    def _compared(self, at: int) -> int:
        """A query, a string or a number; otherwise a column, and what follows it is skipped."""
        word = self._word(at)
        if word == "select":
            return self.query(at)
        if '"' in word or _is_number(word):
            return at + 1
        end = at
        while end < len(self.words) and self._word(end) not in _CLAUSES | _JOINS | {
            ",",
            ")",
            "and",
        }:
            end += 1
        read = self._column(at)
        if read > end:
            raise OutsideGrammarError("it ends too early")
        if read < end:
            self.passed_over.append((read, end))
        return end

    def _value(self, at: int) -> int:
        return self._in_brackets(at, self._operation)

    def _operation(self, at: int) -> int:
        at = self._column(at)
        return self._column(at + 1) if self._is(at, *_ARITHMETIC) else at

    def _column(self, at: int) -> int:
        """A column, or an aggregate of one."""
        return self._in_brackets(at, self._function)

    def _function(self, at: int) -> int:
        if not self._is(at, *_AGGREGATES):
            return self._name(at + self._is(at, "distinct"))
        at = self._expect(at + 1, "(")
        return self._expect(self._name(at + self._is(at, "distinct")), ")")

    def _name(self, at: int) -> int:
        word = self._word(at)
        of_table, dot, column = word.partition(".")
        if word == "*":
            return at + 1
        known = [self._tables.get(of_table, "")] if dot else self._near
        if not any((column if dot else word) in self._columns.get(name, ()) for name in known):
            raise OutsideGrammarError(
                f"{word!r} is no column of {', '.join(filter(None, known)) or 'a table'}"
            )
        return at + 1


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
