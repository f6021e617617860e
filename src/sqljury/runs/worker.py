"""A worker: a process that judges cases one after the other until its parent ends it.

It is started by :mod:`sqljury.isolation` as a separate program, not as a fork of the caller: a
user's script needs no ``if __name__ == "__main__"``, and a notebook's threads are not copied. It
communicates over standard input and output, and enters its sandbox before it opens a database.
"""

from __future__ import annotations

import contextlib
import gc
import json
import mmap
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING

from sqljury.case import Case
from sqljury.databases import open_sources
from sqljury.databases.protocol import Database
from sqljury.errors import InfrastructureError, SqljuryError
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.isolation import (
    SentError,
    end_with_parent,
    leave_at_once,
    private_streams,
    receive_bytes,
    send,
)
from sqljury.judges import Judge, make_judge, settled
from sqljury.runs.messages import (
    SEVERAL,
    WATCH,
    WATCH_BEAT,
    WATCH_CASE,
    WATCH_SIZE,
    Batch,
    Beginning,
    Progress,
    Setup,
)
from sqljury.runs.patience import Lost, Patience
from sqljury.runs.settings import RunSettings
from sqljury.runs.store import VerdictRow, WorkItem, features_of
from sqljury.secrets import learn_from_environment, learn_from_urls
from sqljury.sql import parse
from sqljury.verdict import Outcome, Verdict
from sqljury.work_limit import too_much_work, within_work_limit, work_seconds

if TYPE_CHECKING:
    from sqljury.databases.warehouses import PaidResults
    from sqljury.llm import Client, Request, Spent

_FLUSH_SECONDS = 0.1
_OPEN_DATABASES = 16


