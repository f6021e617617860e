"""Texts as vectors, for detectors: sentence vectors, hidden states, latent semantic analysis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from sqljury.errors import InputError, MissingExtraError
from sqljury.learning.language_model.loading import NO_CODE, ONE_AT_A_TIME, libraries, quiet
from sqljury.learning.text_vectors import Lsa

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


# ---------------------------------------------------------------- embeddings
#
# Sentence vectors: vectors of short texts that are close if the meanings are.
#
# The default model is all-MiniLM-L6-v2: 384 numbers per text, from its first 256 word pieces.
#
# Source: Reimers & Gurevych (2019), Sentence-BERT, arXiv:1908.10084.


DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
_SENTENCES_AT_ONCE = 32


def embed(texts: Sequence[str], *, model: str = DEFAULT_MODEL) -> Array:
    """The sentence vectors of texts, as float32 rows of length 1: their products are cosines.

    Computed on the CPU in double precision, so that a text's row does not depend on the others.

    Args:
        model: a sentence-transformers model: a folder, or a name, which is searched in the local
            cache and then on the hub.

    Raises:
        MissingExtraError: SJ001: the packages are not installed.
        InputError: SJ032: it cannot be loaded.
    """
    import numpy as np

    # Python texts may contain half a surrogate pair, which tokenizers reject.
    plain = [text.encode("utf-8", "replace").decode() for text in texts]
    with ONE_AT_A_TIME:
        encoder = _encoder(model)
        if not plain:
            return np.zeros((0, encoder.get_embedding_dimension()), dtype=np.float32)
        found = encoder.encode(
            plain, batch_size=_SENTENCES_AT_ONCE, show_progress_bar=False, normalize_embeddings=True
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
            return SentenceTransformer(
                model, device="cpu", local_files_only=is_folder, **NO_CODE
            ).double()
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        hint = "" if is_folder else "There is no such folder here, and no such model was reached."
        said = str(error).strip().partition("\n")[0]
        raise InputError("SJ032", f"cannot be loaded: {said}", where=model, hint=hint) from None


# ---------------------------------------------------------------- hidden states
#
# The hidden states of a language model's layer, as one vector per text.
#
# Source: Ren et al. (2022), arXiv:2209.15558, and TrustSQL (Lee et al. 2024), section 4.2, take the
# mean over the tokens of the input in the last layer of the encoder.


Pooling = Literal["mean", "last"]

_PURPOSE = "Reading the hidden states of a language model"
_TEXTS_AT_ONCE = 16
_LONGEST = 512
"""Most tokens of a text that are read; questions have a few dozen."""
_MOST_WEIGHTS = 1_000_000_000
"""Most weights of a model that is loaded in double precision (8 GB). In double precision, the
effect of padding vanishes in the rounding to single precision, so texts are computed in batches;
with larger models, they are computed one by one."""


def hidden_states(
    texts: Sequence[str], *, model: str, layer: int = -1, pooling: Pooling = "mean"
) -> Array:
    """The hidden states of texts, pooled to one float32 row per text.

    Computed on the CPU, so that a text's row does not depend on the others.

    Args:
        model: the folder of a model that transformers reads: an encoder (BERT), a decoder (Llama),
            or both (T5), of which the encoder is used.
        layer: a Python index; 0 is the input of the first layer, -1 the output of the last.
        pooling: the mean over a text's tokens, or the state of the last token.

    Raises:
        InputError: SJ020: there is no such folder; SJ022: it cannot be loaded; SJ035: it has no
            such layer.
        MissingExtraError: SJ001: the packages are not installed.
    """
    import numpy as np

    plain = [_plain(text) for text in texts]
    # Texts of similar length are batched together: a batch is as long as its longest text.
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
    """For each text, its tokens and the hidden state of each token as float32 rows.

    As :func:`hidden_states`, without pooling. Tokens that the tokenizer adds, such as [CLS], are
    left out.

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
    """For each batch: the index of its first text, the tokens, their hidden states in the layer,
    and a mask that is 0 for padding."""
    import torch

    network, tokenizer = _loaded(model)
    together = _TEXTS_AT_ONCE if network.dtype == torch.float64 else 1
    for start in range(0, len(texts), together):
        given = tokenizer(
            # An empty text may have no tokens, and then there would be no mean.
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
    """One row per text of a batch: the mean over its tokens, or its last token's state."""
    import torch

    if pooling == "last":
        # Padding may be at either end: the last token is the last place where the mask is 1.
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
                model, dtype=torch.float32, local_files_only=True, **NO_CODE
            )
            tokenizer = transformers.AutoTokenizer.from_pretrained(
                model, local_files_only=True, **NO_CODE
            )
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


