"""What a command, a function or a worker is told: each setting once, with its type and its help.

Fields are annotated with an :class:`Option`. From these values come the options of the command
line (:mod:`sqljury.cli.flags`), the keys of the project file, and what a run keeps.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final

from sqljury.errors import InputError

PathLike = str | os.PathLike[str]
MIB: Final = 1024 * 1024
_LEAST_MEMORY: Final = MIB
_UNITS: Final = {"": 1, "k": 1024, "m": MIB, "g": 1024 * MIB, "t": 1024 * 1024 * MIB}


@dataclass(frozen=True, slots=True)
class Option:
    """How a setting is typed, and what it may be.

    Args:
        help: what it does, in a line.
        names: the options; the field's own name by default.
        least: the least number.
        must_exist: it is a file or a folder that is there.
        is_written: it is a file that is written: whether it can be is checked before the work.
        is_early: others look at it.
        is_common: most people need it: it stands first in the help.
        panel: where it stands in the help of a command with many options.
        parse: makes the value of the text; ``shown`` is then how the default is written.
    """

    help: str
    names: tuple[str, ...] = ()
    least: float | None = None
    must_exist: bool = False
    is_written: bool = False
    is_early: bool = False
    is_common: bool = False
    panel: str = ""
    parse: Callable[[Any], Any] | None = None
    shown: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """The fields of a value that a command has options for; the others keep their defaults."""

    names: frozenset[str]


def option(help: str, *names: str, **more: Any) -> Option:
    """An option; see :class:`Option`."""
    return Option(help, names, **more)


def only(*names: str) -> Shown:
    """Some fields of a value: ``Annotated[Sources, only("databases", "schemas")]``."""
    return Shown(frozenset(names))


def parse_size(text: str | int) -> int:
    """Bytes from ``268435456``, ``256MiB``, ``256MB``, ``256M``: all binary units.

    Raises:
        InputError: SJ002: not a size.

    >>> parse_size("256MiB"), parse_size("1.5k")
    (268435456, 1536)
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*", str(text).lower())
    if not match or float(match[1]) == 0:
        raise InputError("SJ002", f"{text!r} is not a size.", hint="Write 256MiB or 1GiB.")
    return int(float(match[1]) * _UNITS[match[2]])


