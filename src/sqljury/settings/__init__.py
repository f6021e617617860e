"""The settings of commands, functions and workers, each declared once with type and help text.

The fields are annotated with an :class:`Option`. The options of the command line
(:mod:`sqljury.cli.flags`) and the keys of the project file are made from these dataclasses, and
runs store them.
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
    """The command-line option of a setting.

    Args:
        help: the help text, one line.
        names: the option's names; by default made from the field's name.
        least: the smallest number allowed.
        must_exist: the value is the path of an existing file or folder.
        is_written: the value is an output file; before the work it is checked to be writable.
        is_early: it is parsed before the other options.
        is_common: most users need it: help lists it before the panels.
        panel: its panel in the help of a command with many options.
        parse: makes the value from the typed text.
        shown: the default in the help, for options with ``parse``.
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
class Argument:
    """An argument of a command: a value that is known by its position.

    Args:
        help: the help text, one line.
        is_folder: an existing file is refused.
    """

    help: str
    is_folder: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """The fields of a settings dataclass that a command has options for.

    The other fields keep their defaults.
    """

    names: frozenset[str]


def option(help: str, *names: str, **more: Any) -> Option:
    """An :class:`Option` with these names; ``more`` are its other fields."""
    return Option(help, names, **more)


def only(*names: str) -> Shown:
    """Some fields of settings, as in ``Annotated[Sources, only("databases", "schemas")]``."""
    return Shown(frozenset(names))


