"""Runs judges over cases: resumable, with any number of workers, the same result every time."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sqljury.benchmarks import AS_WRITTEN
from sqljury.case import Case
from sqljury.closing import Closing
from sqljury.errors import InputError, SqljuryError
from sqljury.isolation import missing
from sqljury.judges import Judge, Needs, has_all_rows, make_judge, needs_database, spec_of
from sqljury.runs.fingerprints import Changes, DataContents, DataFingerprints, short_hash
from sqljury.runs.judge_groups import JudgeGroup, groups_of
from sqljury.runs.pool import WorkerPool
from sqljury.runs.settings import Billing, RunSettings, Shard, default_client, signature, store_key
from sqljury.runs.store import CaseRow, RunStore, VerdictRow, WorkItem, sliced_text
from sqljury.secrets import learn_from_environment, learn_from_urls
from sqljury.trusted import is_trusted, names_server
from sqljury.verdict import Record
from sqljury.version import __version__
from sqljury.writing import new_folder

if TYPE_CHECKING:
    from sqljury.llm import ClientSettings, Request, Spent
    from sqljury.runs.ray_pool import RayPool

_TURN = 64
"""Cases that are read between two checks of the workers."""
_MOST_WAITING = 1024
"""Most cases that are kept in memory for workers."""


class WhileReading:
    """Gives cases to the workers of one group of judges while later cases are still being read.

    Args:
        store: must be without cases, so that each case needs every judge.
        keys: the judges' keys in the store.
    """

    def __init__(self, store: RunStore, pool: WorkerPool, keys: Sequence[str]) -> None:
        self._store = store
        self._pool = pool
        self._numbers = store.judge_numbers(keys)
        self._judges = tuple(range(len(keys)))
        self._waiting: deque[WorkItem] = deque()
        self._read = 0
        self._failure: SqljuryError | None = None

    def stored(self, number: int, row: CaseRow) -> None:
        """Called after a case was stored under this number."""
        if len(self._waiting) < _MOST_WAITING:
            group = row.case.db_id, row.batch_key
            self._waiting.append(WorkItem(number, row.body, self._judges, group, True))
        self._read += 1
        if self._read % _TURN == 0 and self._failure is None:
            self._store.add_verdicts(self._found(), self._numbers)

    def _found(self) -> list[VerdictRow]:
        try:
            return [row for rows in self._pool.judge_meanwhile(self._waiting) for row in rows]
        except SqljuryError as error:
            self._failure = error  # raised in check(), after faults of the input
            return []

    def check(self) -> None:
        """Raises what stopped the workers, if anything; to be called when all cases are read.

        Raises:
            SqljuryError: the workers cannot work.
        """
        if self._failure is not None:
            raise self._failure


# ------------------------------------------------------------
# Runs judges over cases: resumable, with any number of workers, the same result every time.

_COMMIT_SECONDS = 0.5

OnProgress = Callable[[int, int], None]
"""Called with the number of verdicts found so far, and of verdicts in all."""


@dataclass(frozen=True, slots=True)
class RunJudge:
    """A judge of a run: its canonical name, its key in the store, its signature line, and the score
    from which on it says yes."""

    name: str
    key: str
    signature: str
    threshold: float = 0.5


class Run(Closing):
    """A run on disk: judged, or being judged.

    Attributes:
        missing: requests whose answers cases without a verdict wait for, by key; only in batch
            mode.
        paid: what this command spent on models; None if no judge asks any.
    """

    def __init__(self, store: RunStore, *, is_own: bool = False) -> None:
        self._store = store
        self._is_own = is_own
        self.missing: Mapping[str, Request] = {}
        self.paid: Spent | None = None

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return self._store.folder

    @property
    def databases(self) -> str | None:
        """Where the run's databases are, to read their schemas from; None if it says nothing.

        None, too, if a run of an earlier command names a server and its folder is not trusted:
        somebody else may have written it.
        """
        places = str(self.manifest.get("databases") or "")
        if not self._is_own and names_server(places) and not is_trusted(self.folder):
            return None
        return places or None

    @property
    def judges(self) -> tuple[RunJudge, ...]:
        """The judges of the last command on this run."""
        try:
            judges = cast("list[dict[str, Any]]", self._store.fact("judges") or [])
            return tuple(RunJudge(**judge) for judge in judges)
        except TypeError as error:
            raise self._store.damaged(f"what it says of its judges ({error})") from error

    @property
    def manifest(self) -> Mapping[str, object]:
        """What the run was made with: versions, data fingerprints, settings."""
        manifest = self._store.fact("manifest")
        return manifest if isinstance(manifest, dict) else {}

    @property
    def reading(self) -> Mapping[str, Any]:
        """How the cases were read: the files, how many predictions were extracted from prose, which
        files were matched by position, which system was asked."""
        found = self.manifest.get("reading")
        return found if isinstance(found, dict) else {}

    def own_columns(self) -> list[str]:
        """The names of the input's columns that are not a field of a case."""
        return self._store.own_columns()

    def count_cases(self) -> int:
        """The number of cases."""
        return self._store.count_cases()

    def records(
        self,
        *,
        whole: bool = True,
        with_evidence: bool = True,
        case_id: str = "",
        place: int | None = None,
        by_question: bool = False,
    ) -> Iterator[Record]:
        """Records by case, then judge, in the order of the input, independent of the workers.

        Args:
            whole: return complete cases; otherwise only the parts that slices and labels need.
            with_evidence: include the verdicts' evidence, which is most of a run's data.
            case_id: only cases with this id; empty for all.
            place: only the case at this position of the input, from 0.
            by_question: put the answers of all systems to a question next to each other.
        """
        pairs = [(judge.name, judge.key) for judge in self.judges]
        return self._store.records(
            pairs,
            whole=whole,
            with_evidence=with_evidence,
            case_id=case_id,
            place=place,
            by_question=by_question,
        )

    def close(self) -> None:
        """Closes the store."""
        self._store.close()


