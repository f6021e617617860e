"""Model files: arrays and a few facts, in a format that cannot execute code when it is read."""

from __future__ import annotations

import json
import lzma
import os
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqljury.errors import InputError
from sqljury.version import __version__
from sqljury.writing import new_binary_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[Any]]

PathLike = str | os.PathLike[str]
_FACTS = "facts"
_MOST_BYTES = 1 << 30
"""The largest model file, unpacked; the largest of ours takes some megabytes."""
_DAMAGED = (
    *(OSError, EOFError, ValueError, LookupError, MemoryError, zipfile.BadZipFile),
    *(zlib.error, lzma.LZMAError),
    RuntimeError,  # too deep, encrypted, an unknown compression
)


def write_model(path: PathLike, facts: Mapping[str, Any], arrays: Arrays) -> None:
    """Writes a compressed numpy archive; the facts and sqljury's version are JSON in one array.

    Raises:
        InputError, InfrastructureError: SJ801, SJ802: the file cannot be written.
    """
    import numpy as np

    said = json.dumps({"sqljury": __version__, **facts})
    text = np.frombuffer(said.encode(), dtype=np.uint8)
    with new_binary_file(path) as stream:
        np.savez_compressed(stream, allow_pickle=False, **{_FACTS: text}, **arrays)


def read_model(path: PathLike) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The facts and the arrays of a model file.

    Raises:
        InputError: SJ020: there is no such file; SJ031: it is damaged, or no model file.
    """
    import numpy as np

    if not Path(path).is_file():
        raise InputError("SJ020", "no such file.", where=str(path))
    try:
        with zipfile.ZipFile(path) as members:
            if sum(member.file_size for member in members.infolist()) > _MOST_BYTES:
                raise ValueError(f"more than {_MOST_BYTES} bytes")
        # Without pickles, numpy reads only numbers and executes no code.
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        facts = json.loads(bytes(arrays.pop(_FACTS)))
        if not isinstance(facts, dict):
            raise ValueError("its facts are no object")
    except _DAMAGED as error:
        raise InputError(
            "SJ031",
            "not a model file of sqljury, or a damaged one.",
            where=str(path),
            hint="Name a file that `sqljury train` or `sqljury agree --calibrate` wrote.",
        ) from error
    return facts, arrays


@contextmanager
def whole_model(path: PathLike) -> Iterator[None]:
    """Turn errors of a ``with`` block that makes a model of a file's parts into one for users.

    Raises:
        InputError: SJ031: parts are missing, or of another kind.
    """
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        raise InputError(
            "SJ031", f"the model is not whole: {error}.", where=os.fspath(path)
        ) from None
