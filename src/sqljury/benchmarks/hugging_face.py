"""Data sets of Hugging Face: folders that `save_to_disk` wrote, and names for `load_dataset`."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from sqljury.errors import InputError, MissingExtraError

NAMED = "hf:"
"""The prefix of a name for ``load_dataset``: ``hf:NAME[@SPLIT]``."""
_SAVED = "dataset_info.json"
_SPLITS = "dataset_dict.json"


def is_data_set(place: str) -> bool:
    """True if a place is a name with ``hf:``, or a folder that holds a saved data set."""
    if place.startswith(NAMED):
        return True
    try:
        return any(Path(place, file).is_file() for file in (_SAVED, _SPLITS))
    except OSError:  # a name that is too long
        return False


@cache
def as_parquet(place: str) -> Path:
    """A Parquet file with the rows of a data set; it is removed when the process ends.

    Raises:
        InputError: SJ123: the data set cannot be loaded, or has several splits and none is named.
        MissingExtraError: datasets is not installed.
    """
    try:
        import datasets
    except ImportError:
        raise MissingExtraError("datasets", "datasets", "Reading data sets") from None
    name, _, split = place.removeprefix(NAMED).partition("@")
    hint = f"Name one: {NAMED}{name}@{{}}."
    datasets.disable_progress_bars()
    try:
        if place.startswith(NAMED):
            found: Any = datasets.load_dataset(name, split=split or None)
        else:
            found, split = datasets.load_from_disk(place), ""
            hint = f"Name one: {Path(place) / '{}'}."
    except Exception as error:  # of many kinds: files, formats, the hub, the network
        raise InputError("SJ123", f"the data set cannot be loaded: {error}", where=place) from error
    if isinstance(found, dict):
        if len(found) > 1:
            splits = ", ".join(map(str, found))
            raise InputError(
                "SJ123",
                f"the data set has several splits: {splits}.",
                where=place,
                hint=hint.format(next(iter(found))),
            )
        (found,) = found.values()
    folder = tempfile.mkdtemp(prefix="sqljury-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    stem = "-".join(filter(None, (Path(name).resolve().name, split)))
    file = Path(folder, f"{stem.replace('/', '-')}.parquet")
    found.to_parquet(str(file))
    return file