class WorkerState:
    """What the judges of one process use: databases, evidence, and the judges themselves."""

    def __init__(self, setup: Setup, watch: mmap.mmap | None = None) -> None:
        self._settings = setup.settings
        self._patience = Patience(setup.settings.sources.databases)
        self._sources = open_sources(setup.settings.sources)
        self._judges: tuple[Judge, ...] = tuple(make_judge(spec) for spec in setup.judges)
        self._at_once = max(setup.threads, setup.batch_size)
        """How many cases need an open database at the same time."""
        self._open: dict[str, Database | SqljuryError | None] = {}
        self._threads = setup.threads
        self._judge_place = 0
        self._judge_began = self._in_statements = 0.0
        """Processor time: when the judge began, and of its statements since then."""
        self._watch_memory = watch
        self._current = threading.local()
        """The number of the case that a thread is judging."""
        self._client = _client(setup.settings)
        self._paid = _open_account(setup.settings, self._client)
        self._missing: list[Request] = []
        self._opening = threading.Lock()
        self.cache = ExecutionCache(watch=self._watch)

    def _watch(self, token: bytes | None) -> None:
        """Records for the parent which statement runs now; None for none."""
        if self._watch_memory is None:
            return
        if self._threads > 1:
            worked, thread = time.thread_time(), threading.get_native_id()
        else:
            worked, thread = time.process_time(), 0
        if token is None:
            _, before, *_ = WATCH.unpack(self._watch_memory[: WATCH.size])
            self._in_statements += worked - before
            self._say_case()
        start = 0.0 if token is None else time.monotonic()
        number = getattr(self._current, "number", 0)
        watched = WATCH.pack(start, worked, thread, token or b"", number)
        self._watch_memory[: WATCH.size] = watched

    def close(self) -> None:
        """Closes all databases; servers are told to cancel what still runs."""
        while self._open:
            with contextlib.suppress(Exception):
                self._close_one()
        if self._sources.suites is not None:
            self._sources.suites.close()
        if self._client is not None:
            self._client.close()
        if self._paid is not None:
            self._paid.close()

    def _close_one(self) -> None:
        """Closes the database that was opened first; cases that share it are finished."""
        database = self._open.pop(next(iter(self._open)))
        if database is not None and not isinstance(database, SqljuryError):
            database.close()

    def _at(self, number: int) -> None:
        """Records for the parent which case is judged now, or SEVERAL."""
        self._current.number = number
        self._judge_place = 0
        self._say_case()

    def _say_case(self) -> None:
        if self._watch_memory is not None:
            began = self._judge_began + self._in_statements
            number = getattr(self._current, "number", 0)
            watched = WATCH_CASE.pack(number, self._judge_place, began)
            self._watch_memory[WATCH.size : WATCH.size + WATCH_CASE.size] = watched

    def judge_all(
        self, items: Sequence[WorkItem]
    ) -> Iterator[tuple[WorkItem, str, list[VerdictRow]]]:
        """The verdicts on several cases, each with its database: first of judges that take one case
        at a time, then of judges that take all cases together."""
        cases = [_case_of(item) for item in items]
        rows: list[list[VerdictRow]] = []
        for case, item in zip(cases, items, strict=True):
            alone = [place for place in item.judges if self._judges[place].batch_size == 1]
            rows.append(list(self.judge(case, item.number, alone)))
        for position, judge in enumerate(self._judges):
            if judge.batch_size == 1:
                continue
            asked = [place for place, item in enumerate(items) if position in item.judges]
            numbered = [(items[place].number, cases[place]) for place in asked]
            for place, row in zip(asked, self._judge_many(position, numbered), strict=True):
                rows[place].append(row)
        for item, case, found in zip(items, cases, rows, strict=True):
            yield item, case.db_id, _with_features(item, case, found)

    def _judge_many(self, position: int, asked: Sequence[tuple[int, Case]]) -> Iterator[VerdictRow]:
        """The verdicts of a judge that takes several cases at once."""
        start = time.perf_counter()
        found = self._together(self._judges[position], asked)
        seconds = (time.perf_counter() - start) / max(1, len(asked))
        for place, (number, case) in enumerate(asked):
            if found is None:  # one of them fails: judging each alone shows which
                yield from self.judge(case, number, (position,))
            else:
                yield VerdictRow.of(number, position, found[place], seconds)

    def _together(self, judge: Judge, asked: Sequence[tuple[int, Case]]) -> list[Verdict] | None:
        """The verdicts on several cases; None if one of them fails or needs another attempt."""
        verdicts: dict[int, Verdict] = {}
        known: dict[int, DatabaseEvidence] = {}
        waiting: dict[int, tuple[Case, DatabaseEvidence]] = {}
        try:
            for place, (number, case) in enumerate(asked):
                self._at(number)
                evidence = self._evidence(case)
                if isinstance(evidence, Lost):
                    return None
                known[place] = evidence
                verdict = settled(judge, case, evidence)
                if verdict is None:
                    waiting[place] = case, evidence
                else:
                    verdicts[place] = verdict
                if evidence.lost is not None:
                    return None
            self._at(SEVERAL)
            verdicts |= zip(waiting, judge.judge_many(list(waiting.values())), strict=True)
        except SqljuryError:
            raise
        except Exception:  # an error in the judge itself
            return None
        if any(evidence.lost is not None for _, evidence in waiting.values()):
            return None
        return [_with_cost(verdicts[place], known[place]) for place in range(len(asked))]

    def judge(self, case: Case, number: int, judges: Sequence[int]) -> Iterator[VerdictRow]:
        """The verdicts of some judges on one case."""
        self._at(number)
        for position in judges:
            start = time.perf_counter()
            if self._threads == 1 and not self._judges[position].runs_network:
                self._judge_place = position + 1
                self._judge_began = time.process_time()
                self._in_statements = 0.0
                self._say_case()
            attempt = partial(self._attempt, self._judges[position], case)
            verdict = self._patience.found(attempt, case.db_id)
            if self._settings.dry_run:
                verdict = self._estimated(verdict)
            elif self._settings.batch and self._waits():
                continue
            seconds = time.perf_counter() - start
            yield VerdictRow.of(number, position, verdict, seconds)

    def _attempt(self, judge: Judge, case: Case) -> Verdict | Lost:
        """A verdict, or why the database could not be reached."""
        evidence = self._evidence(case)
        if isinstance(evidence, Lost):
            return evidence
        verdict = _verdict(judge, case, evidence, self._settings.limits)
        return verdict if evidence.lost is None else Lost(evidence.lost.message)

    def _evidence(self, case: Case) -> DatabaseEvidence | Lost:
        with self._opening:
            database = self._database(case.db_id)
        if isinstance(database, SqljuryError):
            return Lost(str(database))
        return DatabaseEvidence(
            case,
            database,
            self.cache,
            self._settings.limits,
            self._client,
            self._sources.schemas,
            self._sources.suites,
        )

    def _estimated(self, verdict: Verdict) -> Verdict:
        """The verdict with the estimated cost of model calls as measures, if every answer were a
        yes."""
        from sqljury.llm import Rehearsal

        if not isinstance(self._client, Rehearsal):
            return verdict
        found = self._client.estimate()
        self._client.forget()
        measures = {
            "calls": float(found.calls),
            "prompt_tokens": float(found.prompt_tokens),
            "completion_tokens": float(found.completion_tokens),
            "money": found.money or 0.0,
            "unpriced": float(found.money is None),
        }
        return replace(verdict, measures=measures)

    def _waits(self) -> bool:
        """True if the last judge lacked an answer that a batch has to bring; its requests are
        collected."""
        from sqljury.llm import Rehearsal, check_batches

        if not isinstance(self._client, Rehearsal):
            return False
        missing = self._client.missing
        self._client.forget()
        for model in {request.model for request in missing}:
            check_batches(model)
        self._missing += missing
        return bool(missing)

    def told_missing(self) -> tuple[Request, ...]:
        """The requests that cases wait for; each is returned once."""
        missing, self._missing = tuple(self._missing), []
        return missing

    def spent(self) -> Spent | None:
        """What was spent on models; None without a client."""
        return None if self._client is None else self._client.spent

    def _database(self, db_id: str) -> Database | SqljuryError | None:
        if self._sources.databases is None:
            return None
        if db_id not in self._open:
            # Neighbours in the order of work share a database; a benchmark with hundreds of
            # them must not keep hundreds of connections.
            if len(self._open) >= _OPEN_DATABASES + self._at_once:
                self._close_one()
            try:
                opened = self._sources.databases.open(db_id)
                if self._paid is not None:
                    from sqljury.databases.warehouses import bill

                    bill(opened, self._paid)
                self._open[db_id] = opened
            except InfrastructureError as error:
                return error  # it may be possible to open it later
            except SqljuryError as error:
                self._open[db_id] = error
        return self._open[db_id]