def open_run(folder: str | Path) -> Run:
    """Opens a run on disk.

    Raises:
        InputError: the folder is not a run.
    """
    return Run(RunStore(Path(folder), create=False))


def run_judges(
    cases: Iterable[Case] | None,
    judges: Sequence[str | Judge],
    settings: RunSettings,
    *,
    folder: str | Path,
    on_progress: OnProgress = lambda _done, _total: None,
) -> Run:
    """Judges every case by every judge; verdicts that the folder already has are not computed
    again.

    Args:
        cases: None continues with the cases that are in the folder.

    Raises:
        InputError: no case, no database at all, an unknown judge, input that cannot be used.
        InfrastructureError: the workers cannot work.
    """
    learn_from_environment()
    learn_from_urls(settings.sources.databases or "")
    made = [make_judge(spec) for spec in judges]
    _check_distinct(made)
    groups = [group for group in groups_of(made) if group.judges]
    store = RunStore(Path(folder), create=True)
    settings = _with_billing(settings, Path(folder))
    if groups[-1].asks_models and settings.llm is None:
        settings = replace(settings, llm=default_client(Path(folder)))
    try:
        with ExitStack() as stack:
            if cases is None:
                groups = [group for group in groups if group.has_work(store, settings)]
            # Workers import their modules while the cases are read.
            changes = Changes()
            contents = partial(_contents, store)
            pools = [group.pool(settings, changes, contents) for group in groups]
            for pool in pools:
                stack.enter_context(pool)
            if cases is not None:
                reading = {
                    "joined_by_position": [*getattr(cases, "by_position", ())],
                    "files": getattr(cases, "files", {}),
                    "system": getattr(cases, "system", None),
                }
                if settings.overlay is not None:
                    cases = settings.overlay.laid_over(cases)
                ahead = _ahead(store, groups[0], pools[0], settings)
                _load(store, cases, reading, made, settings, changes, ahead)
            progress = _Progress(
                store, [store_key(judge, settings.limits) for judge in made], on_progress
            )
            # Cheap evidence first: verdicts from rows are there before a model is asked.
            for group, pool in zip(groups, pools, strict=True):
                _judge_all(store, pool, group.keys(settings), progress)
    except BaseException:
        store.close()
        raise
    run = Run(store, is_own=True)
    if groups and groups[-1].asks_models and settings.llm is not None:
        _settle(settings.llm)
    for group, pool in zip(groups, pools, strict=True):
        if group.asks_models:
            run.missing, run.paid = pool.missing, pool.spent or _nothing()
    return run


