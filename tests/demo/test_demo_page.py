"""docs/demo.md says what the cases say."""

from __future__ import annotations

from typing import Any

from demo_table import PAGE, with_table


def test_the_table_of_cases_is_in_step(demo_cases: list[dict[str, Any]]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    # To write it anew: python tests/demo/demo_table.py
    assert with_table(page, demo_cases) == page


def test_the_counts_are_in_step(demo_cases: list[dict[str, Any]]) -> None:
    right = sum(case["label"] for case in demo_cases)
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"{len(demo_cases)} cases, {right} of which answer the question" in page
