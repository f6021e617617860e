"""Error codes: each has one list, and each is raised somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import sqljury
from sqljury.errors import catalogue

_FILES = [*Path(sqljury.__file__).parent.rglob("*.py")]
_LISTS = [file for file in _FILES if file.name in ("codes.py", "errors.py")]


def test_a_code_stands_in_one_list() -> None:
    listed = [
        code
        for file in _LISTS
        for code in re.findall(r'^    "(SJ\d{3})": \(', file.read_text(), flags=re.MULTILINE)
    ]
    assert sorted(listed) == list(catalogue())


def test_every_code_is_raised_and_explained() -> None:
    raised = {
        code
        for file in _FILES
        if file.name != "codes.py"
        for code in re.findall(r'"(?:error: )?(SJ\d{3})[" ]', file.read_text())
    }
    assert raised == set(catalogue())
