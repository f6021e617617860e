"""Token log-probabilities of predictions, by question id."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan, nan
from typing import NamedTuple

from sqljury.benchmarks.fields import as_id, as_object, kind
from sqljury.benchmarks.files import FileKind, PathLike, Source
from sqljury.benchmarks.formats import id_key
from sqljury.benchmarks.layout import Layout, missing_key
from sqljury.benchmarks.names import normal
from sqljury.benchmarks.pools import candidates_of, is_pool
from sqljury.case import Json
from sqljury.errors import InputError

_KEYS = ("logprobs", "token_logprobs")


class Token(NamedTuple):
    """The natural log-probability of a token, and those of the likeliest in its place."""

    logprob: float
    likeliest: tuple[float, ...] = ()


def read_logprobs(path: PathLike) -> dict[str, tuple[Token, ...]]:
    """An object by id, rows with an id and ``logprobs``, or a pool: of each first candidate.

    A prediction's are a list of numbers, or OpenAI's list of ``{"logprob", "top_logprobs"}``, also
    under ``content``.

    Raises:
        InputError: SJ104 without the key, SJ108, SJ116 for what is no log-probability.
    """
    source = Source(path)
    if source.kind is FileKind.JSON_OBJECT:
        return {
            key: tuple(_tokens(value, f'{source.name}["{key}"]'))
            for key, value in source.entries.items()
        }
    if is_pool(source):
        return dict(_of_pool(source))
    by_name = {normal(key): key for key in source.keys}
    key = next((by_name[name] for name in _KEYS if name in by_name), None)
    if key is None:
        raise missing_key(_KEYS[0], source)
    layout = Layout(id_key(source))
    found = {}
    for position, record in enumerate(source.records()):
        data = as_object(record)
        tokens = tuple(_tokens(data.get(key), record.origin))
        found[as_id(data, layout, position, record.origin)] = tokens
    return found


def _of_pool(source: Source) -> Iterator[tuple[str, tuple[Token, ...]]]:
    """The tokens of each question's first candidate, which is the prediction."""
    layout = Layout(id_key(source))
    for position, record in enumerate(source.records()):
        first = next(iter(candidates_of(record)), {})
        if _KEYS[0] in first:
            key = as_id(as_object(record), layout, position, record.origin)
            yield key, tuple(_tokens(first[_KEYS[0]], record.origin))


def _tokens(value: Json, origin: str) -> Iterator[Token]:
    if isinstance(value, dict):
        value = value.get("content")
    if not isinstance(value, list):
        raise InputError("SJ108", f"log-probabilities are a list, not {kind(value)}.", where=origin)
    for one in value:
        if isinstance(one, dict):
            others = one.get("top_logprobs") or []
            likeliest = tuple(_number(other.get("logprob"), origin) for other in others)
            yield Token(_number(one.get("logprob"), origin), likeliest)
        else:
            yield Token(_number(one, origin))


def _number(value: Json, origin: str) -> float:
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else nan
    # Some servers round up: the logarithm of a probability is at most 0.
    if isnan(number) or number > 1e-3:
        raise InputError("SJ116", f"{value!r} is no log-probability.", where=origin)
    return min(0.0, float(number))
