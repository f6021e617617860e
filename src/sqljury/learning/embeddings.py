"""Sentence vectors: short texts as points that lie near each other where meanings do.

The default model is all-MiniLM-L6-v2: 384 numbers a text, of the first 256 word pieces of it.

Source: Reimers & Gurevych (2019), Sentence-BERT, arXiv:1908.10084.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from sqljury.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
_BATCH = 32
ONE_AT_A_TIME = Lock()
"""Judges that ask a model run in many threads, and a tokenizer that two of them use fails."""


def embed(texts: Sequence[str], *, model: str = DEFAULT_MODEL) -> Array:
    """The vectors of some texts, as float32 rows of length 1: their products are cosines.

    Computed on the CPU, in double precision: a text has the same row alone and among others.

    Args:
        model: a sentence-transformers model: a folder, or a name, which is looked for in the local
            cache and then on the hub.

    Raises:
        MissingExtraError: SJ001: the packages are not installed.
        InputError: SJ032: it cannot be loaded.
    """
    import numpy as np

    # Half a surrogate pair is text in Python, and none for a tokenizer.
    plain = [text.encode("utf-8", "replace").decode() for text in texts]
    with ONE_AT_A_TIME:
        encoder = _encoder(model)
        if not plain:
            return np.zeros((0, encoder.get_embedding_dimension()), dtype=np.float32)
        found = encoder.encode(
            plain, batch_size=_BATCH, show_progress_bar=False, normalize_embeddings=True
        )
    return np.asarray(found, dtype=np.float32)


@lru_cache(maxsize=2)
def _encoder(model: str) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise MissingExtraError(
            "sentence-transformers", "embeddings", "Comparing texts by sentence vectors"
        ) from None
    is_folder = Path(model).is_dir()
    try:
        with quiet():
            return SentenceTransformer(model, device="cpu", local_files_only=is_folder).double()
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        hint = "" if is_folder else "There is no such folder here, and no such model was reached."
        said = str(error).strip().partition("\n")[0]
        raise InputError("SJ032", f"cannot be loaded: {said}", where=model, hint=hint) from None


@contextmanager
def quiet() -> Iterator[None]:
    """No progress bar while transformers loads weights; it writes over ours."""
    from transformers.utils import logging

    bars: Any = logging
    shown = bars.is_progress_bar_enabled()
    bars.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            bars.enable_progress_bar()
