"""Error codes of the demonstration: what is wrong, and what to do about it."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "SJ010": (
        "a file is in the way of the demonstration",
        "The demonstration replaces only files that it wrote itself and that nobody changed "
        "since. Move the file away, or choose another folder; nothing was written.",
    ),
}
