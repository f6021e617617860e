"""The evidence that judges read: computed on demand, once, and shared by all judges of a run."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from hashlib import blake2b
from threading import RLock
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from sqljury.case import Case
from sqljury.databases.protocol import Database
from sqljury.errors import InfrastructureError, InputError
from sqljury.execution import Bill, Execution, Limits, Status
from sqljury.schema import Schema, Table
from sqljury.verdict import Billed, Cost
from sqljury.work_limit import not_work

if TYPE_CHECKING:
    from sqljury.databases import Schemas, Suite, Suites
    from sqljury.databases.generated import ScratchDatabase
    from sqljury.equivalence.canonical import Canonical
    from sqljury.llm import Answer, Client, Request
    from sqljury.trees.nodes import Relation, Unreadable


class Filled(Protocol):
    """Tables whose rows are replaced again and again."""

    def fill(self, rows: Mapping[str, Sequence[tuple[Any, ...]]]) -> None:
        """Replace the rows of all tables."""

    def rows(self, sql: str) -> Execution:
        """Run one statement on the current rows, within limits; failures are values."""

    def close(self) -> None:
        """Free the memory."""


class Scratch(Filled, Protocol):
    """A database in memory whose rows are replaced again and again."""

    def replayed(self, script: str, queries: Sequence[str]) -> list[Execution]:
        """Run statements on a new database that a script of sqljury makes."""

    def in_duckdb(
        self,
        rows: Mapping[str, Sequence[tuple[Any, ...]]],
        queries: Sequence[str],
        *,
        as_declared: bool = False,
    ) -> list[Execution] | None:
        """Run statements in DuckDB on these rows; None if DuckDB is not installed."""

    def empty_duckdb(self) -> Callable[[str], Execution] | None:
        """A function that runs a statement in a DuckDB without tables; None if not installed."""


class Evidence(Protocol):
    """All that a judge can read about one case besides the case itself.

    A judge never opens a connection, starts a process or reads a file itself. So each statement is
    executed once per database, for all judges.
    """

    @property
    def case(self) -> Case:
        """The case that is judged."""

    @property
    def has_database(self) -> bool:
        """True if the case's database exists."""

    @property
    def dialect(self) -> str:
        """sqlglot's name of the database's dialect; ``sqlite`` without a database."""

    def rows(self, sql: str) -> Execution:
        """Run one statement, read-only and within limits; failures are values."""

    def schema(self) -> Schema | None:
        """The database's schema; None if neither a database nor a schema is known."""

    def tree(self, sql: str) -> Relation | Unreadable:
        """The operator tree of a statement, as written, or why there is none."""

    def canonical(self, sql: str) -> Canonical | Unreadable:
        """The canonical operator tree under what the schema declares, or why there is none."""

    def generated(self, tables: Sequence[Table]) -> Scratch:
        """An empty database in memory with these tables, to be filled with generated rows."""

    def suite(self) -> Suite | None:
        """The databases of the test suite for the case's database, or None without one."""

    def within(self, name: str) -> AbstractContextManager[Evidence]:
        """The evidence with a database of the suite instead of the case's own."""

    def time_pair(self, left: str, right: str, *, repeats: int) -> tuple[list[float], list[float]]:
        """Seconds of ``repeats`` interleaved runs of two statements that both run.

        The order alternates from repeat to repeat, so that a machine that gets slower or faster
        affects both alike.
        """

    def ask(self, request: Request) -> Answer:
        """A chat model's answer; an answer that cannot be used is a value too.

        Raises:
            SqljuryError: no model can be called: no ledger entry on replay, the budget is spent.
        """


