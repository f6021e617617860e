"""Loads language models from a folder, in the precision and on the device for this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, Final, Literal

from sqljury.errors import InputError, MissingExtraError

Head = Literal["words", "score"]
"""The network's output: logits of the next token, or one number."""

ADAPTER = "adapter_config.json"
NO_CODE: Final[Mapping[str, Any]] = {"trust_remote_code": False}
"""For each ``from_pretrained``: without it, transformers asks on the terminal if it may run the
model's own Python files."""
ONE_AT_A_TIME = Lock()
"""Lock for tokenizers: judges run in many threads, and a tokenizer fails if two use it at once."""


@contextmanager
def quiet() -> Iterator[None]:
    """Disables transformers' progress bar while it loads weights, because it overwrites ours."""
    from transformers.utils import logging

    bars: Any = logging
    shown = bars.is_progress_bar_enabled()
    bars.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            bars.enable_progress_bar()


@dataclass(frozen=True, slots=True)
class Placing:
    """On which devices and in which precision a model is loaded.

    Args:
        device_map: transformers' ``device_map``, most often ``auto``: spread over the GPUs of this
            process. Empty: on the GPU of this process's local rank, or on the CPU without a GPU.
        four_bit: weights in 4 bits (NF4, computed in bfloat16 on a GPU).

    Source: Dettmers et al. (2023), QLoRA, arXiv:2305.14314.
    """

    device_map: str = ""
    four_bit: bool = False

    @classmethod
    def of(cls, options: Mapping[str, str]) -> Placing:
        """From a model's options such as ``device_map=auto`` and ``four_bit=true``.

        Raises:
            InputError: SJ003: another option, or another value of ``four_bit``.
        """
        four_bit = options.get("four_bit", "false")
        if {*options} - {"device_map", "four_bit"} or four_bit not in ("true", "false"):
            said = ", ".join(f"{name}={value}" for name, value in options.items())
            raise InputError(
                "SJ003", f"{said}: a model of a folder takes device_map= and four_bit=true."
            )
        return cls(options.get("device_map", ""), four_bit == "true")

    def keywords(self) -> dict[str, Any]:
        """The keyword arguments for ``from_pretrained``.

        Raises:
            MissingExtraError: SJ001: 4 bits need a package that is not installed.
        """
        torch, transformers = libraries("A language model that runs here")
        dtype = torch.bfloat16 if torch.cuda.is_available() else torch.float32
        found: dict[str, Any] = {"dtype": dtype, **NO_CODE}
        if self.device_map:
            found["device_map"] = self.device_map
        if self.four_bit:
            _need("bitsandbytes", "four-bit", "A model in 4 bits")
            found["quantization_config"] = transformers.BitsAndBytesConfig(
                load_in_4bit=True,
                bnb_4bit_quant_type="nf4",
                bnb_4bit_use_double_quant=True,
                bnb_4bit_compute_dtype=dtype,
            )
            # Weights in 4 bits cannot be moved after loading, so the device is given here.
            found.setdefault("device_map", {"": str(local_device())})
        return found


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """A network and its tokenizer. ``model`` and ``tokenizer`` are those of transformers."""

    model: Any
    tokenizer: Any
    head: Head

    @property
    def device(self) -> Any:
        """The device of its weights."""
        return self.model.device

    @property
    def encodes(self) -> bool:
        """True for an encoder-decoder model (T5, BART): the decoder writes only the answer."""
        return bool(self.model.config.is_encoder_decoder)

    @property
    def longest(self) -> int:
        """The model's context length in tokens; a large number if its configuration has none."""
        stated = getattr(self.model.config, "max_position_embeddings", None)
        return int(stated) if stated else 1 << 30


def libraries(purpose: str) -> tuple[Any, Any]:
    """Imports and returns torch and transformers.

    Raises:
        MissingExtraError: SJ001: torch, transformers or peft is not installed.
    """
    for package in ("torch", "transformers", "peft"):
        _need(package, "finetuning", purpose)
    import torch
    import transformers

    return torch, transformers


