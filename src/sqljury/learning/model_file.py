"""Model files: arrays and a few facts, in a format that cannot execute code when it is read."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping
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
        # Without pickles, numpy reads only numbers and executes no code.
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        facts = json.loads(bytes(arrays.pop(_FACTS)))
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise InputError(
            "SJ031",
            "not a model file of sqljury, or a damaged one.",
            where=str(path),
            hint="Name a file that `sqljury train` or `sqljury agree --calibrate` wrote.",
        ) from error
    return facts, arrays