class DatabaseEvidence:
    """Evidence on one case from an open database, with a cache shared by the cases of a worker.

    Args:
        case: the case that is judged.
        database: its database, or None if there is none.
        cache: earlier executions; shared by all cases of one process.
        limits: what one query may use.
        client: the client that calls chat models; None if the run has none.
        schemas: schemas for cases without a database.
        suites: the test suites, by the name of the case's database.
    """

    __slots__ = (
        *("_cache", "_client", "_database", "_limits", "_schemas", "_suites"),
        *("billed", "case", "cost", "lost"),
    )

    def __init__(
        self,
        case: Case,
        database: Database | None,
        cache: ExecutionCache,
        limits: Limits,
        client: Client | None = None,
        schemas: Schemas | None = None,
        suites: Suites | None = None,
    ) -> None:
        self.case = case
        self._database = database
        self._cache = cache
        self._limits = limits
        self._client = client
        self._schemas = schemas
        self._suites = suites
        self.cost = Cost()
        """The cost of all model calls for the case."""
        self.billed = Billed()
        """What a warehouse billed for the statements of the case."""
        self.lost: Execution | None = None
        """The latest execution that was UNAVAILABLE; if there is one, no verdict is reliable."""

    @property
    def has_database(self) -> bool:
        """True if the case's database exists."""
        return self._database is not None

    @property
    def dialect(self) -> str:
        """sqlglot's name of the database's dialect, else of the schema's; ``sqlite`` without
        either."""
        if self._database is not None:
            return self._database.dialect
        given = self._schemas.get(self.case.db_id) if self._schemas is not None else None
        return "sqlite" if given is None else given.dialect

    def rows(self, sql: str) -> Execution:
        """Run one statement, read-only and within limits; failures are values."""
        if self._database is None:
            return Execution(Status.UNAVAILABLE, None, f"no database {self.case.db_id!r}")
        return self._heard(self._cache.execute(self._database, sql, self._limits))

    def _heard(self, execution: Execution) -> Execution:
        if execution.bill is not None:
            self.billed += billed_of(execution.bill, execution.seconds)
        if execution.status is Status.UNAVAILABLE:
            self.lost = execution
        return execution

    def schema(self) -> Schema | None:
        """The database's schema, else the one in ``schemas``, else the case's own, else None."""
        if self._database is not None:
            return self._cache.schema(self._database)
        given = self._schemas.get(self.case.db_id) if self._schemas is not None else None
        if given is None and self.case.schema_sql is not None:
            return self._cache.schema_of_text(self.case.schema_sql, self.case.name)
        return given

    def tree(self, sql: str) -> Relation | Unreadable:
        """The operator tree of a statement, as written, or why there is none."""
        from sqljury.trees import build_tree
        from sqljury.trees.nodes import Unreadable

        schema = self.schema()
        if schema is None:
            return Unreadable(f"no schema of {self.case.db_id!r}", "no_schema")
        return build_tree(sql, schema, self.dialect)

    def canonical(self, sql: str) -> Canonical | Unreadable:
        """The canonical operator tree under what the schema declares, or why there is none."""
        from sqljury.equivalence.canonical import canonical
        from sqljury.trees.context import DECLARED_ASSUMPTIONS, Context
        from sqljury.trees.nodes import Unreadable

        tree, schema = self.tree(sql), self.schema()
        if isinstance(tree, Unreadable):
            return tree
        assert schema is not None, "a tree was built from it"
        return canonical(tree, Context(schema, self.dialect, DECLARED_ASSUMPTIONS))

    def generated(self, tables: Sequence[Table]) -> Scratch:
        """An empty database in memory, with the same guard, limits and watchdog as the real one."""
        from sqljury.databases.generated import ScratchDatabase

        return _ScratchEvidence(ScratchDatabase(tables), self._cache, self._limits)

    def suite(self) -> Suite | None:
        """The databases of the test suite for the case's database, or None without one."""
        if self._suites is None:
            return None
        with self._cache.turn:
            return self._suites.get(self.case.db_id)

    @contextmanager
    def within(self, name: str) -> Iterator[Evidence]:
        """The evidence with a database of the suite instead of the case's own."""
        suite = self.suite()
        assert suite is not None, "there is a name of one of its databases"
        with self._cache.turn, ExitStack() as stack:
            try:
                database = stack.enter_context(suite.opened(name))
            except InfrastructureError as error:  # one broken file costs its own cases alone
                self.lost = Execution(Status.UNAVAILABLE, None, str(error))
                raise
            yield DatabaseEvidence(self.case, database, self._cache, self._limits)

    def time_pair(self, left: str, right: str, *, repeats: int) -> tuple[list[float], list[float]]:
        """Seconds of interleaved runs of two statements; every repeat runs, none is cached."""
        if self._database is None:
            return [], []
        seconds: tuple[list[float], list[float]] = ([], [])
        pair = ((0, left), (1, right))
        for repeat in range(repeats):
            for side, sql in pair if repeat % 2 == 0 else pair[::-1]:
                execution = self._heard(self._cache.run(self._database, sql, self._limits))
                seconds[side].append(execution.seconds)
        return seconds

    def ask(self, request: Request) -> Answer:
        """A chat model's answer; from the ledger if it has one."""
        if self._client is None:
            raise InputError("SJ305", "the run was set up without a chat model.")
        answer = self._client.ask(request, case=self.case.name)
        self.cost += cost_of(answer)
        return answer


def cost_of(answer: Answer, stage: str = "") -> Cost:
    """The cost of an answer; also listed under ``stage`` if one is named."""
    cost = Cost(
        seconds=answer.seconds,
        calls=answer.calls,
        tokens=answer.tokens,
        money=answer.money,
        unpriced=answer.unpriced,
    )
    return replace(cost, stages={stage: cost}) if stage else cost


def billed_of(bill: Bill, seconds: float) -> Billed:
    """What one statement was billed for, in the form that a verdict's cost holds."""
    return Billed(
        statements=1,
        bytes=bill.bytes,
        credits=bill.credits,
        money=bill.money or 0.0,
        unpriced=int(bill.money is None),
        seconds=seconds,
    )


_SCRATCH_SECONDS = 0.5
_SCRATCH_ROWS = 20_000
"""Limits for a query on a handful of generated rows: one that needs more is given up."""


