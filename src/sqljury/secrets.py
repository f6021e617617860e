"""Collects the secrets that this process knows, and removes them from texts.

An endpoint may send back the key it was given, a driver the password it tried, an error the URL it
could not reach. Every text from outside goes through :func:`redacted` before it is stored or
printed.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any
from urllib.parse import quote, quote_plus, unquote

STARS = "***"
_SHORTEST = 6
"""Shorter values are not redacted: they are ordinary words too."""
_LONG = 12
"""From this length on, a secret is redacted inside longer words too."""

# PWD alone is not among them: it names the current folder.
_NAMES = re.compile(
    r"(API_?KEY|ACCESS_?KEY|SECRET|TOKEN|PASSWORD|PASSWD|CREDENTIALS?)S?$|^MYSQL_PWD$", re.I
)
_URL_PASSWORD = re.compile(r"://[^\s:@/?#]*:([^\s@]+)@")


class Secrets:
    """Some secrets, with methods that remove them from texts."""

    def __init__(self, values: Iterable[str]) -> None:
        self.values = frozenset(value for value in values if len(value) >= _SHORTEST)
        found = {form for value in self.values for form in _forms(value)}
        # The longest first: removing a part of another secret would leave the rest of that one.
        self._forms = sorted(found, key=lambda form: (-len(form), form))

    def are_in(self, text: str) -> bool:
        """True if a text contains any form of any of the secrets."""
        return any(form in text for form in self._forms)

    def redacted(self, text: str) -> str:
        """The text with stars instead of the secrets, in all forms in which they may be written."""
        for form in self._forms:
            if form not in text:
                continue
            if len(form) >= _LONG:
                text = text.replace(form, STARS)
            else:
                text = re.sub(rf"(?<!\w){re.escape(form)}(?!\w)", STARS, text)
        return text

    def redacted_json(self, value: Any) -> Any:
        """A JSON value without the secrets: in texts, in keys, and across the tokens of a list."""
        if isinstance(value, str):
            return self.redacted(value)
        if isinstance(value, Mapping):
            return {self.redacted(str(k)): self.redacted_json(v) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return [self.redacted_json(one) for one in self._without_split(list(value))]
        return value

    def _without_split(self, items: list[Any]) -> list[Any]:
        """A list of tokens with those blanked that a secret spans; other lists unchanged.

        Models report their answers as tokens, so that a secret may be split over several.
        """
        if not all(isinstance(one, dict) and isinstance(one.get("token"), str) for one in items):
            return items
        text = "".join(one["token"] for one in items)
        if not self.are_in(text):
            return items
        spans = [
            match.span() for form in self._forms for match in re.finditer(re.escape(form), text)
        ]
        start, found = 0, []
        for one in items:
            end = start + len(one["token"])
            hit = any(start < last and first < end for first, last in spans)
            found.append({**one, **_blank(one)} if hit else one)
            start = end
        return found


def _blank(token: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in (("token", STARS), ("bytes", None), ("top_logprobs", []))
        if name in token
    }


def _forms(secret: str) -> Iterator[str]:
    """The forms of a secret in text, URLs, JSON, HTML, base64 and hexadecimal."""
    import html

    data = secret.encode("utf-8", "surrogateescape")
    quoted = (quote(data, safe=""), quote_plus(data))
    yield secret
    yield from quoted
    yield from (re.sub("%..", lambda match: match[0].lower(), text) for text in quoted)
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield html.escape(secret)
    if len(data) >= _LONG:
        yield from (data.hex(), data.hex().upper())
        yield from _base64(data)


def _base64(data: bytes) -> Iterator[str]:
    """The parts of a secret's base64 that do not depend on the text before and after it.

    A secret is often encoded with other text, as in ``user:password``.
    """
    for before in range(3):
        text = base64.b64encode(b"\0" * before + data).decode()
        start = -(-before * 4 // 3)
        end = (before + len(data)) // 3 * 4
        yield text[start:end]
        yield text[start:end].translate(str.maketrans("+/", "-_"))


# ---------------------------------------------------------------- of this process

_learnt: set[str] = set()


def learn(*values: str) -> None:
    """Remember secrets until the process ends."""
    if not _learnt.issuperset(values):
        _learnt.update(values)
        known_secrets.cache_clear()


def learn_from_urls(*texts: str) -> None:
    """Remember the passwords in all URLs in some texts."""
    found = [match for text in texts for match in _URL_PASSWORD.findall(text)]
    learn(*found, *map(unquote, found))


def learn_from_environment() -> None:
    """Remember the keys and passwords in environment variables."""
    learn(*(value for name, value in os.environ.items() if _NAMES.search(name)))
    learn_from_urls(*os.environ.values())


@cache
def known_secrets() -> Secrets:
    """All secrets learnt so far."""
    return Secrets(_learnt)


def redacted(text: str) -> str:
    """A text without the secrets that this process knows."""
    return known_secrets().redacted(text)


def redacted_json(value: Any) -> Any:
    """A JSON value without the secrets that this process knows."""
    return known_secrets().redacted_json(value) if known_secrets().values else value
