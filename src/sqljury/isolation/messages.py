"""Messages between processes: values as JSON and back by their type hints, sent over pipes.

Unlike a pickle, a message that is read cannot run code: it becomes a value of the declared type, or
raises :class:`ValueError`. Dataclasses and named tuples are written as lists of their fields, bytes
as hex.

>>> from sqljury.execution import Limits
>>> from_plain(Limits, to_plain(Limits(seconds=2.0))).seconds
2.0
>>> from_plain(tuple[int, ...], ["1"])
Traceback (most recent call last):
    ...
ValueError: not an int: '1'
"""

from __future__ import annotations

import json
import struct
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import lru_cache
from operator import attrgetter, contains
from typing import IO, Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from sqljury.errors import InfrastructureError, InputError, SqljuryError

T = TypeVar("T")
_Decode = Callable[[Any], Any]
_SHOWN = 40


_SCALARS = frozenset({str, int, float, bool, type(None)})


def to_plain(value: Any) -> Any:
    """The value in JSON types: lists, dicts, texts, numbers."""
    if type(value) in _SCALARS:
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str | int | float):
        return value
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, tuple | list):
        return [part if type(part) in _SCALARS else to_plain(part) for part in value]
    if is_dataclass(value):
        return [to_plain(part) for part in _parts(cast("Any", type(value)))(value)]
    if isinstance(value, Mapping):
        return {
            (name.hex() if isinstance(name, bytes) else str(name)): to_plain(part)
            for name, part in value.items()
        }
    if isinstance(value, Sequence):
        return [to_plain(part) for part in value]
    raise TypeError(f"{type(value).__name__} has no plain form")


@lru_cache(maxsize=256)
def _parts(cls: type[Any]) -> Callable[[Any], tuple[Any, ...]]:
    names = [field.name for field in fields(cls)]
    if len(names) == 1:
        return lambda value: (getattr(value, names[0]),)
    return cast("Callable[[Any], tuple[Any, ...]]", attrgetter(*names))


def from_plain(kind: type[T] | Any, value: Any) -> T:
    """Converts plain JSON data to a value of that type.

    Raises:
        ValueError: the data is of another type, or the type's own class refuses it.
    """
    return cast("T", _decoder(cast("Any", kind))(value))


@lru_cache(maxsize=256)
def _decoder(kind: Any) -> _Decode:
    if kind is Any:
        return lambda value: value
    if kind is None or kind is type(None):
        return _exactly(None)
    if kind is float:
        return _number
    if kind in (str, int, bool):
        return _of_type(kind)
    if kind is bytes:
        return lambda value: bytes.fromhex(_text(value))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    if is_dataclass(kind):
        cls = cast("type[Any]", kind)
        hints = get_type_hints(cls, vars(sys.modules[cls.__module__]))
        given = fields(cls)
        parts = [_decoder(hints[field.name]) for field in given]
        if not any(field.kw_only for field in given):
            return _record(lambda values: cls(*values), parts)
        names = [field.name for field in given]
        return _record(lambda values: cls(**dict(zip(names, values, strict=True))), parts)
    if isinstance(kind, type) and issubclass(kind, tuple):
        return _named_tuple_decoder(kind)
    return _generic_decoder(kind)


def _generic_decoder(kind: Any) -> _Decode:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _union([_decoder(one) for one in arguments])
    if origin is Literal:
        return _union([_exactly(one) for one in arguments])
    if origin is tuple and arguments[-1] is not Ellipsis:
        return _record(tuple, [_decoder(one) for one in arguments])
    if origin in (dict, Mapping):
        return _mapping(_decoder(arguments[0]), _decoder(arguments[1]))
    if origin is tuple:
        return _sequence(tuple, _decoder(arguments[0]))
    if origin in (list, Sequence):
        return _sequence(list, _decoder(arguments[0]))
    raise TypeError(f"{kind} has no plain form")


def _named_tuple_decoder(cls: Any) -> _Decode:
    """The decoder of a named tuple; it has a fast path for fields that need no decoding."""
    kinds = list(get_type_hints(cls, vars(sys.modules[cls.__module__])).values())
    whole = _record(cls._make, [_decoder(kind) for kind in kinds])
    ready = [_unchanged(kind) for kind in kinds]

    def decode(value: Any) -> Any:
        fits = type(value) is list and len(value) == len(ready)
        if fits and all(map(contains, ready, map(type, value))):
            return cls._make(value)
        return whole(value)

    return decode