class _ScratchEvidence:
    """A scratch database whose executions are not cached, because its rows change."""

    __slots__ = ("_cache", "_database", "_limits")

    def __init__(self, database: ScratchDatabase, cache: ExecutionCache, limits: Limits) -> None:
        self._database = database
        self._cache = cache
        self._limits = replace(
            limits,
            seconds=min(limits.seconds, _SCRATCH_SECONDS),
            rows=min(limits.rows, _SCRATCH_ROWS),
        )

    def fill(self, rows: Mapping[str, Sequence[tuple[Any, ...]]]) -> None:
        with not_work():
            self._database.fill(rows)

    def rows(self, sql: str) -> Execution:
        return self._cache.run(self._database, sql, self._limits)

    def replayed(self, script: str, queries: Sequence[str]) -> list[Execution]:
        from sqljury.databases.generated import replayed

        with not_work():
            return replayed(script, queries, self._limits)

    def in_duckdb(
        self,
        rows: Mapping[str, Sequence[tuple[Any, ...]]],
        queries: Sequence[str],
        *,
        as_declared: bool = False,
    ) -> list[Execution] | None:
        from sqljury.databases.generated import in_duckdb

        tables = self._database.schema().tables
        with not_work():
            return in_duckdb(tables, rows, queries, self._limits, as_declared=as_declared)

    def empty_duckdb(self) -> Callable[[str], Execution] | None:
        from sqljury.databases.generated import empty_duckdb

        return empty_duckdb(self._limits)

    def close(self) -> None:
        self._database.close()


_MOST_FOUND = 512

T = TypeVar("T")


class ExecutionCache:
    """The latest executions of one process, limited in number and cells; drops the least used.

    ``watch`` is called with a token before each statement and with None after it, so that a
    supervisor can kill a process whose engine does not stop. ``known`` has the executions that a
    supervisor ended so: they are not tried again.
    """

    def __init__(
        self,
        *,
        watch: Callable[[bytes | None], None] = lambda _: None,
        max_entries: int = 512,
        max_cells: int = 500_000,
    ) -> None:
        self.known: dict[bytes, Execution] = {}
        self._watch = watch
        # Judges that wait for a chat model run in threads. A database takes one statement at a
        # time, and a statement that two threads need is still executed once.
        self.turn = RLock()
        """The lock of a thread that uses a database."""
        self._entries: OrderedDict[tuple[str, str], Execution] = OrderedDict()
        self._cells = 0
        self._max_entries = max_entries
        self._max_cells = max_cells
        self._found: OrderedDict[Hashable, Any] = OrderedDict()

    def execute(self, database: Database, sql: str, limits: Limits) -> Execution:
        """The execution of a statement, from the cache if it is there."""
        key = (database.db_id, sql)
        with self.turn:
            found = self._entries.get(key)
            if found is not None:
                self._entries.move_to_end(key)
                return found
            execution = self.run(database, sql, limits)
            if execution.status is not Status.UNAVAILABLE:  # the server may be back next time
                # A statement is billed to the case that is the first to need it.
                paid = execution if execution.bill is None else replace(execution, bill=None)
                self._remember(key, paid)
            return execution

    def run(self, database: Database, sql: str, limits: Limits) -> Execution:
        """Run a statement without the cache, unless a supervisor had to end it before."""
        token = execution_token(database.db_id, sql)
        if token in self.known:
            return self.known[token]
        with self.turn:
            self._watch(token)
            try:
                with not_work():
                    return database.execute(sql, limits)
            finally:
                self._watch(None)

    def schema(self, database: Database) -> Schema:
        """The database's schema, read while no statement runs."""
        with self.turn, not_work():
            return database.schema()

    def schema_of_text(self, text: str, where: str) -> Schema:
        """The schema of CREATE TABLE statements.

        Raises:
            InputError: SJ207: the statements cannot be parsed.
        """
        from sqljury.databases.ddl import schema_from_ddl

        return self.remembered(("schema", text), lambda: schema_from_ddl(text, where=where))

    def remembered(self, key: Hashable, find: Callable[[], T]) -> T:
        """The cached value of a key, else the value that ``find`` returns; keeps the latest 512."""
        with self.turn:
            if key in self._found:
                self._found.move_to_end(key)
            else:
                self._found[key] = find()
                if len(self._found) > _MOST_FOUND:
                    self._found.popitem(last=False)
            found: T = self._found[key]
            return found

    def _remember(self, key: tuple[str, str], execution: Execution) -> None:
        self._entries[key] = execution
        self._cells += _cells(execution)
        while len(self._entries) > 1 and (
            len(self._entries) > self._max_entries or self._cells > self._max_cells
        ):
            self._cells -= _cells(self._entries.popitem(last=False)[1])


def _cells(execution: Execution) -> int:
    table = execution.table
    return len(table.rows) * max(1, table.width) if table is not None else 0


def execution_token(db_id: str, sql: str) -> bytes:
    """Sixteen bytes that name an execution across processes."""
    return blake2b(f"{db_id}\0{sql}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
