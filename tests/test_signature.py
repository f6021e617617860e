"""A printed signature reads back as the same value; fields are replaced in their place."""

from __future__ import annotations

import pytest

from sqljury.signature import Signature, with_fields


@pytest.mark.parametrize(
    ("text", "head", "fields"),
    [
        ("relpm", "relpm", {}),
        (
            "execution:spider|v:2|n:{n}|tol:0",
            "execution:spider",
            {"v": "2", "n": "{n}", "tol": "0"},
        ),
        ("trust|gate:a>=1|gate:b>=0.5", "trust", {"gate": "b>=0.5"}),
        ("verifier,model=a|b|v:1", "verifier,model=a|b", {"v": "1"}),
        ("x|labels:a|b|data:9:f", "x", {"labels": "a|b", "data": "9:f"}),
    ],
)
def test_read_and_printed(text: str, head: str, fields: dict[str, str]) -> None:
    found = Signature.parse(text)
    assert (found.head, dict(found.fields), str(found)) == (head, fields, text)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"n": 3}, "e|execution:2|n:3|data:ab"),
        ({"n": None}, "e|execution:2|data:ab"),
        ({"overlay": "cd", "db": None}, "e|execution:2|n:{n}|data:ab|overlay:cd"),
    ],
)
def test_replaced(values: dict[str, object], expected: str) -> None:
    assert with_fields("e|execution:2|n:{n}|data:ab", **values) == expected
