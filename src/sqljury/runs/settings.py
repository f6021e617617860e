"""The settings of a run, in one value from the command to the worker; the signature lines of
scores; and what workers may access on this machine.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from sqljury.databases import open_databases, reached
from sqljury.databases.protocol import ENGINES
from sqljury.errors import InputError
from sqljury.isolation import Sandbox, own_uid, without_secrets
from sqljury.judges import Judge, Needs, spec_of
from sqljury.settings import MIB, Limits, Sources
from sqljury.signature import Signature
from sqljury.version import __version__

if TYPE_CHECKING:
    from sqljury.benchmarks import Overlay
    from sqljury.llm import ClientSettings

LOCAL = "local"


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of the input: the cases of about every ``of``-th question.

    A hash of the question decides, so that all machines agree and the candidates of a question stay
    together.
    """

    number: int
    """From 1 on."""
    of: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """The shard that ``I/N`` names.

        Raises:
            InputError: SJ428: not two numbers, or I is not from 1 to N.

        >>> Shard.parse("2/8")
        Shard(number=2, of=8)
        """
        number, slash, of = text.partition("/")
        if slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of):
            return cls(int(number), int(of))
        raise InputError(
            "SJ428", f"{text!r} is not a shard.", hint="Write 2/8 for the second of eight."
        )

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def holds(self, db_id: str, batch_key: bytes) -> bool:
        """True if the cases of this question are in the shard."""
        told = db_id.encode("utf-8", "surrogatepass") + b"\0" + batch_key
        digest = hashlib.blake2b(told, digest_size=8).digest()
        return int.from_bytes(digest) % self.of == self.number - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Billing:
    """Where results that a warehouse billed for are kept, and what may be spent on more."""

    path: str
    command: str
    """A new text for each command: the limit holds for all its workers together."""
    max_cost: float | None = None

    @classmethod
    def of(cls, sources: Sources, folder: Path, max_cost: float | None) -> Billing | None:
        """The billing of a run in this folder; None if its databases bill nothing."""
        engines = [ENGINES.get(scheme) for scheme in _of_databases(sources)[1]]
        if not any(engine is not None and engine.bills for engine in engines):
            return None
        from uuid import uuid4

        return cls(
            path=str(folder / "warehouse" / "paid.sqlite"), command=uuid4().hex, max_cost=max_cost
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """All settings in which two runs of the same judges over the same cases may differ."""

    sources: Sources = field(default_factory=Sources)
    limits: Limits = field(default_factory=Limits)
    """Limits of one query."""
    workers: int = 1
    executor: str = LOCAL
    """``local``, or ``ray``, optionally with ``:`` and the address of a cluster."""
    llm: ClientSettings | None = None
    """How chat models are called, if a judge needs one; by default with a ledger in the run's
    folder."""
    billing: Billing | None = None
    """How results of warehouses are paid for; found from the databases."""
    overlay: Overlay | None = None
    """Corrections that are applied to the references of the cases."""
    shard: Shard | None = None
    """The part of the cases that is judged; None: all of them."""
    dry_run: bool = False
    """Call no model; the verdicts' measures say what the calls would cost."""
    batch: bool = False
    """Call no model: cases that need an answer get no verdict, and their requests are collected."""
    given_up: Mapping[str, str] = field(default_factory=dict)
    """With ``batch``: why requests will have no answer, by the key of the request."""


def default_client(folder: Path) -> ClientSettings:
    """The default way to call models: with a ledger in the run's folder."""
    from sqljury.llm import ClientSettings

    return ClientSettings(ledger=str(folder / "ledger.sqlite"))


# ------------------------------------------------------------
# The lines that say how a score or a verdict was computed.


def store_key(judge: Judge, limits: Limits) -> str:
    """All settings that a judge's verdict depends on, as text; also prompts and recordings."""
    own = "".join(f"|{name}:{value}" for name, value in judge.signature_fields().items())
    return f"{spec_of(judge)}@{judge.version}{own}|limits:{_limits_text(limits)}"


def signature(judge: Judge, engines: Sequence[str], settings: RunSettings, data: str) -> str:
    """The line under a score that says how it was computed; it has ``{n}`` for the number of
    cases."""
    executes = bool(engines) and judge.executes
    found = Signature.of(
        spec_of(judge),
        [
            ("v", judge.version),
            ("db", "+".join(engines) if executes else None),
            ("n", "{n}"),
            *((name, str(value)) for name, value in judge.signature_fields().items()),
            ("limits", _limits_text(settings.limits) if executes else None),
            ("overlay", settings.overlay.digest if settings.overlay else None),
            ("shard", settings.shard),
            ("sqljury", __version__),
            ("data", data[:8]),
        ],
    )
    return str(found)


def _limits_text(limits: Limits) -> str:
    return (
        f"{limits.seconds:g}s,{limits.rows}rows,"
        f"{limits.bytes / MIB:g}MiB,{limits.memory / MIB:g}MiB"
    )


# ------------------------------------------------------------
# What the workers of a run need on this machine; they may use nothing else.

_CLIENT_VARIABLES = ("PG", "MYSQL", "MARIADB", "SSL_CERT_", "KRB5", "LOCALDOMAIN", "RES_OPTIONS")
_CLIENT_FILES = (
    *("~/.pgpass", "~/.pg_service.conf", "~/.postgresql", "~/.my.cnf", "~/.mylogin.cnf"),
    *("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf"),
    *("/etc/services", "/etc/protocols", "/etc/passwd", "/etc/group", "/etc/ssl", "/etc/pki"),
    *("/etc/ca-certificates", "/etc/crypto-policies", "/etc/krb5.conf", "/etc/krb5.conf.d"),
    *("/etc/my.cnf", "/etc/mysql", "/etc/postgresql-common", "/usr/share", "/run/systemd/resolve"),
    "/proc",  # memory of a server's process; the kernel protects its other files
)
_PATH_IN_URL = re.compile(r"[?&](?:ssl|service|pass)[a-z_]*=(/[^&,]*)")
_KNOWN_SERVERS = frozenset({"postgresql", "postgres", "mysql", "mariadb"})
_WAREHOUSE_VARIABLES = ("GOOGLE_", "CLOUDSDK_", "SNOWFLAKE_", "DATABRICKS_", "AWS_", "TRINO_")
_SECRET = re.compile(r"KEY|TOKEN|SECRET|CREDENTIAL", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Confinement:
    """How workers are confined: their sandbox (None for no sandbox) and their environment
    variables."""

    sandbox: Sandbox | None
    environment: Mapping[str, str]


def confinement(judges: Sequence[Judge], settings: RunSettings) -> Confinement:
    """How the workers of these judges are confined; the judge that needs most decides.

    * Judges from plugins, and those that run a network on this machine, may do all that you may.
    * Judges that ask chat models may read any file, write next to their ledger, use the network and
      all environment variables, and start programs.
    * All others may read databases, schemas, suites and the files that they name, and write
      nothing. If databases are on servers, they may use the network, and the environment variables
      of those servers' clients.
    """
    if any(_is_unknown(judge) for judge in judges):
        return Confinement(None, os.environ)
    if any(judge.needs & Needs.LLM for judge in judges):
        ledger = None if settings.llm is None else settings.llm.ledger
        folder = () if ledger is None else (str(Path(ledger).resolve().parent),)
        if settings.billing is not None:
            folder = (*folder, str(Path(settings.billing.path).resolve().parent))
        for place in folder:
            Path(place).mkdir(parents=True, exist_ok=True)
        return Confinement(
            Sandbox(reads=None, writes=folder, network=True, programs=True), os.environ
        )
    sources = settings.sources
    paths, schemes = _of_databases(sources)
    reads = [
        *paths,
        *[Path(text) for judge in judges for text in _texts(judge) if text and _is_path(text)],
        *_given(sources),
    ]
    if not schemes:
        known = tuple(dict.fromkeys(map(str, reads)))
        uid, _ = own_uid(known)
        sandbox = Sandbox(reads=known, writes=(), uid=uid)
        return Confinement(sandbox, without_secrets(os.environ))
    if not _KNOWN_SERVERS.issuperset(schemes):  # an unknown driver may read any file
        folder = () if settings.billing is None else (str(Path(settings.billing.path).parent),)
        sandbox = Sandbox(reads=None, writes=folder, network=True)
        variables = without_secrets(
            os.environ, *_WAREHOUSE_VARIABLES, whole=lambda name: not _SECRET.search(name)
        )
        return Confinement(sandbox, variables)
    reads += [Path(file).expanduser() for file in _CLIENT_FILES]
    reads += [Path(path) for path in _PATH_IN_URL.findall(unquote(sources.databases or ""))]
    variables = without_secrets(os.environ, *_CLIENT_VARIABLES)
    reads += [Path(text) for name, text in variables.items() if name.startswith(_CLIENT_VARIABLES)]
    sandbox = Sandbox(reads=tuple(map(str, reads)), writes=(), network=True)
    return Confinement(sandbox, variables)


def _is_unknown(judge: Judge) -> bool:
    """True if a judge may need anything: a plugin, or torch with its compilers and devices."""
    built_in = type(judge).__module__.startswith("sqljury.judges.")
    return not built_in or judge.runs_network or any("scripted:" in text for text in _texts(judge))


def _of_databases(sources: Sources) -> tuple[list[Path], list[str]]:
    if sources.databases is None:
        return [], []
    return reached(open_databases(sources.databases, descriptions=sources.descriptions))


def _given(sources: Sources) -> list[Path]:
    paths: list[Path] = []
    if sources.suites is not None:
        from sqljury.databases import open_suites

        paths = open_suites(sources.suites).reached()
    return [*paths, *([] if sources.schemas is None else [Path(sources.schemas)])]


def _is_path(text: str) -> bool:
    try:
        return Path(text).exists()
    except (OSError, ValueError):  # too long for a path, or not a path at all
        return False


def _texts(judge: Judge) -> list[str]:
    if not is_dataclass(judge):
        return []
    values = [getattr(judge, field.name) for field in fields(judge)]
    return [value for value in values if isinstance(value, str)]