def _unchanged(kind: Any) -> frozenset[type]:
    """The types of JSON values that are already values of a type, without decoding."""
    if get_origin(kind) in (Union, types.UnionType):
        return frozenset().union(*map(_unchanged, get_args(kind)))
    return frozenset({kind}) & _SCALARS


def _record(make: Callable[[list[Any]], Any], parts: Sequence[_Decode]) -> _Decode:
    def decode(value: Any) -> Any:
        if type(value) is not list or len(value) != len(parts):
            raise ValueError(f"not a list of {len(parts)}: {_shown(value)}")
        return make([part(one) for part, one in zip(parts, value, strict=True)])

    return decode


def _sequence(make: Callable[[list[Any]], Any], part: _Decode) -> _Decode:
    def decode(value: Any) -> Any:
        if type(value) is not list:
            raise ValueError(f"not a list: {_shown(value)}")
        return make([part(one) for one in value])

    return decode


def _mapping(key: _Decode, part: _Decode) -> _Decode:
    def decode(value: Any) -> Any:
        if type(value) is not dict:
            raise ValueError(f"not a mapping: {_shown(value)}")
        return {key(name): part(one) for name, one in value.items()}

    return decode


def _union(options: Sequence[_Decode]) -> _Decode:
    def decode(value: Any) -> Any:
        for option in options:
            try:
                return option(value)
            except ValueError:
                continue
        raise ValueError(f"none of what it may be: {_shown(value)}")

    return decode


def _exactly(wanted: Any) -> _Decode:
    def decode(value: Any) -> Any:
        if type(value) is type(wanted) and value == wanted:
            return wanted
        raise ValueError(f"not {wanted!r}: {_shown(value)}")

    return decode


def _of_type(kind: type[Any]) -> _Decode:
    def decode(value: Any) -> Any:
        if type(value) is not kind:
            article = "an" if kind is int else "a"
            raise ValueError(f"not {article} {kind.__name__}: {_shown(value)}")
        return value

    return decode


def _number(value: Any) -> float:
    if type(value) not in (int, float):
        raise ValueError(f"not a number: {_shown(value)}")
    return float(value)


def _text(value: Any) -> str:
    if type(value) is not str:
        raise ValueError(f"not a text: {_shown(value)}")
    return value


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


# ------------------------------------------------------------
# Errors for users, sent from one process to another.


@dataclass(frozen=True, slots=True)
class SentError:
    """A :class:`SqljuryError` as data."""

    is_infrastructure: bool
    code: str
    message: str
    where: str
    hint: str

    @classmethod
    def of(cls, error: SqljuryError) -> SentError:
        """The error as data."""
        infrastructure = isinstance(error, InfrastructureError)
        return cls(infrastructure, error.code, error.message, error.where, error.hint)

    def error(self) -> SqljuryError:
        """The error again, to be raised in the receiving process."""
        kind = InfrastructureError if self.is_infrastructure else InputError
        return kind(self.code, self.message, where=self.where, hint=self.hint)


# ------------------------------------------------------------
# Messages over pipes: JSON, each preceded by its length.

_LENGTH = struct.Struct("<Q")
_LONGEST = 1 << 30


def send(stream: IO[bytes], message: object) -> None:
    """Writes one message: a value that :func:`to_plain` supports."""
    send_bytes(stream, json.dumps(to_plain(message), separators=(",", ":")).encode())


def receive(stream: IO[bytes], kind: type[T] | Any) -> T:
    """Reads one message, which must be of that type.

    Raises:
        EOFError: the other side has ended.
        ValueError: the message is of another type.
    """
    try:
        return cast("T", from_plain(kind, json.loads(receive_bytes(stream))))
    except RecursionError:
        raise ValueError("a message that is nested too deeply") from None


def send_bytes(stream: IO[bytes], body: bytes) -> None:
    """Writes one message without conversion."""
    stream.write(_LENGTH.pack(len(body)) + body)
    stream.flush()


def receive_bytes(stream: IO[bytes]) -> bytes:
    """Reads one message without conversion.

    Raises:
        EOFError: the other side has ended.
        ValueError: it is longer than any message of ours.
    """
    (length,) = _LENGTH.unpack(_read(stream, _LENGTH.size))
    if length > _LONGEST:
        raise ValueError(f"a message of {length} bytes")
    return _read(stream, length)


def _read(stream: IO[bytes], size: int) -> bytes:
    found = stream.read(size)
    if len(found) < size:
        raise EOFError
    return found
