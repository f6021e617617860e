"""Calls a system under test: a Python function, an HTTP endpoint, or a command.

A question is a JSON object with ``question``, ``schema``, ``hint``, ``db_id``, ``database`` and
``sample``. An answer is a text of a model, an object with ``sql``, or None for an abstention.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import threading
import traceback
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, cached_property, partial
from hashlib import sha256
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from typing import IO, Any, Final, Protocol, TypeVar, cast

from sqljury.errors import InputError
from sqljury.isolation import import_plugin
from sqljury.llm.chat import Json
from sqljury.llm.limits import CallFailedError, failure
from sqljury.version import __version__

KEY: Final = "SQLJURY_SYSTEM_API_KEY"
"""The environment variable whose value is sent to an endpoint as a bearer token."""
MAX_BYTES: Final = 16 * 1024 * 1024
"""A larger answer counts as a failure of the system."""
MAX_SQL: Final = 1024 * 1024
"""The same for the SQL, or the text around it, in characters."""
_MOST_HASHED = 16 * 1024 * 1024
_SHOWN = 300

T = TypeVar("T")


class SystemFailedError(Exception):
    """The system failed at one question; asking again at once would not help."""


class System(Protocol):
    """A system under test. Any thread may call it."""

    @property
    def code(self) -> str:
        """A digest of its code, as far as we can see it; empty for an endpoint."""

    def ask(self, question: Mapping[str, Json], seconds: float) -> object:
        """The system's raw answer to a question, which :func:`read_answer` reads.

        Args:
            seconds: the time limit.

        Raises:
            SystemFailedError: it fails at this question, or takes too long.
            CallFailedError: it cannot be reached, or refuses every question.
        """


@cache
def parse_system(text: str) -> System:
    """The system that ``MODULE:FUNCTION``, a URL, or a command names.

    Raises:
        InputError: SJ917: there is no such function or command, or the URL holds a password.
    """
    if text.startswith(("http://", "https://")):
        if "@" in text.split("/")[2]:
            raise _unusable("the URL of the system holds a password", f"Put the key into {KEY}.")
        return Endpoint(text)
    if re.fullmatch(r"[^\W\d][\w.]*:[^\W\d][\w.]*", text):
        return _function(text)
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise _unusable(f"the command {text!r} cannot be read: {error}") from None
    if not words or shutil.which(words[0]) is None:
        raise _unusable(f"there is no command {(words or [text])[0]!r}")
    if _INTERPRETER.match(Path(words[0]).name) and any(
        _CODE_OPTION.match(option) and _PLACE.search(code) for option, code in pairwise(words)
    ):
        raise _unusable(
            f"{words[0]} would run words of the question as code",
            "Read the question from standard input (JSON), or pass it behind the code: "
            "sh -c 'generate \"$1\"' sh {question}",
        )
    for name in _BRACES.findall(text):
        if name not in _PLACES and (meant := get_close_matches(name, _PLACES, 1, 0.75)):
            raise _unusable(
                f"the command has {{{name}}}, which is not replaced", f"Write {{{meant[0]}}}."
            )
    return Command(tuple(words))


_INTERPRETER = re.compile(
    r"(?:\w*sh|cmd|pwsh|powershell|python[\d.]*|perl|ruby|node)(?:\.exe)?$", re.IGNORECASE
)
_CODE_OPTION = re.compile(r"(?:-\w*[ce]|--eval|-command|/c)$", re.IGNORECASE)
_PLACES = ("question", "schema", "hint", "db_id", "database", "sample")
_PLACE = re.compile(rf"\{{({'|'.join(_PLACES)})\}}")
_BRACES = re.compile(r"\{(\w+)\}")


def _unusable(
    what: str, hint: str = "Write MODULE:FUNCTION, a URL, or a command in quotes."
) -> InputError:
    return InputError("SJ917", f"{what}.", hint=hint)


def read_answer(found: object) -> dict[str, Json]:
    """The parts of a system's answer: ``text`` or ``abstained``, and ``cost`` and ``tokens``.

    Args:
        found: a text, None for an abstention, or an object (or mapping) with ``sql`` or ``text``,
            and perhaps ``abstained``, ``cost`` in US dollars, and ``tokens``.

    Raises:
        SystemFailedError: anything else.

    >>> read_answer({"sql": "SELECT 1", "cost": 0.01})
    {'text': 'SELECT 1', 'cost': 0.01}
    """
    if found is None or isinstance(found, str):
        told: Mapping[str, Any] = {"sql": found}
    elif isinstance(found, Mapping):
        told = found
    else:
        named = ("sql", "text", "abstained", "cost", "tokens")
        told = {name: getattr(found, name) for name in named if hasattr(found, name)}
    answer: dict[str, Json] = {}
    key = "sql" if "sql" in told else "text"
    if told.get("abstained") is True or (key in told and told[key] is None):
        answer["abstained"] = True
    elif isinstance(told.get(key), str):
        answer["text"] = str(told[key])
        if len(answer["text"]) > MAX_SQL:
            raise SystemFailedError(f"its answer has more than {MAX_SQL:,} characters")
    elif key in told:
        raise SystemFailedError(f"its {key!r} is no text but {type(told[key]).__name__}")
    elif isinstance(found, Mapping) or told:
        raise SystemFailedError(
            f'its answer has no "sql" (keys: {", ".join(map(str, told))[:_SHOWN]})'
        )
    else:
        kind = type(found).__name__
        raise SystemFailedError(f'its answer is neither a text nor an object with "sql" but {kind}')
    for name in ("cost", "tokens"):
        value = told.get(name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e15:
            raise SystemFailedError(f"its {name!r} is {str(value)[:40]!r}, no number from 0 on")
        answer[name] = value
    return answer


def _written(body: bytes) -> object:
    """What a system wrote: a JSON object or null as such, anything else as a text."""
    if len(body) > MAX_BYTES:
        raise SystemFailedError(f"its answer is larger than {MAX_BYTES} bytes")
    text = body.decode("utf-8", "replace")
    if text.lstrip().startswith(("{", '"', "null")):
        with suppress(ValueError, RecursionError):
            return cast("object", json.loads(text))
    return text


def _within(seconds: float, call: Callable[[], T]) -> T:
    """What a call returns within the time limit; later it goes on in a thread of its own."""
    done: Future[T] = Future()

    def work() -> None:
        try:
            done.set_result(call())
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    try:
        error = done.exception(seconds)
    except TimeoutError:
        raise _too_slow(seconds) from None
    if error is not None:
        raise error
    return done.result()


def _too_slow(seconds: float) -> SystemFailedError:
    return SystemFailedError(f"no answer within {seconds:g} s")


def _digest(files: Iterable[Path]) -> str:
    small = {path for path in files if path.is_file() and path.stat().st_size <= _MOST_HASHED}
    found = [sha256(path.read_bytes()).hexdigest() for path in sorted(small)]
    return sha256("".join(found).encode()).hexdigest()[:8] if found else ""


# ---------------------------------------------------------------- a function


@dataclass(frozen=True)
class Function:
    """A Python function, or a coroutine function: it gets those keywords that it takes."""

    call: Callable[..., Any]
    takes: frozenset[str] | None
    """The names of its parameters; None: any."""
    code: str

    def ask(self, question: Mapping[str, Json], seconds: float) -> object:
        """What the function returns; an exception is a failure."""
        given = {k: v for k, v in question.items() if self.takes is None or k in self.takes}
        try:
            found = _within(seconds, partial(self.call, **given))
            if inspect.isawaitable(found):
                found = self._awaited(found, seconds)
        except (SystemFailedError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise SystemFailedError(_said(error)) from error
        return found

    def _awaited(self, found: Awaitable[Any], seconds: float) -> object:
        async def awaited() -> Any:
            return await found

        done = asyncio.run_coroutine_threadsafe(awaited(), _event_loop())
        try:
            error = done.exception(seconds)
        except TimeoutError:
            done.cancel()
            raise _too_slow(seconds) from None
        if error is not None:
            raise error
        return done.result()


@cache
def _event_loop() -> asyncio.AbstractEventLoop:
    """One loop for all coroutines, so that clients made at import serve all of them."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return loop