# ---------------------------------------------------------------- representations
#
# The representations of texts as vectors that detectors can use, by name and in model files.
#
# ``lsa``: latent semantic analysis of the training texts, the only one that is stored entirely in
# the model file. ``embeddings[,model=FOLDER-OR-NAME]``: sentence vectors.
# ``hidden,model=FOLDER[,layer=N][,pooling=mean|last]``: the hidden states of a language model.


NAMES = ("lsa", "embeddings", "hidden")

_PROBE = "How many of them are there in each year?"
_SAME = 1e-3
"""Largest relative difference that rounding on another machine can cause."""


class Representation(Protocol):
    """Texts as rows of numbers."""

    @property
    def is_large(self) -> bool:
        """True for a network, which should be loaded only once per machine."""

    def transform(self, texts: Sequence[str]) -> Array:
        """A row for each text."""

    def facts(self) -> dict[str, Any]:
        """The facts that a model file stores about this representation."""

    def arrays(self) -> dict[str, Array]:
        """The arrays that a model file stores of it."""


@dataclass(frozen=True)
class Network:
    """A representation by a network that is not stored in the model file.

    The model file has the vector of one fixed text, to check that the network is the one that the
    detector was trained with.
    """

    name: str
    model: str | None
    layer: int
    pooling: Pooling
    probe: Array | None = None

    @property
    def is_large(self) -> bool:
        """True: it loads a network."""
        return True

    def transform(self, texts: Sequence[str]) -> Array:
        """A row for each text.

        Raises:
            InputError: SJ033: it is not the network that the detector was trained with.
        """
        if not self._is_as_before:
            raise InputError(
                "SJ033",
                "this is not the model that the detector was trained with.",
                where=self.model or self.name,
            )
        return self._rows(texts)

    def _rows(self, texts: Sequence[str]) -> Array:
        if self.name == "embeddings":
            return embed(texts, model=self.model or DEFAULT_MODEL)
        return hidden_states(texts, model=str(self.model), layer=self.layer, pooling=self.pooling)

    @cached_property
    def _probed(self) -> Array:
        found: Array = self._rows([_PROBE])[0]
        return found

    @cached_property
    def _is_as_before(self) -> bool:
        import numpy as np

        before, now = self.probe, self._probed
        if before is None:
            return True
        far = _SAME * float(np.linalg.norm(now))
        return before.shape == now.shape and float(np.linalg.norm(before - now)) <= far

    def facts(self) -> dict[str, Any]:
        """The name of the representation, the model, the layer and the pooling."""
        return {
            "name": self.name,
            "model": self.model,
            "layer": self.layer,
            "pooling": self.pooling,
        }

    def arrays(self) -> dict[str, Array]:
        """The vector of the fixed text that identifies the network."""
        return {"probe": self._probed}


def representation(text: str, training: Sequence[str]) -> Representation:
    """The representation that a user's text names; LSA is fitted to the training texts.

    Raises:
        InputError: SJ028: no representation has that name, or it has no such option.
    """
    name, *pairs = text.split(",")
    options = dict(pair.partition("=")[::2] for pair in pairs)
    allowed = {"lsa": set(), "embeddings": {"model"}, "hidden": {"model", "layer", "pooling"}}
    if name not in allowed or not set(options) <= allowed[name]:
        raise InputError("SJ028", f"{text!r} is none.", hint=f"There is {', '.join(_USAGE)}.")
    if name == "lsa":
        return Lsa.fit(training)
    layer, pooling = options.get("layer", "-1"), options.get("pooling", "mean")
    if pooling not in ("mean", "last") or not layer.removeprefix("-").isdecimal():
        raise InputError("SJ028", f"{text!r} is none.", hint=f"There is {', '.join(_USAGE)}.")
    if name == "hidden" and not options.get("model"):
        raise InputError("SJ028", "hidden needs a model.", hint="Write hidden,model=FOLDER.")
    return Network(name, options.get("model"), int(layer), "last" if pooling == "last" else "mean")


_USAGE = (
    "lsa",
    "embeddings[,model=FOLDER-OR-NAME]",
    "hidden,model=FOLDER[,layer=N][,pooling=last]",
)


def from_file(facts: Mapping[str, Any], arrays: Mapping[str, Array]) -> Representation:
    """The representation from the contents of a model file."""
    if facts["name"] == "lsa":
        return Lsa.from_file(facts, arrays)
    return Network(**facts, probe=arrays["probe"])
