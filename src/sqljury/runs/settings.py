"""All that a run is told beside cases and judges, in one value from the command to the worker."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sqljury.benchmarks import Overlay
from sqljury.errors import InputError
from sqljury.settings import Limits, Sources

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
