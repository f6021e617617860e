"""What all warehouses share: admission, limits, cancellation, prices, and results paid for."""

from __future__ import annotations

import hashlib
import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Event, Thread
from typing import Any, ClassVar, NamedTuple
from uuid import uuid4

from sqljury.databases.limits import awake, exceeded, fetch_limited
from sqljury.databases.protocol import Describe
from sqljury.databases.server import DeadlineRows, ServerURL, Tried
from sqljury.databases.warehouses.admission import Rules, admitted
from sqljury.databases.warehouses.paid import PaidResults
from sqljury.errors import InfrastructureError, InputError, MissingExtraError, SqljuryError
from sqljury.execution import Bill, Execution, Limits, ResultTable, Status
from sqljury.schema import Column, Schema, Table
from sqljury.secrets import learn

_GRACE_SECONDS = 0.5
"""How long after its limit a statement may run before it is cancelled from here."""
_CANCEL_SECONDS = 1.5
OWN_SECONDS = 60
"""For our own queries."""


def driver(module: str, extra: str, purpose: str) -> Any:
    """The driver's module.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(module, extra, purpose) from error


@dataclass(frozen=True)
class Rows:
    """A result that is being read."""

    columns: tuple[str, ...]
    fetchmany: Callable[[int], Sequence[tuple[Any, ...]]]


class Job(NamedTuple):
    """A name for a statement's job, and whether a command that was killed may have begun it."""

    name: str
    begun: bool


