"""Writes CSV that is safe to open in spreadsheets, which run texts that look like formulas."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from typing import Any, TextIO

# A text that begins so is a formula to Excel, LibreOffice or Google Sheets. An apostrophe at its
# beginning is doubled, so that reading can tell it from one that was added.
_FORMULA = re.compile("['=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


class _Unix:
    """Writes rows to a file, with \\n instead of \\r\\n at their ends."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, row: str) -> int:
        return self._file.write(row.removesuffix("\r\n") + "\n")


class SafeRows:
    """Writes CSV rows whose texts a spreadsheet does not run as formulas; numbers stay numbers."""

    def __init__(self, file: TextIO) -> None:
        # Python quotes the characters of its line terminator. A lone \r ends a row in spreadsheets,
        # so it must be quoted too.
        self._rows = csv.writer(_Unix(file), lineterminator="\r\n")

    def write(self, cells: Iterable[Any]) -> None:
        """Write one row."""
        self._rows.writerow([as_text(cell) if isinstance(cell, str) else cell for cell in cells])


def as_text(text: str) -> str:
    """The text for a cell that a spreadsheet shows and does not run as a formula.

    >>> [as_text(text) for text in ("=1+1", "-1", "-x", "'tis", "plain")]
    ["'=1+1", '-1', "'-x", "''tis", 'plain']
    """
    if _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def as_it_was(cell: str) -> str:
    """The original text of a cell that :func:`as_text` made.

    >>> [as_it_was(as_text(text)) for text in ("=1+1", "-1", "'tis", "'", "''=1", "")]
    ['=1+1', '-1', "'tis", "'", "''=1", '']
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell, 1) else cell