def _with_billing(settings: RunSettings, folder: Path) -> RunSettings:
    max_cost = None if settings.llm is None else settings.llm.max_cost
    billing = Billing.of(settings.sources, folder.absolute(), max_cost)
    if billing is not None:
        new_folder(Path(billing.path).parent)
    return replace(settings, billing=billing)


def _ahead(
    store: RunStore, group: JudgeGroup, pool: WorkerPool | RayPool, settings: RunSettings
) -> WhileReading | None:
    """The object that judges while cases are read; None if the store is not new, or the group's
    verdicts cost money or depend on other cases."""
    if not group.one_by_one or not isinstance(pool, WorkerPool) or not store.is_new:
        return None
    return WhileReading(store, pool, group.keys(settings))


def _contents(store: RunStore) -> DataContents:
    """Fingerprints of the run's databases and suites, from its manifest."""
    manifest = store.fact("manifest")
    found = manifest if isinstance(manifest, dict) else {}
    return DataContents(found.get("contents") or {}, found.get("suites") or {})


def _settle(llm: ClientSettings) -> None:
    """Merges into the ledger what a killed worker left in the -wal file next to it."""
    from sqljury.llm import Ledger

    if llm.ledger is not None and not llm.replay and Path(f"{llm.ledger}-wal").exists():
        Ledger(llm.ledger).close()


def _nothing() -> Spent:
    from sqljury.llm import Spent

    return Spent()


class _Progress:
    """Counts verdicts over all groups of judges."""

    def __init__(self, store: RunStore, keys: Sequence[str], on_progress: OnProgress) -> None:
        self._total = store.count_cases() * len(keys)
        self._done = self._total - store.count_work(keys)
        self._on_progress = on_progress
        self.add(0)

    def add(self, verdicts: int) -> None:
        """Adds to the count and reports it."""
        self._done += verdicts
        self._on_progress(self._done, self._total)


def _check_distinct(judges: Sequence[Judge]) -> None:
    names = [spec_of(judge) for judge in judges]
    if not names:
        raise InputError("SJ407", "no judge was asked for.", hint="Add --judge execution.")
    for name in names:
        if names.count(name) > 1:
            raise InputError("SJ408", f"the judge {name!r} was asked for twice.")


# ---------------------------------------------------------------- cases and data in


def _load(
    store: RunStore,
    cases: Iterable[Case],
    reading: Mapping[str, object],
    judges: Sequence[Judge],
    settings: RunSettings,
    changes: Changes,
    ahead: WhileReading | None,
) -> None:
    needing = [spec_of(judge) for judge in judges if needs_database(judge)]
    with_database = [judge for judge in judges if needs_database(judge)]
    if needing and settings.sources.databases is None:
        cases = _check_databases(cases, with_database)
    by_suite = [spec_of(judge) for judge in judges if judge.needs & Needs.SUITE]
    if by_suite and settings.sources.suites is None:
        raise InputError(
            "SJ415",
            f"{', '.join(by_suite)} needs test suites, and none were named.",
            hint="Add --suites with a folder that holds DB_ID/*.sqlite or DB_ID.tar.xz.",
        )
    by_schema = [spec_of(judge) for judge in judges if judge.needs & Needs.SCHEMA]
    data = DataFingerprints(settings, changes)
    digest = hashlib.sha256()
    prose: Counter[bool] = Counter()
    rows = _rows(cases, data, digest.update, settings.shard, prose)
    if ahead is None:
        store.replace_cases(rows)
    else:
        store.replace_cases(rows, ahead.stored)
    if not data.fingerprints:
        raise InputError("SJ409", "there are no cases in the input.")
    if by_suite and not data.has_suites:
        raise InputError(
            "SJ415",
            f"{settings.sources.suites!r} has no suite for any of "
            f"{_some(sorted(data.fingerprints))}.",
            hint="Point --suites to the folder that holds DB_ID/*.sqlite or DB_ID.tar.xz.",
        )
    if needing and settings.sources.databases is not None and not data.has_databases:
        raise InputError(
            "SJ410",
            f"none of the databases that the cases name is in {settings.sources.databases!r}: "
            f"{_some(sorted(data.fingerprints))}.",
            hint="Point --databases to the folder that holds DB_ID/DB_ID.sqlite, or to a URL "
            "with {db_id}.",
        )
    if by_schema and not data.has_schemas:
        raise InputError(
            "SJ414",
            f"{', '.join(by_schema)} needs to know the tables, and no case's schema is known.",
            hint="Add --schema with CREATE TABLE statements or a tables.json, or --databases.",
        )
    reading = {"taken_out_of_prose": prose.total(), **reading}
    _write_manifest(store, judges, settings, data, digest.hexdigest(), reading)
    if ahead is not None:
        ahead.check()


