"""The page on audits lists every check, with what it says of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqljury.faults import Check, all_checks

_PAGE = (Path(__file__).parents[2] / "docs" / "audit.md").read_text("utf-8")


@pytest.mark.parametrize("check", all_checks(), ids=lambda check: check.code)
def test_every_check_is_listed(check: Check) -> None:
    (row,) = (line for line in _PAGE.splitlines() if line.startswith(f"| {check.code} "))
    assert f"`{check.name}`" in row
    assert check.title.replace("|", "&#124;") in row
    assert ("(hint)" in row) == check.weak
    assert row.endswith(f"| {check.read[0]} of {check.read[1]} |" if check.read[1] else "| – |")
