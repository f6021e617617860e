"""Processes of these tests are started as in use."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def anew(started_anew: None) -> None:
    """What may differ in a process that was forked is what these tests are about."""
