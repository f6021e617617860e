"""The lines that say how a score or a verdict was computed."""

from __future__ import annotations

from collections.abc import Sequence

from sqljury.execution import MIB, Limits
from sqljury.judges import Judge, spec_of
from sqljury.runs.settings import RunSettings
from sqljury.version import __version__


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
