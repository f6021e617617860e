"""All that a run is told beside cases and judges, in one value from the command to the worker."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sqljury.benchmarks import Overlay
from sqljury.databases import Sources
from sqljury.errors import InputError
from sqljury.execution import MIB, Limits
from sqljury.judges import Judge, spec_of
from sqljury.version import __version__

if TYPE_CHECKING:
    from sqljury.llm import ClientSettings

LOCAL = "local"


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of the input: the cases of about every ``of``-th question.

    Which questions those are is told by a hash of what they share, so that all machines agree,
    and the candidates of a question stay together.
    """

    number: int
    """From 1 on."""
    of: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """From ``I/N``.

        Raises:
            InputError: SJ428: no two numbers, or I is not in 1 to N.

        >>> Shard.parse("2/8")
        Shard(number=2, of=8)
        """
        number, slash, of = text.partition("/")
        if slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of):
            return cls(int(number), int(of))
        raise InputError(
            "SJ428", f"{text!r} is no shard.", hint="Write 2/8 for the second of eight."
        )

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def holds(self, db_id: str, batch_key: bytes) -> bool:
        """Whether the cases of a question are in it."""
        told = db_id.encode("utf-8", "surrogatepass") + b"\0" + batch_key
        digest = hashlib.blake2b(told, digest_size=8).digest()
        return int.from_bytes(digest) % self.of == self.number - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """What may differ between two runs of the same judges over the same cases."""

    sources: Sources = field(default_factory=Sources)
    limits: Limits = field(default_factory=Limits)
    """What one query may use."""
    workers: int = 1
    executor: str = LOCAL
    """``local``, or ``ray`` with the address of a cluster behind a colon."""
    llm: ClientSettings | None = None
    """How chat models are asked, where a judge needs one; by default with a ledger in the
    run's folder."""
    overlay: Overlay | None = None
    """Corrections that are laid over the references of the cases."""
    shard: Shard | None = None
    """The part of the cases that is judged; None: all of them."""
    dry_run: bool = False
    """Ask no model; the verdicts' measures say what asking would take."""
    batch: bool = False
    """Ask no model: cases that wait for an answer get no verdict, and their questions are told."""
    given_up: Mapping[str, str] = field(default_factory=dict)
    """With ``batch``: why questions will have no answer, by the key of their request."""


def default_client(folder: Path) -> ClientSettings:
    """How models are asked where nothing is said: with a ledger in the run's folder."""
    from sqljury.llm import ClientSettings

    return ClientSettings(ledger=str(folder / "ledger.sqlite"))


# ------------------------------------------------------------
# The lines that say how a score or a verdict was computed.


def store_key(judge: Judge, limits: Limits) -> str:
    """All that a judge's verdict depends on beside the case: prompts and recordings too."""
    own = "".join(f"|{name}:{value}" for name, value in judge.signature_fields().items())
    return f"{spec_of(judge)}@{judge.version}{own}|{_limits_text(limits)}"


def signature(judge: Judge, engines: Sequence[str], settings: RunSettings, data: str) -> str:
    """The line under a score that says how it was computed; ``{n}`` is left to be filled in."""
    own = judge.signature_fields()
    executes = bool(engines) and judge.executes
    parts = [
        spec_of(judge),
        f"v:{judge.version}",
        *([f"db:{'+'.join(engines)}"] if executes else []),
        "n:{n}",
        *(f"{name}:{value}" for name, value in own.items()),
        *([_limits_text(settings.limits)] if executes else []),
        *([f"overlay:{settings.overlay.digest}"] if settings.overlay else []),
        *([f"shard:{settings.shard}"] if settings.shard else []),
        f"sqljury:{__version__}",
        f"data:{data[:8]}",
    ]
    return "|".join(parts)


def _limits_text(limits: Limits) -> str:
    return (
        f"limits:{limits.seconds:g}s,{limits.rows}rows,"
        f"{limits.bytes / MIB:g}MiB,{limits.memory / MIB:g}MiB"
    )