def _need(package: str, extra: str, purpose: str) -> None:
    # Found, not imported: importing peft takes two seconds, and only adapters need it.
    if find_spec(package) is None:
        raise MissingExtraError(package, extra, purpose)


def local_device() -> Any:
    """The GPU of this process by its LOCAL_RANK; the CPU without a GPU."""
    torch, _ = libraries("A language model that runs here")
    if not torch.cuda.is_available():
        return torch.device("cpu")
    return torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))


def load_language_model(
    source: str,
    *,
    head: Head = "words",
    trainable: bool = False,
    seq2seq: bool = False,
    placing: Placing | None = None,
) -> LanguageModel:
    """Loads a model from a folder, or by its name if a hub can be reached.

    On a GPU it is in bfloat16, on a CPU in float32. An adapter (PEFT) is merged into the model that
    it was trained on.

    Args:
        trainable: for training: an adapter is not merged and can be trained further; the caller
            moves the model to its device.
        seq2seq: allow encoder-decoder models, too.
        placing: devices and precision.

    Raises:
        InputError: SJ022: it cannot be loaded.
        MissingExtraError: SJ001: the packages are not installed.
    """
    placing, folder = placing or Placing(), Path(source)
    how = placing.keywords()
    try:
        with ExitStack() as stack:
            stack.enter_context(quiet())
            model = _network(source, head, trainable, seq2seq, how)
            tokenizer = _tokenizer(source)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        hint = "" if folder.exists() else "There is no such folder here."
        raise InputError(
            "SJ022", f"cannot be loaded: {_first_line(error)}", where=source, hint=hint
        ) from None
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token
    model.config.pad_token_id = tokenizer.pad_token_id
    if not trainable and "device_map" not in how:
        model = model.to(local_device())
    return LanguageModel(model.eval(), tokenizer, head)


def _network(
    source: str, head: Head, trainable: bool, seq2seq: bool, how: Mapping[str, Any]
) -> Any:
    if (Path(source) / ADAPTER).is_file():
        from peft import PeftConfig, PeftModel

        name = PeftConfig.from_pretrained(source).base_model_name_or_path
        base = _plain(name, head, trainable, seq2seq, how)
        adapted = PeftModel.from_pretrained(base, source, is_trainable=trainable)
        if trainable:
            return adapted
        # Merging an adapter into weights of 4 bits would round it away.
        return adapted.base_model.model if _in_bits(base) else adapted.merge_and_unload()
    return _plain(source, head, trainable, seq2seq, how)


def _in_bits(model: Any) -> bool:
    return getattr(model, "quantization_method", None) is not None


def _plain(source: str, head: Head, trainable: bool, seq2seq: bool, how: Mapping[str, Any]) -> Any:
    torch, transformers = libraries("A language model that runs here")
    # Only for training, where several prompts share a row; scoring needs masks that flash attention
    # does not support.
    if trainable and torch.cuda.is_available() and transformers.utils.is_flash_attn_2_available():
        how = {**how, "attn_implementation": "flash_attention_2"}
    config = transformers.AutoConfig.from_pretrained(source, **NO_CODE) if seq2seq else None
    if config is not None and config.is_encoder_decoder:
        return transformers.AutoModelForSeq2SeqLM.from_pretrained(source, **how)
    if head == "words":
        return transformers.AutoModelForCausalLM.from_pretrained(source, **how)
    return transformers.AutoModelForSequenceClassification.from_pretrained(
        source, num_labels=1, problem_type="multi_label_classification", **how
    )


def _tokenizer(source: str) -> Any:
    _, transformers = libraries("A language model that runs here")
    if (Path(source) / ADAPTER).is_file() and not (
        Path(source) / "tokenizer_config.json"
    ).is_file():
        from peft import PeftConfig

        source = PeftConfig.from_pretrained(source).base_model_name_or_path
    return transformers.AutoTokenizer.from_pretrained(source, **NO_CODE)


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0] or type(error).__name__
