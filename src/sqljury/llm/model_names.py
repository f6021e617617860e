"""The text ``provider:model`` and its options, checked against what the provider supports."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

from sqljury.errors import InputError
from sqljury.llm.chat import Model
from sqljury.llm.providers import known_providers, provider


def parse_model(text: str, options: Mapping[str, str] | None = None) -> Model:
    """A model, from a text such as ``openai:o3-2025-04-16`` and options.

    Options: ``base_url``, ``temperature``, ``top_p``, ``seed``, ``max_tokens``, ``effort``,
        ``json_schema`` (false: the schema is written in words, for servers that cannot enforce
        one).
    ``json_schema`` (false: the schema is put in words, for servers that cannot enforce one).

    >>> parse_model("openai:gpt-4.1", {"temperature": "0.0"}).options
    (('temperature', '0'),)

    Raises:
        InputError: an unknown provider or option, or one that the model does not support.
    """
    name, colon, model = text.partition(":")
    if not colon or not model or name not in known_providers():
        unknown = f"there is no provider {name!r}" if colon and model else "not PROVIDER:MODEL"
        raise InputError(
            "SJ901",
            f"{text!r}: {unknown}.",
            hint=f"Providers: {', '.join(known_providers())}.",
        )
    options = options or {}
    written = {key: _written(key, value, text) for key, value in options.items()}
    can = provider(name).capabilities(model)
    for key in ("temperature", "top_p", "seed", "effort", "base_url"):
        # A model that accepts a temperature also accepts top_p.
        if key in written and not getattr(can, "temperature" if key == "top_p" else key):
            raise InputError("SJ903", f"{text} does not offer {key}.", hint=_INSTEAD.get(key, ""))
    if written.get("json_schema") == "true" and not can.json_schema:
        raise InputError("SJ903", f"{text} does not offer json_schema.", hint="Leave it out.")
    return Model(name, model, tuple(sorted(written.items())))


_INSTEAD = {
    "temperature": "Reasoning models set their own; leave it out.",
    "top_p": "Reasoning models set their own; leave it out.",
    "effort": "It is for reasoning models; leave it out.",
}


def _number(text: str) -> str:
    value = float(text)
    if not math.isfinite(value) or value < 0:
        raise ValueError
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def _share(text: str) -> str:
    value = float(text)
    if not 0 < value <= 1:
        raise ValueError
    return _number(text)


def _count(text: str) -> str:
    value = int(text)
    if value < 1:
        raise ValueError
    return str(value)


def _yes_no(text: str) -> str:
    return {"true": "true", "yes": "true", "false": "false", "no": "false"}[text.lower()]


def _url(text: str) -> str:
    # The address is shown next to every score, so it must not contain a password.
    if not text.startswith(("http://", "https://")) or "@" in text.split("/")[2]:
        raise ValueError
    return text


def _word(text: str) -> str:
    if not text.isidentifier():
        raise ValueError
    return text


# 0 and 0.0 are the same temperature, and must have the same key.
_FORMS: Mapping[str, tuple[str, Callable[[str], str]]] = {
    "base_url": ("an address that begins with http:// or https:// and holds no password", _url),
    "effort": ("a word such as low, medium or high", _word),
    "json_schema": ("true or false", _yes_no),
    "max_tokens": ("a whole number above 0", _count),
    "seed": ("a whole number", lambda text: str(int(text))),
    "temperature": ("a number from 0 on", _number),
    "top_p": ("a number above 0, at most 1", _share),
}


def _written(key: str, value: str, where: str) -> str:
    if key not in _FORMS:
        raise InputError(
            "SJ902", f"there is no model option {key!r}.", where=where, hint=f"Options: {_KEYS}."
        )
    form, write = _FORMS[key]
    try:
        return write(value)
    except (ValueError, KeyError) as error:
        shown = re.sub("//.*@", "//***@", value)
        raise InputError("SJ902", f"{key}={shown} is not {form}.", where=where) from error


_KEYS = ", ".join(_FORMS)
