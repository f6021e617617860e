"""Error codes of the browser app: what is wrong, and what to do about it."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "SJ451": (
        "a port that cannot be listened on",
        "Another program listens there, or ports below 1024 are not allowed. Without --port a free "
        "one is taken.",
    ),
}
