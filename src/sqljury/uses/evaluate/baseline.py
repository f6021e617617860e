"""Baselines: what a run found, small enough to be committed, and matched to what another run found.

A baseline is a file of JSON lines. The first has the judges' signatures and the fingerprints of the
databases and suites; each other one has a case: its key, a hash of what was asked, and each judge's
outcome.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from sqljury.case import Json
from sqljury.errors import InputError
from sqljury.runs import Run
from sqljury.signature import with_fields
from sqljury.verdict import Outcome, Record, Verdict
from sqljury.writing import PathLike, shown_path, write_json_lines

Key = tuple[str, ...]
CaseKey = tuple[str, str, str]
# Keys by which cases of two runs are matched, the most specific first.
_KEYS: tuple[Callable[[CaseKey], Key], ...] = (
    lambda key: key,
    lambda key: key[:2],
    lambda key: (key[1],),
)


@dataclass(frozen=True, slots=True)
class Answered:
    """The parts of a record that comparing two runs needs; a run may hold millions."""

    key: CaseKey
    verdict: Verdict
    """Only its outcome."""
    asked: bytes
    """A hash of the question, the database and the references."""

    @classmethod
    def of(cls, record: Record) -> Answered:
        """The parts of ``record`` that are kept."""
        case, verdict = record.case, record.verdict
        asked = json.dumps([case.question, case.hint, case.db_id, case.reference_sqls])
        digest = blake2b(asked.encode(), digest_size=8).digest()
        key = (sys.intern(case.benchmark), case.id, sys.intern(case.source))
        return cls(key, bare_verdict(verdict.outcome), digest)


@lru_cache(maxsize=4096)
def bare_verdict(outcome: Outcome) -> Verdict:
    """A verdict with nothing but its outcome, shared by all equal ones."""
    return Verdict(outcome=outcome)


@dataclass(frozen=True, slots=True)
class MatchedCases:
    """One judge's verdicts on the cases of two runs, matched."""

    both: Sequence[tuple[Answered, Answered]]
    only_first: Sequence[Answered]
    only_second: Sequence[Answered]


def match_cases(first: Sequence[Answered], second: Sequence[Answered]) -> MatchedCases:
    """Match cases by benchmark, id and source; if that matches none, by benchmark and id; if that
    matches none, by id."""
    key = _shared_key(first, second)
    before = {key(answered.key): answered for answered in first}
    after = {key(answered.key): answered for answered in second}
    return MatchedCases(
        both=[(one, after[name]) for name, one in before.items() if name in after],
        only_first=[one for name, one in before.items() if name not in after],
        only_second=[one for name, one in after.items() if name not in before],
    )


def _shared_key(first: Sequence[Answered], second: Sequence[Answered]) -> Callable[[CaseKey], Key]:
    for key in _KEYS:
        sides = [Counter(key(answered.key) for answered in side) for side in (first, second)]
        unique = all(most <= 1 for side in sides for most in side.values())
        if unique and sides[0].keys() & sides[1].keys():
            return key
    return _KEYS[0]


# ---------------------------------------------------------------- baselines

_FORMAT: Final = 1
_HEAD: Final = "sqljury_baseline"
_KEY_NAMES: Final = ("benchmark", "id", "source")
_FINGERPRINT: Final = 16
"""Hexadecimal digits of a database's fingerprint that are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The outcomes of a run by judge, and how they were found."""

    name: str
    """The file or the run, for messages."""
    answers: Mapping[str, Sequence[Answered]]
    """By judge, in the order of the cases."""
    signatures: Mapping[str, str] = field(default_factory=dict)
    databases: Mapping[str, str] = field(default_factory=dict)
    """The fingerprint of each database's content."""
    suites: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Run) -> Baseline:
        """What a run found."""
        answers: dict[str, list[Answered]] = {judge.name: [] for judge in run.judges}
        for record in run.records(with_evidence=False):
            answers[record.judge].append(Answered.of(record))
        return cls(
            name=str(run.folder),
            answers=answers,
            signatures={
                judge.name: with_fields(judge.signature, n=None, data=None) for judge in run.judges
            },
            databases=_fingerprints(run.manifest.get("contents")),
            suites=_fingerprints(run.manifest.get("suites")),
        )

    def write(self, path: PathLike) -> None:
        """Write the file: a line for each case, in the order of the run.

        Raises:
            InputError, InfrastructureError: the file cannot be written.
        """
        head = {
            _HEAD: _FORMAT,
            "signatures": dict(self.signatures),
            "databases": dict(self.databases),
            "suites": dict(self.suites),
        }
        lines: dict[CaseKey, dict[str, Any]] = {}
        for judge, answers in self.answers.items():
            for one in answers:
                named = {
                    name: value for name, value in zip(_KEY_NAMES, one.key, strict=True) if value
                }
                line = lines.setdefault(one.key, {**named, "asked": one.asked.hex()})
                line.setdefault("outcomes", {})[judge] = str(one.verdict.outcome)
        write_json_lines(path, [head, *lines.values()])


def read_baseline(path: PathLike) -> Baseline:
    """Read a file that :meth:`Baseline.write` wrote.

    Raises:
        InputError: SJ515: it cannot be read, or it is no baseline.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").rstrip("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise _no_baseline(path, 0, str(getattr(error, "strerror", None) or error)) from error
    head: dict[str, dict[str, str]] = {}
    answers: dict[str, dict[CaseKey, Answered]] = {}
    for number, line in enumerate(lines, 1):
        try:
            if number == 1:
                head = _head(json.loads(line))
                answers = {judge: {} for judge in head["signatures"]}
                continue
            for judge, one in _answers(json.loads(line)):
                if answers.setdefault(judge, {}).setdefault(one.key, one) is not one:
                    raise ValueError("a line before has this case, too")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise _no_baseline(path, number, f"{type(error).__name__}: {error}") from error
    found = {judge: tuple(by_key.values()) for judge, by_key in answers.items()}
    return Baseline(name=str(path), answers=found, **head)


def _head(line: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Signatures and fingerprints, from the first line.

    Raises:
        ValueError, LookupError, TypeError, AttributeError: the line does not fit.
    """
    if line[_HEAD] != _FORMAT:
        raise ValueError(f"format {line[_HEAD]!r} instead of {_FORMAT}")
    names = ("signatures", "databases", "suites")
    return {name: {key: str(value) for key, value in line[name].items()} for name in names}


def _answers(line: Mapping[str, Any]) -> Iterator[tuple[str, Answered]]:
    """Each judge's name and outcome on one line.

    Raises:
        ValueError, LookupError, TypeError, AttributeError: the line does not fit.
    """
    benchmark, id, source = (str(line.get(name, "")) for name in _KEY_NAMES)
    asked = bytes.fromhex(line["asked"])
    for judge, outcome in line["outcomes"].items():
        yield judge, Answered((benchmark, id, source), bare_verdict(Outcome(outcome)), asked)


def _fingerprints(contents: Json) -> dict[str, str]:
    """The beginnings of fingerprints, without the engine's version in front, which signatures
    have."""
    found = contents if isinstance(contents, dict) else {}
    return {str(k): str(v).rpartition(":")[2][:_FINGERPRINT] for k, v in sorted(found.items())}


def _no_baseline(path: PathLike, line: int, why: str) -> InputError:
    return InputError(
        "SJ515",
        f"no baseline: {why}.",
        where=f"{shown_path(path)}:{line}" if line else shown_path(path),
        hint="Name a run's folder, or write the file: sqljury gate RUN --write-baseline FILE",
    )
