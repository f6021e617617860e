"""Signatures of corrections: proof of who accepted them, by SSH keys.

OpenSSH's `ssh-keygen -Y` signs and checks, in the format that git signs commits with (SSHSIG), so
keys that people publish already, on a forge or in a team's repository, are enough.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from sqljury.benchmarks.files import PathLike
from sqljury.benchmarks.overlay import Correction, Overlay, overlay_of
from sqljury.errors import InfrastructureError, InputError
from sqljury.isolation import TemporaryFolder

_NAMESPACE = "sqljury-overlay"
"""What the signature is for: one made for a commit or a mail does not pass here."""
_SECONDS = 120
"""A key may ask for its passphrase."""


def signed(overlay: Overlay, key: PathLike) -> Overlay:
    """The overlay with each correction signed.

    Args:
        key: a private SSH key, or a public one whose private half an agent holds.

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
    """Make sure that each correction is signed by whom it names.

    Args:
        signers: a file of allowed signers as ssh-keygen reads it: a name and a public key a line.

    Raises:
        InputError: SJ536: a correction has no signature, one of a key that is not its author's, or
            one that was made for something else.
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