def _said(error: BaseException) -> str:
    frames = [one for one in traceback.extract_tb(error.__traceback__) if one.filename != __file__]
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}"[:_SHOWN] + place


def _function(text: str) -> Function:
    name, _, path = text.partition(":")
    try:
        module = import_plugin(name)
        found = attrgetter(path)(module)
    except Exception as error:  # the user's module may raise anything
        raise _unusable(f"there is no system {text!r}: {_said(error)}") from error
    if not callable(found):
        raise _unusable(f"{text!r} cannot be called")
    takes = None
    with suppress(ValueError, TypeError):  # written in C: its parameters are not known
        parameters = inspect.signature(found).parameters
        if not any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values()):
            takes = frozenset(parameters)
            if "question" not in takes:
                raise _unusable(
                    f"{text!r} takes no question",
                    "Its parameters are question and, as it likes, schema, hint, db_id, database "
                    "and sample.",
                )
    file = getattr(import_plugin(name.partition(".")[0]), "__file__", None) or module.__file__
    top = Path(file or "")
    files = top.parent.rglob("*.py") if top.name == "__init__.py" else [top]
    return Function(found, takes, _digest(files))


# ---------------------------------------------------------------- an endpoint


@dataclass(frozen=True)
class Endpoint:
    """An HTTP endpoint that gets the question by POST, as JSON."""

    url: str
    code = ""

    def ask(self, question: Mapping[str, Json], seconds: float) -> object:
        """The body of the reply; redirects are not followed."""
        return _written(_within(seconds, lambda: self._post(json.dumps(question), seconds)))

    def _post(self, body: str, seconds: float) -> bytes:
        from http.client import HTTPException
        from urllib.error import HTTPError, URLError
        from urllib.request import HTTPRedirectHandler, Request, build_opener

        class Unredirected(HTTPRedirectHandler):
            def redirect_request(self, *_: Any) -> None:
                """None: neither questions nor the key go to another place."""

        headers = {"Content-Type": "application/json", "User-Agent": f"sqljury/{__version__}"}
        request = Request(self.url, body.encode(), headers, method="POST")
        if key := os.environ.get(KEY):
            request.add_unredirected_header("Authorization", f"Bearer {key}")
        try:
            with build_opener(Unredirected).open(request, timeout=seconds) as response:
                return bytes(response.read(MAX_BYTES + 1))
        except HTTPError as error:
            with error:
                said = error.read(2000).decode(errors="replace")
                headers = {name.lower(): value for name, value in error.headers.items()}
            found = failure(error.code, headers, said)
            if 300 <= error.code < 400:
                raise CallFailedError(
                    f"HTTP {error.code}: a redirect; give the final URL", is_fatal=True
                ) from error
            if found.again or found.is_fatal:
                raise found from error
            raise SystemFailedError(str(found)) from error
        except TimeoutError as error:
            raise _too_slow(seconds) from error
        except (OSError, HTTPException, ValueError) as error:
            why = error.reason if isinstance(error, URLError) else error
            if isinstance(why, TimeoutError):
                raise _too_slow(seconds) from error
            absent = isinstance(error, URLError)
            raise CallFailedError(
                f"the connection failed: {str(why) or type(why).__name__}",
                again=True,
                absent=absent,
            ) from error