def parse_size(text: str | int) -> int:
    """The number of bytes in ``268435456``, ``256MiB``, ``256MB`` or ``256M``; units are binary.

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
    """The number of bytes in an engine's memory limit; see :func:`parse_size`.

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
    """Where databases, schemas, column descriptions and test suites come from; None: not given."""

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
        str | None,
        option(
            "Folder of column descriptions (CSV, as BIRD's).", "--descriptions", must_exist=True
        ),
    ] = None
    suites: Annotated[
        str | None,
        option(
            "Folder of test suites: DB_ID/*.sqlite or DB_ID.tar.xz.", "--suites", must_exist=True
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaSource:
    """The schema and the dialect for commands on single queries."""

    schema: Annotated[
        str | None, option("CREATE TABLE statements, a file of them, or tables.json.", "--schema")
    ] = None
    database: Annotated[
        str | None, option("File or URL to take the schema from.", "--database", "-d")
    ] = None
    db_id: Annotated[str, option("Database to use, if there are several.", "--db-id")] = ""
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
            "Extract predicted SQL from prose, thoughts and code fences.",
            "--strip-fences/--keep-fences",
        ),
    ] = True
    overlay: Annotated[
        tuple[Path, ...],
        option("File of corrected references (`sqljury audit accept`); repeatable.", "--overlay"),
    ] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one query may use. Exceeding each limit gives a status of its own."""

    seconds: Annotated[
        float, option("Most seconds for one query.", "--limit-seconds", least=0.001)
    ] = 30.0
    rows: Annotated[int, option("Most rows of one result.", "--limit-rows", least=1)] = 1_000_000
    bytes: Annotated[
        int,
        option(
            "Largest result, such as 256MiB.",
            "--limit-bytes",
            parse=parse_size,
            shown="256MiB",
        ),
    ] = 256 * MIB
    """Estimated size of the fetched values, in bytes."""
    memory: Annotated[
        int,
        option(
            "Most memory of the engine, such as 1GiB.",
            "--limit-memory",
            parse=parse_memory,
            shown="1GiB",
        ),
    ] = 1024 * MIB
    """The most memory that the engine may allocate, in bytes, if the engine has such a limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """Where a run is kept, and how it is executed."""

    run: Annotated[
        Path | None,
        option(
            "Folder of the run; an existing run resumes.", "--run", is_early=True, is_common=True
        ),
    ] = None
    workers: Annotated[
        int | None,
        option("Number of processes [one per core].", "--workers", "-w", least=1, is_common=True),
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
    """The settings of calls to chat models: ledger (file of answers), limits, prices, batches."""

    ledger: Annotated[
        Path | None, option("File that keeps the answers of chat models.", "--ledger")
    ] = None
    replay: Annotated[
        Path | None, option("Answer from this ledger; call no model.", "--replay")
    ] = None
    max_cost: Annotated[float | None, option("Most US dollars to spend.", "--max-cost")] = None
    concurrency: Annotated[
        int, option("Most calls to chat models at once.", "--concurrency", least=1)
    ] = 8
    model_option: Annotated[
        tuple[str, ...], option("KEY=VALUE for all models, repeatable.", "--model-option")
    ] = ()
    repeats: Annotated[
        int, option("Times to ask each model judge; majority wins.", "--repeats", least=1)
    ] = 1
    requests_per_minute: Annotated[
        int | None,
        option("Most calls to chat models a minute.", "--requests-per-minute", least=1),
    ] = None
    tokens_per_minute: Annotated[
        int | None,
        option("Most tokens of prompts and answers a minute.", "--tokens-per-minute", least=1),
    ] = None
    prices: Annotated[
        Path | None,
        option("File of prices that override the shipped ones.", "--prices", must_exist=True),
    ] = None
    recorded: Annotated[
        Path | None,
        option("Folder of ROSE outputs to use as model answers.", "--recorded", must_exist=True),
    ] = None
    dry_run: Annotated[
        bool, option("Print the cost of the model calls; call no model.", "--dry-run")
    ] = False
    batch: Annotated[
        bool, option("Ask in batches, at half the price; run again to collect.", "--batch")
    ] = False
    wait: Annotated[bool, option("With --batch: wait for the answers.", "--wait")] = False

    @property
    def is_limited(self) -> bool:
        """True if a ledger, a replay or a cost limit is given."""
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
            "List failures by cause, at most this many of each cause.",
            "--failures",
            least=0,
            is_common=True,
        ),
    ] = 0
    by: Annotated[
        tuple[str, ...], option("Input column to group scores by, repeatable.", "--by")
    ] = ()
    track: Annotated[
        tuple[str, ...],
        option("Log the run: mlflow[:EXPERIMENT] or wandb[:PROJECT], repeatable.", "--track"),
    ] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreGate:
    """The score that must be reached, and how many cases may be left out of it."""

    fail_under: Annotated[
        float | None,
        option("Exit 1 if a score is below this, in [0, 1].", "--fail-under", is_common=True),
    ] = None
    max_left_out: Annotated[
        str | None,
        option(
            "Exit 1 if more cases are left out of a score: a number, or a share such as 2% "
            "[with --fail-under: 0].",
            "--max-left-out",
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RegressionLimits:
    """The baseline of a gate, and how much worse than it a run may be."""

    baseline: Annotated[
        Path | None,
        option(
            "An earlier run, or a file that --write-baseline wrote.",
            "--baseline",
            must_exist=True,
        ),
    ] = None
    max_drop: Annotated[
        float, option("Most points by which a score may fall.", "--max-drop", least=0.0)
    ] = 1.0
    alpha: Annotated[
        float,
        option(
            "A fall below --max-drop fails, too, if p of McNemar's exact test, adjusted over the "
            "judges, is below this; 0: never.",
            "--alpha",
            least=0.0,
        ),
    ] = 0.05
    max_left_out: Annotated[
        str,
        option(
            "Most cases that cannot be compared (gone, changed, left out of the score): a number, "
            "or a share such as 2%.",
            "--max-left-out",
        ),
    ] = "0"
    threshold: Annotated[
        tuple[str, ...],
        option("JUDGE=SCORE: the lowest score of a judge, in [0, 1]; repeatable.", "--threshold"),
    ] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GateFiles:
    """The files that a gate writes."""

    junit: Annotated[
        Path | None, option("Write JUnit XML: a test for each case.", "--junit", is_written=True)
    ] = None
    gitlab: Annotated[
        Path | None,
        option("Write wrong cases as a GitLab code quality report.", "--gitlab", is_written=True),
    ] = None
    comment: Annotated[
        Path | None,
        option("Write the result as Markdown, for a comment.", "--markdown", is_written=True),
    ] = None
    write_baseline: Annotated[
        Path | None,
        option(
            "Write the run's outcomes as a baseline; with --baseline only if the gate passes.",
            "--write-baseline",
            is_written=True,
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """The seed of random draws, and the number of bootstrap resamples."""

    seed: Annotated[int, option("Seed of random draws.", "--seed")] = 0
    bootstrap: Annotated[
        int, option("Number of bootstrap resamples for the intervals.", "--bootstrap", least=0)
    ] = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemCalls:
    """The system under test whose answers are the predictions."""

    system: Annotated[
        str | None,
        option(
            "System to ask for predictions: MODULE:FUNCTION, a URL, or 'COMMAND {question}'.",
            "--system",
            is_common=True,
        ),
    ] = None
    seconds: Annotated[
        float,
        option("Most seconds for one answer of the system.", "--system-seconds", least=0.001),
    ] = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How candidates are sampled from a model.

    Args:
        model: needed unless a system is asked.
        options: further options of the model, as for judges.
    """

    model: Annotated[
        str | None,
        option("PROVIDER:MODEL, or local:FOLDER (transformers).", "--model", "-m", is_common=True),
    ] = None
    n: Annotated[int, option("Candidates for each question.", "-n", least=1, is_common=True)] = 32
    per_call: Annotated[
        int, option("Candidates that one call asks for.", "--per-call", least=1)
    ] = 1
    temperature: Annotated[
        float, option("Sampling temperature; 0 is greedy.", "--temperature", least=0.0)
    ] = 0.8
    top_p: Annotated[float, option("Nucleus sampling: above 0, at most 1.", "--top-p")] = 1.0
    max_tokens: Annotated[int, option("Most tokens of one answer.", "--max-tokens", least=1)] = 1024
    seed: Annotated[
        int | None,
        option("Sampling seed [default: 0 if the provider takes one].", "--seed"),
    ] = None
    style: Annotated[
        str,
        option(
            "Schema in the prompt: create, columns, or serialized (one line, for T5).",
            "--style",
        ),
    ] = "create"
    prompt: Annotated[
        PathLike | None, option("File of instructions [default: bundled ones].", "--prompt")
    ] = None
    mode: Annotated[
        str,
        option(
            "sql; demo: SQL or not_answerable; verbal: SQL and a mark; din_sql: SQL in four "
            "calls, the last corrects it; din_sql_generic: with the paper's generic correction.",
            "--mode",
        ),
    ] = "sql"
    demos: Annotated[
        PathLike | None, option("File of cases to use as demonstrations.", "--demos")
    ] = None
    positives: Annotated[
        int | None, option("Answerable demonstrations, per database.", "--positives", least=0)
    ] = None
    negatives: Annotated[
        int | None,
        option(
            "Unanswerable demonstrations, per database; --mode verbal: those with wrong SQL.",
            "--negatives",
            least=0,
        ),
    ] = None
    pick: Annotated[
        str, option("How to pick demonstrations: similar, dense or fixed.", "--pick")
    ] = "similar"
    retriever: Annotated[
        PathLike | None,
        option(
            "Folder or name of a sentence model for --pick dense [default: all-MiniLM-L6-v2].",
            "--retriever",
        ),
    ] = None
    demo_databases: Annotated[
        int,
        option(
            "Other databases to take demonstrations from; 0: the question's own.",
            "--demo-databases",
            least=0,
        ),
    ] = 0
    demo_schemas: Annotated[
        PathLike | None,
        option("Schemas of demonstrations: folder or tables.json.", "--demo-schemas"),
    ] = None
    logprobs: Annotated[
        int,
        option(
            "Alternatives to write for each token, with log-probabilities.", "--logprobs", least=0
        ),
    ] = 0
    options: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """Where a service listens, and what one caller may ask of it."""

    host: Annotated[
        str, option("Address to listen on; 0.0.0.0 lets other machines connect.", "--host")
    ] = "127.0.0.1"
    port: Annotated[int, option("Port; 0 takes any free one.", "--port", least=0)] = 8000
    rate: Annotated[
        int, option("Most requests a minute from one caller.", "--rate", least=1, is_common=True)
    ] = 600
    waiting: Annotated[
        int, option("Most requests that wait for a worker; more get 429.", "--waiting", least=0)
    ] = 64
    request_seconds: Annotated[
        float,
        option("Most seconds for one answer, waiting included.", "--request-seconds", least=0.1),
    ] = 60.0
    body: Annotated[
        int, option("Largest request, such as 1MiB.", "--max-body", parse=parse_size, shown="1MiB")
    ] = MIB


VALUES: Final = (
    Sources,
    SchemaSource,
    Input,
    Limits,
    Running,
    ModelCalls,
    Showing,
    ScoreGate,
    RegressionLimits,
    GateFiles,
    Drawing,
    SystemCalls,
    Sampling,
    Serving,
)
"""All dataclasses of settings that commands share."""
