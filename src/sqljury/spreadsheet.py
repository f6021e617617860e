"""Texts in CSV files that people open in spreadsheets, which run what begins like a formula."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from typing import Any, TextIO

# What begins so is a formula to Excel, LibreOffice or Google Sheets; an apostrophe before it is
# told apart by a second one.
_FORMULA = re.compile("['=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


class _Unix:
    """A file of rows that end in \\n alone."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, row: str) -> int:
        return self._file.write(row.removesuffix("\r\n") + "\n")


class SafeRows:
    """Writes rows of CSV in which no text is a formula; numbers stay numbers."""

    def __init__(self, file: TextIO) -> None:
        # Python quotes the characters that end its own rows: a lone \r ends one for spreadsheets.
        self._rows = csv.writer(_Unix(file), lineterminator="\r\n")

    def write(self, cells: Iterable[Any]) -> None:
        """One row."""
        self._rows.writerow([as_text(cell) if isinstance(cell, str) else cell for cell in cells])


def as_text(text: str) -> str:
    """A cell that a spreadsheet shows and does not run.

    >>> [as_text(text) for text in ("=1+1", "-1", "-x", "'tis", "plain")]
    ["'=1+1", '-1', "'-x", "''tis", 'plain']
    """
    if _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def as_it_was(cell: str) -> str:
    """What :func:`as_text` was given.

    >>> [as_it_was(as_text(text)) for text in ("=1+1", "-1", "'tis", "'", "''=1", "")]
    ['=1+1', '-1', "'tis", "'", "''=1", '']
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell, 1) else cell
