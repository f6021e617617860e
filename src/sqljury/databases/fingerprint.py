"""Tell whether the contents of database files changed, without reading large ones whole."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

_WHOLE: Final = 64 * 1024 * 1024
_SAMPLES: Final = 64
_SAMPLE: Final = 64 * 1024


def fingerprint_files(*paths: Path) -> str:
    """A hash of size and contents; independent of names and times.

    Files up to 64 MiB are read whole. Of larger ones the first block and 63 further blocks,
    evenly spread, are read: the first holds the change counter (SQLite) or the number of the
    last checkpoint (DuckDB), which every commit raises.
    """
    digest = hashlib.sha256()
    for path in paths:
        size = path.stat().st_size
        digest.update(f"{size};".encode())
        with path.open("rb") as file:
            if size <= _WHOLE:
                digest.update(hashlib.file_digest(file, "sha256").digest())
            else:
                for i in range(_SAMPLES):
                    file.seek((size - _SAMPLE) * i // (_SAMPLES - 1))
                    digest.update(file.read(_SAMPLE))
    return digest.hexdigest()
