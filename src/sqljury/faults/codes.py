"""Error codes of audits: what is wrong, and what to do about it."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "SJ345": (
        "no such check",
        "`sqljury audit --checks` takes codes of checks, or beginnings of codes, joined by +: "
        "AU101+AU3. The message lists all codes.",
    ),
}