def _check_databases(cases: Iterable[Case], judges: Sequence[Judge]) -> Iterator[Case]:
    """Passes cases through; raises if judges need databases and no case can do without.

    Result tables need no database. If only some predictions are such, the others are
    ``database_missing``.
    """
    needing: list[Judge] = []
    tables = 0
    for number, case in enumerate(cases):
        lacking = [judge for judge in judges if not has_all_rows(judge, case)]
        needing = needing or lacking
        if lacking and number == 0 and not case.reference_tables:
            break
        tables += case.predicted_table is not None
        yield case
    else:
        if tables or not needing:
            return
    raise InputError(
        "SJ413",
        f"{', '.join(map(spec_of, needing))} needs databases, and none were named.",
        hint="Add --databases with a folder that holds DB_ID/DB_ID.sqlite, or a URL.",
    )


def _rows(
    cases: Iterable[Case],
    data: DataFingerprints,
    digest: Callable[[bytes], None],
    shard: Shard | None,
    prose: Counter[bool],
) -> Iterator[CaseRow]:
    """Yields the cases of a shard with their position in the whole input; the digest covers all
    cases.

    Args:
        prose: counts cases of the shard whose prediction was extracted from prose.
    """
    for ordinal, case in enumerate(cases):
        judged = f"{case.fingerprint()}:{data.fingerprint(case)}".encode()
        fingerprint = hashlib.blake2b(judged, digest_size=16).digest()
        digest(fingerprint)
        text = sliced_text(case)
        # Judges that take several cases at once share work between the candidates of a question.
        batch_key = short_hash(text if case.reference_sqls else case.question or text)
        if shard is not None and not shard.holds(case.db_id, batch_key):
            continue
        if AS_WRITTEN in case.extra:
            prose[True] += 1
        body = json.dumps(case.to_dict())
        yield CaseRow(case, body, fingerprint, batch_key, ordinal)


def _some(names: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(name or "(no db_id)" for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def _write_manifest(
    store: RunStore,
    judges: Sequence[Judge],
    settings: RunSettings,
    data: DataFingerprints,
    digest: str,
    reading: Mapping[str, object],
) -> None:
    limits, engines = settings.limits, sorted(data.engines)
    signed = [
        RunJudge(
            spec_of(judge),
            store_key(judge, limits),
            signature(judge, engines, settings, digest),
            judge.threshold,
        )
        for judge in judges
    ]
    places = (settings.sources.databases or "").split(",")
    without_passwords = [re.sub(r"(://[^:@/?#]*):.*@", r"\1:***@", each) for each in places]
    store.set_facts(
        {
            "judges": [asdict(judge) for judge in signed],
            "manifest": {
                "sqljury": __version__,
                "python": sys.version.split()[0],
                "databases": ",".join(without_passwords),
                "engines": engines,
                "contents": data.fingerprints,
                "suites": data.suites,
                "sandbox_lacks": missing(),
                "limits": {name: getattr(limits, name) for name in limits.__slots__},
                "data": digest,
                "reading": reading,
                **({} if settings.shard is None else {"shard": str(settings.shard)}),
            },
        }
    )


# ---------------------------------------------------------------- verdicts out


def _judge_all(
    store: RunStore, pool: WorkerPool | RayPool, keys: Sequence[str], progress: _Progress
) -> None:
    numbers = store.judge_numbers(keys)
    committed = time.monotonic()
    try:
        for verdicts in pool.run(store.work(keys)):
            store.add_verdicts(verdicts, numbers)
            progress.add(len(verdicts))
            if time.monotonic() - committed > _COMMIT_SECONDS:
                store.commit()
                committed = time.monotonic()
    finally:
        store.commit()
