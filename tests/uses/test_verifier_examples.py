"""Which key of a candidate says what is right."""

from __future__ import annotations

import pytest

from sqljury.case import Case
from sqljury.uses.train.verifier_examples import label_of


@pytest.mark.parametrize(
    ("extra", "key", "expected"),
    [
        ({"correct": True}, "", True),  # as `sqljury label` writes it
        ({"correct": False}, "", False),
        ({"label": "incorrect", "correct": True}, "", False),
        ({"label": None, "correct": True}, "", True),
        ({"ex": 1, "correct": False}, "ex", True),
        ({"correct": True}, "ex", None),
        ({}, "", None),
    ],
)
def test_label_of(extra, key, expected):
    assert label_of(Case(id="1", db_id="shop", extra=extra), key) is expected
