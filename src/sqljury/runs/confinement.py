"""What the workers of a run need of this machine, and so all that they are left."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from sqljury.databases import open_databases, open_suites, reached
from sqljury.isolation import Sandbox, own_uid, without_secrets
from sqljury.judges import Judge, Needs
from sqljury.settings import Sources

if TYPE_CHECKING:
    from sqljury.runs.settings import RunSettings

_CLIENT_VARIABLES = ("PG", "MYSQL", "MARIADB", "SSL_CERT_", "KRB5", "LOCALDOMAIN", "RES_OPTIONS")
_CLIENT_FILES = (
    *("~/.pgpass", "~/.pg_service.conf", "~/.postgresql", "~/.my.cnf", "~/.mylogin.cnf"),
    *("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf"),
    *("/etc/services", "/etc/protocols", "/etc/passwd", "/etc/group", "/etc/ssl", "/etc/pki"),
    *("/etc/ca-certificates", "/etc/crypto-policies", "/etc/krb5.conf", "/etc/krb5.conf.d"),
    *("/etc/my.cnf", "/etc/mysql", "/etc/postgresql-common", "/usr/share", "/run/systemd/resolve"),
    "/proc",  # how much memory a server's process holds; what else it holds the kernel keeps shut
)
_PATH_IN_URL = re.compile(r"[?&](?:ssl|service|pass)[a-z_]*=(/[^&,]*)")
_KNOWN_SERVERS = frozenset({"postgresql", "postgres", "mysql", "mariadb"})
_SECRET = re.compile(r"KEY|TOKEN|SECRET|CREDENTIAL", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Confinement:
    """How workers are confined: their sandbox, or None, and their variables."""

    sandbox: Sandbox | None
    environment: Mapping[str, str]


def confinement(judges: Sequence[Judge], settings: RunSettings) -> Confinement:
    """How the workers of these judges are confined: as the judge that needs most.

    * Judges of your own, and those that run a network on this machine, may do what you may.
    * Judges that ask chat models read any file, write beside their ledger, have the network and
      all variables, and may start programs.
    * All others read databases, schemas, suites and the files that they name, and write nothing.
      Where databases are on servers they have the network, and the variables of those servers'
      clients.
    """
    if any(_is_unknown(judge) for judge in judges):
        return Confinement(None, os.environ)
    if any(judge.needs & Needs.LLM for judge in judges):
        return Confinement(_asking(settings), os.environ)
    sources = settings.sources
    paths, schemes = _of_databases(sources)
    reads = [*paths, *_named(judges), *_given(sources)]
    if not schemes:
        known = tuple(dict.fromkeys(map(str, reads)))
        uid, _ = own_uid(known)
        sandbox = Sandbox(reads=known, writes=(), uid=uid)
        return Confinement(sandbox, without_secrets(os.environ))
    if not _KNOWN_SERVERS.issuperset(schemes):  # a driver that we know nothing of
        sandbox = Sandbox(reads=None, writes=(), network=True)
        variables = without_secrets(os.environ, whole=lambda name: not _SECRET.search(name))
        return Confinement(sandbox, variables)
    reads += [Path(file).expanduser() for file in _CLIENT_FILES]
    reads += [Path(path) for path in _PATH_IN_URL.findall(unquote(sources.databases or ""))]
    variables = without_secrets(os.environ, *_CLIENT_VARIABLES)
    reads += [Path(text) for name, text in variables.items() if name.startswith(_CLIENT_VARIABLES)]
    sandbox = Sandbox(reads=tuple(map(str, reads)), writes=(), network=True)
    return Confinement(sandbox, variables)


def _is_unknown(judge: Judge) -> bool:
    """Whether a judge may need anything: a plugin, or torch with its compilers and devices."""
    built_in = type(judge).__module__.startswith("sqljury.judges.")
    return not built_in or judge.runs_network or any("scripted:" in text for text in _texts(judge))


def _asking(settings: RunSettings) -> Sandbox:
    ledger = None if settings.llm is None else settings.llm.ledger
    folder = () if ledger is None else (str(Path(ledger).resolve().parent),)
    for place in folder:
        Path(place).mkdir(parents=True, exist_ok=True)
    return Sandbox(reads=None, writes=folder, network=True, programs=True)


def _of_databases(sources: Sources) -> tuple[list[Path], list[str]]:
    if sources.databases is None:
        return [], []
    return reached(open_databases(sources.databases, descriptions=sources.descriptions))


def _given(sources: Sources) -> list[Path]:
    paths = [] if sources.suites is None else open_suites(sources.suites).reached()
    return [*paths, *([] if sources.schemas is None else [Path(sources.schemas)])]


def _named(judges: Sequence[Judge]) -> list[Path]:
    """Files and folders that are options of judges."""
    return [Path(text) for judge in judges for text in _texts(judge) if text and _is_path(text)]


def _is_path(text: str) -> bool:
    try:
        return Path(text).exists()
    except (OSError, ValueError):  # too long for a path, or no path at all
        return False


def _texts(judge: Judge) -> list[str]:
    if not is_dataclass(judge):
        return []
    values = [getattr(judge, field.name) for field in fields(judge)]
    return [value for value in values if isinstance(value, str)]