def _client(settings: RunSettings) -> Client | None:
    if settings.llm is None:
        return None
    from sqljury.llm import Client, Rehearsal

    if settings.dry_run:
        return Rehearsal(settings.llm, batch=settings.batch)
    if settings.batch:
        given_up = settings.given_up
        return Rehearsal(settings.llm, optimistic=False, batch=True, given_up=given_up)
    return Client(settings.llm)


def _open_account(settings: RunSettings, client: Client | None) -> PaidResults | None:
    billing = settings.billing
    if billing is None:
        return None
    from sqljury.databases.warehouses import PaidResults

    if client is None:
        return PaidResults(billing.path, billing.command, billing.max_cost)
    # One limit for both: each counts what the other spent.
    found = PaidResults(billing.path, billing.command, billing.max_cost, lambda: client.spent.money)
    client.count_too(found.spent)
    return found


def _verdict(judge: Judge, case: Case, evidence: DatabaseEvidence, limits: Limits) -> Verdict:
    def judged() -> Verdict:
        return settled(judge, case, evidence) or judge.judge(case, evidence)

    seconds = work_seconds(limits)
    try:
        found = judged() if judge.runs_network else within_work_limit(judged, seconds)
        verdict = found or Verdict(outcome=Outcome.UNKNOWN, reason=too_much_work(seconds))
    except SqljuryError as error:
        if evidence.lost is None or not isinstance(error, InfrastructureError):
            raise  # the budget is spent, an answer is not in the ledger: the run must stop
        verdict = Verdict(outcome=Outcome.JUDGE_UNAVAILABLE, reason=str(error))
    except RecursionError:
        verdict = Verdict(
            outcome=Outcome.UNKNOWN, reason="the query is nested too deeply for this judge"
        )
    except Exception as error:  # a judge's own fault is a fact about the judge, not the run
        reason = f"the judge failed: {type(error).__name__}: {error}"
        verdict = Verdict(outcome=Outcome.JUDGE_UNAVAILABLE, reason=reason)
    return _with_cost(verdict, evidence)


def _with_cost(verdict: Verdict, evidence: DatabaseEvidence) -> Verdict:
    # A judge that failed, or did not record its costs, may still have called a model.
    cost = evidence.cost if evidence.cost.calls and not verdict.cost.calls else verdict.cost
    if evidence.billed.statements:
        cost = replace(cost, billed=evidence.billed)
    return verdict if cost is verdict.cost else replace(verdict, cost=cost)


class VerdictReporter:
    """Sends verdicts to the parent every tenth of a second, also while a statement runs, so that
    they are not lost when the worker is killed."""

    def __init__(self, replies: IO[bytes], watch: mmap.mmap) -> None:
        self._replies = replies
        self._watch = watch
        self._lock = threading.Lock()
        self._cases: list[int] = []
        self._rows: list[VerdictRow] = []
        self._databases: dict[str, None] = {}
        self._missing: list[Request] = []
        self._spent: Callable[[], Spent | None] = lambda: None
        self._reported: Spent | None = None
        threading.Thread(target=self._flush_now_and_then, daemon=True).start()

    def watch_spending(self, spent: Callable[[], Spent | None]) -> None:
        """Also report what is spent on models, read from this function."""
        self._spent = spent

    def add(
        self, case: int, db_id: str, rows: list[VerdictRow], missing: Sequence[Request] = ()
    ) -> None:
        """Adds all verdicts on a case, and the requests that it waits for."""
        with self._lock:
            self._databases[db_id] = None
            self._rows.extend(rows)
            self._missing.extend(missing)
            self._cases.append(case)

    def flush(self) -> None:
        """Sends what was not sent yet."""
        with self._lock:
            spent = self._new_spending()
            if self._cases or spent is not None:
                found = tuple(self._rows), tuple(self._databases), tuple(self._missing)
                send(self._replies, Progress(tuple(self._cases), *found, spent))
                self._rows.clear()
                self._databases.clear()
                self._missing.clear()
                self._cases.clear()

    def _new_spending(self) -> Spent | None:
        spent, reported = self._spent(), self._reported
        if spent == reported or spent is None:
            return None
        self._reported = spent
        return spent if reported is None else spent.since(reported)

    def fail(self, error: SqljuryError) -> None:
        """Sends what is left, then an error, after which nothing follows."""
        self.flush()
        with self._lock:
            send(self._replies, SentError.of(error))

    def _flush_now_and_then(self) -> None:
        with contextlib.suppress(OSError, ValueError):  # the parent is gone
            while True:
                self._watch[-WATCH_BEAT.size :] = WATCH_BEAT.pack(time.monotonic())
                time.sleep(_FLUSH_SECONDS)
                self.flush()


