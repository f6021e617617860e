"""Corrections of a benchmark's references; the benchmark's files stay unchanged.

An overlay is a JSONL file. Each line is a decision about one reference, with a digest of what the
decision was based on: the question, its hint, its database and the reference itself. If any of
these changed in the benchmark, the line is refused. Lines are independent, so overlays are merged
by concatenating them, in any order.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from sqljury.benchmarks.fields import as_object
from sqljury.benchmarks.files import PathLike, Source
from sqljury.case import Case, Json
from sqljury.errors import InfrastructureError, InputError
from sqljury.isolation import TemporaryFolder
from sqljury.writing import write_json_lines


class OverlayDecision(StrEnum):
    """What happens to a reference."""

    REPLACE = "replace"
    """Another query replaces it."""
    AMBIGUOUS = "ambiguous"
    """It is one of several right answers: the question is left out of scores."""
    EXCLUDE = "exclude"
    """The question cannot be answered or makes no sense: it is left out of scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """One decision about one reference.

    Args:
        fingerprint: the result of :func:`fingerprint_of` for the question and the reference.
        new_sql: the new reference, if it is replaced.
        evidence: what showed the fault, such as a finding of the audit.
        accepted_by: the name of the person who decided; ``accepted_at`` is the time.
        seal: a digest of all other fields except the signature: a line that was changed later, or
            cut, does not match it. It protects against accidents; the signature protects against
            forgery.
        signature: of the same fields, by ``accepted_by`` (:mod:`sqljury.benchmarks.overlay`); empty
            if not signed.
    """

    id: str
    db_id: str
    fingerprint: str
    old_sql: str
    decision: OverlayDecision
    new_sql: str | None = None
    reason: str = ""
    evidence: Json = None
    accepted_by: str = ""
    accepted_at: str = ""
    seal: str = ""
    signature: str = ""

    @property
    def told(self) -> str:
        """All fields but seal and signature, as one text: what these two are computed from."""
        told = {k: v for k, v in asdict(self).items() if k not in ("seal", "signature")}
        return json.dumps(told, sort_keys=True, ensure_ascii=False)

    def sealed(self) -> Correction:
        """The same correction with the matching seal."""
        return replace(self, seal=hashlib.sha256(self.told.encode()).hexdigest()[:16])

    def left_behind(self, case: Case) -> bool:
        """True if the case already has the corrected reference: corrected before, or in the
        benchmark."""
        return not case.reference_sqls or self.new_sql in case.reference_sqls

    @property
    def verdict(self) -> tuple[OverlayDecision, str | None]:
        """The decision and the new SQL, without who decided and why."""
        return self.decision, self.new_sql


@dataclass(frozen=True, slots=True)
class Overlay:
    """Corrections by the fingerprint of the reference."""

    corrections: tuple[Correction, ...] = ()
    _by_reference: dict[str, Correction] = field(default_factory=dict, compare=False, repr=False)
    _by_question: dict[tuple[str, str], Correction] = field(
        default_factory=dict, compare=False, repr=False
    )

    @property
    def digest(self) -> str:
        """Eight hex digits that are equal for equal decisions, whoever made them and when."""
        decided = sorted(
            [one.fingerprint, str(one.decision), one.new_sql or ""] for one in self.corrections
        )
        return hashlib.sha256(json.dumps(decided).encode()).hexdigest()[:8]

    def applied(self, cases: Iterable[Case]) -> Iterator[Case]:
        """The cases with corrected references; a case that already has the new reference is
        unchanged.

        Raises:
            InputError: SJ532: a question or a reference changed since the decision.
        """
        for case in cases:
            yield self._corrected(case)

    def laid_over(self, cases: Iterable[Case]) -> Iterator[Case]:
        """Like :meth:`applied`, but at least one case of the input must have a correction.

        Raises:
            InputError: SJ532, as for :meth:`applied`; SJ122: no correction is about any of the
                cases.
        """
        is_used = False
        for case in cases:
            is_used = is_used or self.decides(case.db_id, case.id)
            yield self._corrected(case)
        self.check_used(is_used)

    def check_used(self, is_used: bool) -> None:
        """Raises if no correction was about any case of an input.

        Raises:
            InputError: SJ122.
        """
        if self.corrections and not is_used:
            first = self.corrections[0]
            raise InputError(
                "SJ122",
                f"the overlay corrects nothing here: none of its {len(self.corrections):,} "
                f"corrections (first: question {first.id!r} of {first.db_id!r}) is about a "
                "question of the input.",
                hint="Is it the overlay of another benchmark?",
            )

    def decides(self, db_id: str, id_: str) -> bool:
        """True if there is a correction for this question.

        Args:
            db_id: empty if not known; then the question's id alone decides.
        """
        if db_id:
            return (db_id, id_) in self._by_question
        return any(id_ == known for _, known in self._by_question)

    def _corrected(self, case: Case) -> Case:
        found = {
            sql: self._by_reference.get(fingerprint_of(case, sql)) for sql in case.reference_sqls
        }
        decided = [one for one in found.values() if one is not None]
        known = self._by_question.get((case.db_id, case.id))
        if known is not None and not decided and not known.left_behind(case):
            raise InputError(
                "SJ532",
                f"the question {case.id!r} of {case.db_id!r} is not what the overlay was made for.",
                where=case.origin,
                hint=f"Its reference was: {known.old_sql[:200]}",
            )
        if not decided:
            return case
        kept = (sql if one is None else one.new_sql for sql, one in found.items())
        return replace(
            case,
            reference_sqls=tuple(sql for sql in kept if sql is not None),
            extra={**case.extra, "overlay": [str(one.decision) for one in decided]},
        )