def parse_memory(text: str | int) -> int:
    """As :func:`parse_size`, for the memory of an engine.

    Raises:
        InputError: SJ002: not a size, or less than an engine needs to start.
    """
    found = parse_size(text)
    if found < _LEAST_MEMORY:
        raise InputError(
            "SJ002",
            f"--limit-memory {text} is less than an engine needs to start.",
            hint="Write 1MiB or more; 1GiB is usual.",
        )
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where databases, and what is known of them, come from; None where there is none."""

    databases: Annotated[
        str | None,
        option(
            "Folder (DB_ID/DB_ID.sqlite), file, or URL with {db_id}.",
            *("--databases", "-d"),
            is_common=True,
        ),
    ] = None
    schemas: Annotated[
        str | None,
        option(
            "CREATE TABLE statements, a file of them, or tables.json.",
            *("--schemas", "--schema"),
            is_common=True,
        ),
    ] = None
    descriptions: Annotated[
        str | None, option("Folder of column descriptions.", "--descriptions", must_exist=True)
    ] = None
    suites: Annotated[
        str | None,
        option(
            "Folder of test suites: DB_ID/*.sqlite or DB_ID.tar.xz.", "--suites", must_exist=True
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaSource:
    """Where the schema of single queries comes from, and how they are written."""

    schema: Annotated[
        str | None, option("CREATE TABLE statements, a file of them, or tables.json.", "--schema")
    ] = None
    database: Annotated[
        str | None, option("File or URL to take the schema from.", "--database", "-d")
    ] = None
    db_id: Annotated[str, option("Which one, where there are several.", "--db-id")] = ""
    dialect: Annotated[
        str | None, option("Dialect of the SQL: sqlite, postgres, mysql, ...", "--dialect")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """How files of cases are read."""

    predictions: Annotated[
        tuple[Path, ...],
        option(
            "Prediction files, joined to the cases by id.",
            *("--predictions", "-p"),
            is_common=True,
        ),
    ] = ()
    format: Annotated[
        str | None, option("Format of the files; detected by default.", "--format", is_common=True)
    ] = None
    map: Annotated[
        str | None,
        option(
            "Key names: question=q,reference_sqls=gold,predicted_sql=sql.",
            "--map",
            is_common=True,
        ),
    ] = None
    strip_fences: Annotated[
        bool,
        option(
            "Take predictions out of prose, thoughts and code fences.",
            "--strip-fences/--keep-fences",
        ),
    ] = True
    overlay: Annotated[
        tuple[Path, ...],
        option("Corrections of references, see `sqljury audit`; several are merged.", "--overlay"),
    ] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one query may use. Each limit ends in a status of its own."""

    seconds: Annotated[float, option("Seconds for one query.", "--limit-seconds", least=0.001)] = (
        30.0
    )
    rows: Annotated[int, option("Rows of one result.", "--limit-rows", least=1)] = 1_000_000
    bytes: Annotated[
        int,
        option(
            "Size of one result, such as 256MiB.",
            "--limit-bytes",
            parse=parse_size,
            shown="256MiB",
        ),
    ] = 256 * MIB
    """Estimated size of the fetched values, in bytes."""
    memory: Annotated[
        int,
        option(
            "Memory of the engine, such as 1GiB.",
            "--limit-memory",
            parse=parse_memory,
            shown="1GiB",
        ),
    ] = 1024 * MIB
    """What the engine itself may allocate, in bytes, where the engine can be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """Where a run is kept, and how it is executed."""

    run: Annotated[
        Path | None,
        option(
            "Folder of the run; the same again resumes.", "--run", is_early=True, is_common=True
        ),
    ] = None
    workers: Annotated[
        int | None,
        option("Processes; one per core.", "--workers", "-w", least=1, is_common=True),
    ] = None
    executor: Annotated[
        str, option("local, or ray[:ADDRESS]: judge on the nodes of a cluster.", "--executor")
    ] = "local"
    shard: Annotated[
        str | None,
        option("I/N: judge the I-th of N parts; see `sqljury runs merge`.", "--shard"),
    ] = None
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCalls:
    """How chat models are asked."""

    ledger: Annotated[
        Path | None, option("File that keeps what chat models answer.", "--ledger")
    ] = None
    replay: Annotated[Path | None, option("Answer from this ledger; ask nobody.", "--replay")] = (
        None
    )
    max_cost: Annotated[float | None, option("US dollars to spend at most.", "--max-cost")] = None
    concurrency: Annotated[
        int, option("Calls to chat models at once.", "--concurrency", least=1)
    ] = 8
    model_option: Annotated[
        tuple[str, ...], option("KEY=VALUE for all models, repeatable.", "--model-option")
    ] = ()
    repeats: Annotated[
        int, option("Ask each model judge so often; majority.", "--repeats", least=1)
    ] = 1
    requests_per_minute: Annotated[
        int | None,
        option("Calls to chat models at most.", "--requests-per-minute", least=1),
    ] = None
    tokens_per_minute: Annotated[
        int | None,
        option("Tokens asked and answered at most.", "--tokens-per-minute", least=1),
    ] = None
    prices: Annotated[
        Path | None, option("Price table over the shipped one.", "--prices", must_exist=True)
    ] = None
    recorded: Annotated[
        Path | None,
        option("Folder of ROSE outputs that answer for the judges.", "--recorded", must_exist=True),
    ] = None
    dry_run: Annotated[bool, option("Print what asking chat models would cost.", "--dry-run")] = (
        False
    )
    batch: Annotated[
        bool, option("Ask in batches, at half the price; run again to collect.", "--batch")
    ] = False
    wait: Annotated[bool, option("With --batch: wait for the answers.", "--wait")] = False

    @property
    def is_limited(self) -> bool:
        """Whether a ledger, a replay or a price limit is given."""
        return bool(self.ledger or self.replay or self.max_cost is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """What is printed, and which files are written."""

    json: Annotated[bool, option("Print JSON instead of tables.", "--json", is_common=True)] = False
    html: Annotated[
        Path | None,
        option("Write a self-contained HTML report.", "--html", is_written=True, is_common=True),
    ] = None
    csv: Annotated[
        Path | None,
        option("Write a line per case and judge as CSV.", "--csv", is_written=True),
    ] = None
    export: Annotated[
        Path | None,
        option(
            "Write a line per case and judge: JSONL, or FILE.parquet.",
            "--export",
            is_written=True,
        ),
    ] = None
    failures: Annotated[
        int,
        option(
            "List failures by cause, so many of each cause.",
            "--failures",
            least=0,
            is_common=True,
        ),
    ] = 0
    by: Annotated[
        tuple[str, ...], option("Column of the input to give scores by, repeatable.", "--by")
    ] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreGate:
    """What a score must reach."""

    fail_under: Annotated[
        float | None,
        option("Exit 1 when a score is below, in [0, 1].", "--fail-under", is_common=True),
    ] = None
    max_left_out: Annotated[
        str | None,
        option(
            "Cases that may be left out of a score, a number or a share such as 2%; else exit 1. "
            "0 with --fail-under.",
            "--max-left-out",
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """What is drawn by chance."""

    seed: Annotated[int, option("Seed of all that is drawn.", "--seed")] = 0
    bootstrap: Annotated[int, option("Resamples for the intervals.", "--bootstrap", least=0)] = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How candidates are sampled from a model.

    Args:
        options: further options of the model, as for judges.
    """

    model: Annotated[
        str,
        option("PROVIDER:MODEL, or local:FOLDER (transformers).", "--model", "-m", is_common=True),
    ]
    n: Annotated[int, option("Candidates for each question.", "-n", least=1, is_common=True)] = 32
    per_call: Annotated[int, option("How many of them one call brings.", "--per-call", least=1)] = 1
    temperature: Annotated[
        float, option("Of the sampling; 0 is greedy.", "--temperature", least=0.0)
    ] = 0.8
    top_p: Annotated[float, option("Above 0, at most 1.", "--top-p")] = 1.0
    max_tokens: Annotated[
        int, option("The most that one answer may have.", "--max-tokens", least=1)
    ] = 1024
    seed: Annotated[
        int | None,
        option("Of the sampling [default: 0 where the provider takes one].", "--seed"),
    ] = None
    style: Annotated[
        str,
        option(
            "The schema: create, columns, or serialized: one line with the question (T5).",
            "--style",
        ),
    ] = "create"
    prompt: Annotated[
        PathLike | None, option("Instructions instead of the bundled ones.", "--prompt")
    ] = None
    mode: Annotated[
        str,
        option(
            "sql; demo: SQL or not_answerable; verbal: SQL and a mark; din_sql: SQL in four "
            "calls, the last corrects it; din_sql_generic: with the paper's generic correction.",
            "--mode",
        ),
    ] = "sql"
    demos: Annotated[PathLike | None, option("Cases to demonstrate with.", "--demos")] = None
    positives: Annotated[
        int | None, option("Answerable ones, of each database.", "--positives", least=0)
    ] = None
    negatives: Annotated[
        int | None,
        option("Unanswerable ones; verbal: with wrong SQL.", "--negatives", least=0),
    ] = None
    pick: Annotated[str, option("Which are shown: similar, dense or fixed.", "--pick")] = "similar"
    retriever: Annotated[
        PathLike | None,
        option(
            "Folder or name of a sentence model for --pick dense [default: all-MiniLM-L6-v2].",
            "--retriever",
        ),
    ] = None
    demo_databases: Annotated[
        int, option("Of so many other databases; 0: of its own.", "--demo-databases", least=0)
    ] = 0
    demo_schemas: Annotated[
        PathLike | None, option("Where those are: a folder, or tables.json.", "--demo-schemas")
    ] = None
    logprobs: Annotated[
        int, option("Write each token with so many alternatives.", "--logprobs", least=0)
    ] = 0
    options: Mapping[str, str] | None = None


VALUES: Final = (
    Sources,
    SchemaSource,
    Input,
    Limits,
    Running,
    ModelCalls,
    Showing,
    ScoreGate,
    Drawing,
    Sampling,
)
"""All values of settings that commands share."""