# ---------------------------------------------------------------- a command


@dataclass(frozen=True)
class Command:
    """A command, run without a shell: placeholders are filled, JSON goes to standard input."""

    words: Sequence[str]

    @cached_property
    def code(self) -> str:
        """A digest of the files among its words."""
        return _digest(map(Path, self.words))

    def ask(self, question: Mapping[str, Json], seconds: float) -> object:
        """Its standard output; an exit status other than 0 is a failure."""
        filled = [_PLACE.sub(lambda m: str(question[m[1]] or ""), word) for word in self.words]
        before_options_end = self.words.index("--") if "--" in self.words else len(filled)
        for template, word in zip(self.words[:before_options_end], filled, strict=False):
            if word.startswith("-") and not template.startswith("-"):
                raise SystemFailedError(
                    f"{word[:40]!r} would be read as an option: write -- before {template}"
                )
        try:
            process = subprocess.Popen(
                filled,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # so that its own processes can be ended with it
            )
        except (OSError, ValueError) as error:
            raise SystemFailedError(f"the command cannot be started: {error}") from error
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        was_ended = threading.Event()

        def end() -> None:
            was_ended.set()
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

        errors = _Tail(process.stderr)
        threading.Thread(
            target=_give, args=(process.stdin, json.dumps(question).encode()), daemon=True
        ).start()
        timer = threading.Timer(seconds, end)
        timer.start()
        try:
            body = process.stdout.read(MAX_BYTES + 1)
            if len(body) > MAX_BYTES:
                end()
            status = process.wait()
        finally:
            timer.cancel()
            process.stdout.close()
        if len(body) <= MAX_BYTES:  # else _written() says so
            if was_ended.is_set():
                raise _too_slow(seconds)
            if status:
                raise SystemFailedError(f"exit status {status}{errors.said()}")
        return _written(body)


class _Tail(threading.Thread):
    """Reads a stream to its end and keeps the last part."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self._stream = stream
        self._kept = b""
        self.start()

    def run(self) -> None:
        """Reads; the thread ends with the stream."""
        with self._stream:
            while found := os.read(self._stream.fileno(), 65536):
                self._kept = (self._kept + found)[-4096:]

    def said(self) -> str:
        """The last line after a colon; empty if there is none."""
        self.join(1)  # a process that was left behind may hold the stream open
        lines = self._kept.decode("utf-8", "replace").strip().splitlines()
        return f": {lines[-1].strip()[:_SHOWN]}" if lines else ""


def _give(stream: IO[bytes], text: bytes) -> None:
    # A command need not read its standard input.
    with suppress(OSError, ValueError), stream:
        stream.write(text)