def overlay_of(corrections: Iterable[Correction]) -> Overlay:
    """The overlay of these corrections; equal decisions count once.

    Raises:
        InputError: SJ533: two corrections of one reference contradict each other.
    """
    by_reference: dict[str, Correction] = {}
    for one in corrections:
        known = by_reference.setdefault(one.fingerprint, one)
        if known.verdict != one.verdict:
            raise InputError(
                "SJ533",
                f"question {one.id!r}: {known.accepted_by or 'one'} says {known.decision}, "
                f"{one.accepted_by or 'another'} says {one.decision}.",
                hint="Keep one of the two lines.",
            )
    kept = tuple(
        sorted(by_reference.values(), key=lambda one: (one.db_id, one.id, one.fingerprint))
    )
    questions = {(one.db_id, one.id): one for one in kept}
    return Overlay(kept, by_reference, questions)


def fingerprint_of(case: Case, sql: str) -> str:
    """A digest of a question and one of its references; it identifies what a correction is
    about."""
    told = [case.id, case.db_id, case.question or "", case.hint or "", sql]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]


def read_overlay(paths: PathLike | Sequence[PathLike]) -> Overlay:
    """Reads overlays and merges them.

    Raises:
        InputError: SJ531: a line is not a correction, or does not match its seal; SJ533: two lines
            contradict each other.
    """
    places = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    return overlay_of(one for place in places for one in _lines(place))


def _lines(path: PathLike) -> Iterator[Correction]:
    for record in Source(path).records():
        try:
            fields: dict[str, Any] = dict(as_object(record))
            one = Correction(**{**fields, "decision": OverlayDecision(fields["decision"])})
        except (TypeError, KeyError, ValueError) as error:
            why = f"it has no {error}" if isinstance(error, KeyError) else str(error)
            raise InputError("SJ531", f"not a correction: {why}.", where=record.origin) from error
        if one.sealed().seal != one.seal:
            raise InputError(
                "SJ531",
                f"the correction of {one.id!r} was changed after it was accepted.",
                where=record.origin,
                hint="Accept it again: sqljury audit accept.",
            )
        if (one.decision is OverlayDecision.REPLACE) != (one.new_sql is not None):
            raise InputError("SJ531", "only replace has a new_sql.", where=record.origin)
        yield one


def write_overlay(overlay: Overlay, path: PathLike) -> None:
    """Writes one line per correction, in an order that does not depend on the order of input.

    Raises:
        InputError: the file cannot be written.
    """
    write_json_lines(path, map(asdict, overlay.corrections), sort_keys=True)


# ---------------------------------------------------------------- signing
#
# Signatures of corrections, by SSH keys: proof of who accepted them.
#
# OpenSSH's `ssh-keygen -Y` signs and verifies, in the format that git uses for commits (SSHSIG), so
# keys that people have already published, on a forge or in a team's repository, can be used.


_NAMESPACE = "sqljury-overlay"
"""The purpose of the signature: one made for a commit or a mail is not valid here."""
_SECONDS = 120
"""Long enough to type a passphrase."""


def signed(overlay: Overlay, key: PathLike) -> Overlay:
    """The overlay with each correction signed.

    Args:
        key: a private SSH key, or a public one whose private key is in an SSH agent.

    Raises:
        InputError: SJ537: the key cannot be used.
        InfrastructureError: SJ538: there is no ssh-keygen.
    """
    return overlay_of(replace(one, signature=_signature(one, key)) for one in overlay.corrections)


def _signature(one: Correction, key: PathLike) -> str:
    done = _ssh_keygen(["sign", "-f", str(key)], one)
    if done.returncode:
        raise InputError("SJ537", f"the key cannot sign: {_last_line(done)}.", where=str(key))
    return done.stdout.decode()


def check_signatures(corrections: Iterable[Correction], signers: PathLike) -> None:
    """Checks that each correction is signed by the person it names.

    Args:
        signers: a file of allowed signers for ssh-keygen: one name and public key per line.

    Raises:
        InputError: SJ536: a correction has no signature, one by a key that is not its author's, or
            one of another text.
        InfrastructureError: SJ538: there is no ssh-keygen.
    """
    if not Path(signers).is_file():
        raise InputError("SJ101", "no such file.", where=str(signers))
    with TemporaryFolder() as folder:
        for one in corrections:
            _check(one, signers, Path(folder) / "signature")


def _check(one: Correction, signers: PathLike, place: Path) -> None:
    place.write_text(one.signature, encoding="utf-8")
    wanted = ["verify", "-f", str(signers), "-I", one.accepted_by, "-s", str(place)]
    done = _ssh_keygen(wanted, one)
    if done.returncode:
        why = _last_line(done) if one.signature else "there is none"
        raise InputError(
            "SJ536",
            f"the correction of {one.id!r} has no signature of {one.accepted_by!r} that "
            f"{signers} allows: {why}.",
        )


def _ssh_keygen(wanted: list[str], one: Correction) -> subprocess.CompletedProcess[bytes]:
    command = ["ssh-keygen", "-Y", *wanted, "-n", _NAMESPACE]
    try:
        return subprocess.run(
            command, input=one.told.encode(), capture_output=True, check=False, timeout=_SECONDS
        )
    except FileNotFoundError as error:
        raise InfrastructureError(
            "SJ538", "there is no ssh-keygen.", hint="Install OpenSSH's client."
        ) from error
    except subprocess.TimeoutExpired as error:
        raise InfrastructureError("SJ538", f"ssh-keygen took over {_SECONDS} s.") from error


def _last_line(done: subprocess.CompletedProcess[bytes]) -> str:
    lines = done.stderr.decode(errors="replace").strip().splitlines() or ["ssh-keygen failed"]
    return lines[-1].rstrip(".\r")
