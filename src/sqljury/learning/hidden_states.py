"""What a language model's layers hold of a text, as one vector a text.

Source: Ren et al. (2022), arXiv:2209.15558, and TrustSQL (Lee et al. 2024), section 4.2, take the
mean over the tokens of the input in the last layer of the encoder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sqljury.errors import InputError
from sqljury.learning.embeddings import ONE_AT_A_TIME, quiet
from sqljury.learning.language_model.loading import libraries

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

Pooling = Literal["mean", "last"]

_PURPOSE = "Reading the hidden states of a language model"
_BATCH = 16
_LONGEST = 512
"""Tokens of a text that are read; questions have some tens."""
_MOST_WEIGHTS = 1_000_000_000
"""Of a model that is held in double precision, 8 GB. What padding changes is lost in the rounding
to single precision, so that texts may be read together; those of larger models are read singly."""


def hidden_states(
    texts: Sequence[str], *, model: str, layer: int = -1, pooling: Pooling = "mean"
) -> Array:
    """The hidden states of some texts, as float32 rows as long as the model is wide.

    Computed on the CPU: a text has the same row alone and among others.

    Args:
        model: the folder of a model that transformers reads: encoder (BERT), decoder (Llama), or
            both (T5), of which the encoder is taken.
        layer: as Python counts; 0 is what goes into the first layer, -1 what comes out of the last.
        pooling: the mean over a text's tokens, or the last of them.

    Raises:
        InputError: SJ020: there is no such folder; SJ022: it cannot be loaded; SJ035: it has no
            such layer.
        MissingExtraError: SJ001: the packages are not installed.
    """
    import numpy as np

    plain = [_plain(text) for text in texts]
    # Texts of like length together: a batch is as long as its longest.
    order = sorted(range(len(plain)), key=lambda place: len(plain[place]))
    sorted_texts = [plain[place] for place in order]
    with ONE_AT_A_TIME:
        network, _ = _loaded(model)
        rows = np.zeros((len(plain), int(network.config.hidden_size)), dtype=np.float32)
        for start, _, states, mask in _layers(sorted_texts, layer, model):
            rows[order[start : start + len(states)]] = _pooled(states, mask, pooling)
    return rows


def token_states(
    texts: Sequence[str], *, model: str, layer: int = -1
) -> list[tuple[list[str], Array]]:
    """The tokens of each text, and the hidden state of each token: float32 rows; as above.

    Tokens that the tokenizer adds, such as [CLS], are left out.

    Raises:
        InputError: SJ020: there is no such folder; SJ022: it cannot be loaded; SJ035: it has no
            such layer.
        MissingExtraError: SJ001: the packages are not installed.
    """
    found = []
    with ONE_AT_A_TIME:
        _, tokenizer = _loaded(model)
        for _, given, states, _ in _layers([*map(_plain, texts)], layer, model):
            for ids, rows in zip(given["input_ids"].tolist(), states, strict=True):
                kept = [n for n, token in enumerate(ids) if token not in tokenizer.all_special_ids]
                words = tokenizer.convert_ids_to_tokens([ids[place] for place in kept])
                found.append((words, rows[kept].float().numpy()))
    return found


def _plain(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _layers(texts: Sequence[str], layer: int, model: str) -> Iterator[tuple[int, Any, Any, Any]]:
    """Of each batch: the first text's place, its tokens, their states, and which are real."""
    import torch

    network, tokenizer = _loaded(model)
    together = _BATCH if network.dtype == torch.float64 else 1
    for start in range(0, len(texts), together):
        given = tokenizer(
            # A tokenizer may make nothing of an empty text, and of nothing there is no mean.
            [text or " " for text in texts[start : start + together]],
            padding=True,
            truncation=True,
            max_length=_LONGEST,
            return_tensors="pt",
        )
        wanted = {key: given[key] for key in ("input_ids", "attention_mask")}
        with torch.inference_mode():
            layers = network(**wanted, output_hidden_states=True).hidden_states
        if not -len(layers) <= layer < len(layers):
            raise InputError(
                "SJ035", f"there is no layer {layer}: it has {len(layers) - 1}.", where=model
            )
        yield start, given, layers[layer], wanted["attention_mask"].to(network.dtype)


def _pooled(states: Any, mask: Any, pooling: Pooling) -> Array:
    """One row for each text of a batch."""
    import torch

    if pooling == "last":
        # Padding stands at either end: the last token is where the count of tokens is highest.
        last = (mask.cumsum(1) * mask).argmax(1)
        mask = torch.nn.functional.one_hot(last, mask.shape[1]).to(states.dtype)
    total = (states * mask[:, :, None]).sum(1)
    found: Array = (total / mask.sum(1).clamp_min(1)[:, None]).numpy()
    return found


@lru_cache(maxsize=2)
def _loaded(model: str) -> tuple[Any, Any]:
    torch, transformers = libraries(_PURPOSE)
    if not Path(model).is_dir():
        raise InputError("SJ020", "no such folder.", where=model, hint="Models are not downloaded.")
    try:
        with quiet():
            network = transformers.AutoModel.from_pretrained(
                model, dtype=torch.float32, local_files_only=True
            )
            tokenizer = transformers.AutoTokenizer.from_pretrained(model, local_files_only=True)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        first = str(error).strip().split("\n", 1)[0]
        raise InputError("SJ022", f"cannot be loaded: {first}", where=model) from None
    if network.config.is_encoder_decoder:
        network = network.get_encoder()
    if sum(weights.numel() for weights in network.parameters()) <= _MOST_WEIGHTS:
        network = network.double()
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token
    return network.eval(), tokenizer