def _serve(
    bench: WorkerState, setup: Setup, requests: IO[bytes], reporter: VerdictReporter
) -> None:
    if setup.threads == 1:
        while (batch := _next_batch(requests)) is not None:
            bench.cache.known.update(batch.known)
            if setup.batch_size > 1:
                for item, db_id, rows in bench.judge_all(batch.items):
                    reporter.add(item.number, db_id, rows)
            else:
                for item in batch.items:
                    _judge(bench, item, reporter)
            reporter.flush()
        return
    from concurrent.futures import ThreadPoolExecutor

    # Threads that import the parser at the same moment can see it half imported.
    for dialect in ("sqlite", "duckdb", "postgres", "mysql"):
        parse("SELECT 1", dialect)
    with ThreadPoolExecutor(setup.threads) as executor:
        while (batch := _next_batch(requests)) is not None:
            bench.cache.known.update(batch.known)
            for item in batch.items:
                executor.submit(_judge_in_thread, bench, item, reporter)


def _next_batch(requests: IO[bytes]) -> Batch | None:
    batch: Batch | None = pickle.loads(receive_bytes(requests))
    return batch


def _case_of(item: WorkItem) -> Case:
    return Case.from_dict(json.loads(item.body))


def _with_features(item: WorkItem, case: Case, rows: list[VerdictRow]) -> list[VerdictRow]:
    if not rows or not item.lacks_features:
        return rows
    return [rows[0]._replace(features=features_of(case)), *rows[1:]]


def _judge(bench: WorkerState, item: WorkItem, reporter: VerdictReporter) -> None:
    case = _case_of(item)
    rows = _with_features(item, case, list(bench.judge(case, item.number, item.judges)))
    reporter.add(item.number, case.db_id, rows, bench.told_missing())


def _judge_in_thread(bench: WorkerState, item: WorkItem, reporter: VerdictReporter) -> None:
    try:
        _judge(bench, item, reporter)
    except SqljuryError as error:
        reporter.fail(error)


def _collect_seldom() -> None:
    """Lets the garbage collector leave out what was imported, and run less often.

    Judges keep many small objects, such as nodes of trees, that it would visit again and again.
    """
    gc.freeze()
    gc.set_threshold(10_000, 10, 4)


def main() -> None:
    """Judges until standard input ends."""
    requests, replies = private_streams()
    # Ctrl-C in a terminal reaches the whole process group; the parent decides what to do.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        beginning: Beginning = pickle.loads(receive_bytes(requests))
    except EOFError:  # started ahead, and not needed
        leave_at_once()
    os.environ.clear()
    os.environ.update(beginning.environment)
    setup = beginning.setup
    try:
        file = Path(beginning.watch).open("r+b")  # noqa: SIM115 - while there is no sandbox
    except FileNotFoundError:  # the parent has ended already, and removed its folder
        leave_at_once()
    if setup.sandbox is not None:
        setup.sandbox.enter()  # before there are threads
    end_with_parent()
    learn_from_environment()
    learn_from_urls(setup.settings.sources.databases or "")
    bench: WorkerState | None = None
    with file:
        watch = mmap.mmap(file.fileno(), WATCH_SIZE)
    reporter = VerdictReporter(replies, watch)
    try:
        bench = WorkerState(setup, watch)
        _collect_seldom()
        reporter.watch_spending(bench.spent)
        _serve(bench, setup, requests, reporter)
    except SqljuryError as error:
        reporter.fail(error)
    except (EOFError, BrokenPipeError):
        pass  # the parent is gone; there is nobody to report to
    except OSError as error:
        reporter.fail(InfrastructureError("SJ405", f"a worker cannot work: {error}."))
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it is already ending
        if bench is not None:
            bench.close()
    leave_at_once()