class Warehouse(ABC):
    """One database of a warehouse. An engine implements the abstract methods.

    Statements run in a thread of their own, because a driver that waits inside native code does not
    notice Ctrl-C.

    Args:
        server: the URL.

    Raises:
        InputError: SJ284: the URL has another option.
        InfrastructureError: the warehouse cannot be reached or refuses the login.
    """

    rules: ClassVar[Rules]
    code: ClassVar[str]
    """The code of errors of the driver."""
    options: ClassVar[frozenset[str]] = frozenset()
    """The options that the URL may have."""
    by_the_hour: ClassVar[bool] = True
    """True if the URL may have ``price_per_hour``, because nothing else tells the price."""

    def __init__(self, server: ServerURL, db_id: str, describe: Describe) -> None:
        learn(server.password)
        self.db_id = db_id
        self.engine = server.scheme
        self._server = server
        self._describe = describe
        self._schema: Schema | None = None
        self._contents = ""
        self._paid: PaidResults | None = None
        self._running = False
        self._lost = False
        self._closed = False
        known = self.options | ({"price_per_hour"} if self.by_the_hour else set())
        for name in server.options:
            if name not in known:
                raise InputError(
                    "SJ284",
                    f"unknown option {name!r}.",
                    where=server.shown,
                    hint=f"Known: {', '.join(sorted(known))}.",
                )
        self._price_per_hour = self._number("price_per_hour")
        self._connect()

    @property
    def dialect(self) -> str:
        """sqlglot's name of the SQL dialect."""
        return self.rules.dialect

    # ------------------------------------------------------------ what an engine implements

    @abstractmethod
    def _connect(self) -> None:
        """Logs in; also called after a connection was lost."""

    @abstractmethod
    def _start(self, statement: str, limits: Limits, job: Job) -> Rows:
        """Runs a statement, and returns when its first row is there."""

    @abstractmethod
    def _cancel(self) -> None:
        """Stops the running statement, on the server too."""

    @abstractmethod
    def _failure(self, error: Exception) -> tuple[Status, str]:
        """What an error of the driver means for the statement."""

    @abstractmethod
    def _read_tables(self) -> Iterable[tuple[str, str, str, str]]:
        """Table, column, type and description of each column, in order."""

    def _read_state(self) -> str:
        """Something that changes when the contents change, if that costs nothing."""
        return ""

    @abstractmethod
    def _disconnect(self) -> None:
        """Ends the session; nothing is running."""

    def most(self, statement: str, limits: Limits) -> Bill | Execution:  # noqa: ARG002
        """The most that a statement can cost; an execution if it must not, or cannot, run."""
        return self._bill(limits.seconds)

    def _bill(self, seconds: float) -> Bill:
        """What a statement cost that took this many seconds."""
        if self._price_per_hour is None:
            return Bill()
        return Bill(money=self._price_per_hour * seconds / 3600)

    def trials(self) -> list[Tried]:
        """What the login may do beyond reading, found in its grants; nothing is written."""
        return []

    def warnings(self) -> list[str]:
        """Warnings for the owner of the warehouse, shown by `sqljury doctor`."""
        return []

    # ------------------------------------------------------------ statements

    def bill_to(self, paid: PaidResults) -> None:
        """Takes results from here that were paid before, and keeps to its limit."""
        self._contents = self.fingerprint()
        self._paid = paid

    def price(self, sql: str, limits: Limits) -> Bill | Execution:
        """The most that a statement can be billed for, without running it; or why it would fail."""
        statement = admitted(sql, self.rules)
        if isinstance(statement, Execution):
            return statement
        try:
            return self.most(statement, limits)
        except Exception as error:
            status, message = self._failed_with(error)
            return Execution(status, None, message)

    def execute(self, sql: str, limits: Limits) -> Execution:
        """Runs one statement, or returns its result that was paid before.

        Raises:
            SqljuryError: the statement could cost more than is left of the limit.
        """
        statement = admitted(sql, self.rules)
        if isinstance(statement, Execution):
            return statement
        new = f"sqljury_{uuid4().hex}"
        if self._paid is None:
            most = self.price(sql, limits)
            if isinstance(most, Execution):
                return most
            return self._attempt(statement, limits, Job(new, False))
        return self._paid.execute(
            self._key(statement, limits),
            statement,
            lambda: self.price(sql, limits),
            lambda name: self._attempt(statement, limits, Job(name, name != new)),
            job=new,
            patience=2 * limits.seconds,
        )

    def _key(self, statement: str, limits: Limits) -> str:
        where = f"{self._server.shown}\0{self._contents}"
        most = f"{limits.seconds:g},{limits.rows},{limits.bytes}"
        text = f"{self.dialect}\0{where}\0{most}\0{statement}"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def _attempt(self, statement: str, limits: Limits, job: Job) -> Execution:
        started = awake()
        status, table, message = Status.OK, None, ""
        try:
            self._reconnect()
            started, self._running = awake(), True
            result = self._in_thread(lambda: self._fetch(statement, limits, job), limits.seconds)
            if isinstance(result, str):
                status, message = Status.TOO_LARGE, result
                self._stop()
            else:
                table = result
        except TimeoutError:
            status, message = Status.TIMEOUT, exceeded(limits)
            self._stop()
        except MemoryError as error:
            status, message = Status.OUT_OF_MEMORY, str(error)
            self._stop()
        except Exception as error:
            status, message = self._failed_with(error)
        except BaseException:  # Ctrl-C
            self._stop()
            raise
        finally:
            self._running = False
        seconds = awake() - started
        if status is Status.UNAVAILABLE:
            self._lost = True
            return Execution(status, None, message, seconds)
        return Execution(status, table, message, seconds, self._bill(seconds))

    def _fetch(self, statement: str, limits: Limits, job: Job) -> ResultTable | str:
        started = awake()
        rows = self._start(statement, limits, job)
        left = limits.seconds + _GRACE_SECONDS - (awake() - started)
        return fetch_limited(DeadlineRows(rows.fetchmany, left), rows.columns, limits)

    def _failed_with(self, error: Exception) -> tuple[Status, str]:
        if isinstance(error, SqljuryError):
            return Status.UNAVAILABLE, error.message
        status, message = self._failure(error)
        return status, self._server.quiet(message)

    def _in_thread(self, call: Callable[[], Any], seconds: float) -> Any:
        done = Event()
        found: list[Any] = []
        failed: list[BaseException] = []

        def work() -> None:
            try:
                found.append(call())
            except BaseException as error:
                failed.append(error)
            finally:
                done.set()

        started = awake()
        Thread(target=work, name="sqljury-statement", daemon=True).start()
        while not done.wait(0.1):
            if awake() - started > seconds + _GRACE_SECONDS:
                raise TimeoutError
        if failed:
            raise failed[0]
        return found[0]

    def _stop(self) -> None:
        """Cancels the statement, waiting for the server's answer only for a moment."""
        with suppress(Exception):
            self._in_thread(self._cancel, _CANCEL_SECONDS)
        self._lost = True

    def _reconnect(self) -> None:
        """A new session, if the last one was lost or given up; its thread may still use it."""
        if self._lost and not self._closed:
            with suppress(Exception):
                self._disconnect()
            self._connect()
            self._lost = False

    # ------------------------------------------------------------ the rest of a database

    def schema(self) -> Schema:
        """Tables and columns by name; read once.

        Raises:
            InfrastructureError: the warehouse fails.
        """
        if self._schema is None:
            columns: dict[str, list[Column]] = {}
            for table, name, kind, description in self._own(self._read_tables):
                column = Column(name=name, type=kind, nullable=True, description=description or "")
                columns.setdefault(table, []).append(column)
            tables = [Table(name=name, columns=tuple(held)) for name, held in columns.items()]
            found = Schema(dialect=self.dialect, tables=tuple(tables))
            self._schema = self._describe(found)
        return self._schema

    def fingerprint(self) -> str:
        """Hash of engine, columns, and what the warehouse tells of its contents for free.

        Raises:
            InfrastructureError: the warehouse fails.
        """
        state = self._own(lambda: [self._read_state()])[0]
        return hashlib.sha256(f"{self.engine}\0{self.schema()}\0{state}".encode()).hexdigest()

    def _own(self, read: Callable[[], Iterable[Any]]) -> list[Any]:
        try:
            return list(read())
        except SqljuryError:
            raise
        except Exception as error:
            raise self.failed(error) from None

    def failed(self, error: object) -> InfrastructureError:
        """The error for a driver that fails outside of a case's statement."""
        return InfrastructureError(
            self.code, f"{self._server.quiet(error)}.", where=self._server.shown
        )

    def close(self) -> None:
        """Closes the session; a statement that still runs is cancelled."""
        self._closed = True
        if self._running:
            self._stop()
        with suppress(Exception):
            self._in_thread(self._disconnect, _CANCEL_SECONDS)

    def _number(self, name: str) -> float | None:
        text = self._server.options.get(name)
        try:
            return None if text is None else float(text)
        except ValueError:
            raise InputError(
                "SJ284", f"{name} is not a number: {text!r}.", where=self._server.shown
            ) from None


def literal(text: str) -> str:
    """The text as a string of SQL, in all these dialects.

    Raises:
        InputError: SJ284: dialects read it in different ways.
    """
    if "\\" in text or "'" in text:
        raise InputError("SJ284", f"names with a quote or a backslash cannot be used: {text!r}.")
    return f"'{text}'"
