"""Causal language models from a folder, in the form that this machine computes best."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sqljury.errors import InputError, MissingExtraError
from sqljury.learning.embeddings import quiet

Head = Literal["words", "score"]
"""What the network ends in: the next word, or one number."""

ADAPTER = "adapter_config.json"


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """A network and its tokenizer. ``model`` and ``tokenizer`` are those of transformers."""

    model: Any
    tokenizer: Any
    head: Head

    @property
    def device(self) -> Any:
        """Where its numbers are."""
        return self.model.device

    @property
    def longest(self) -> int:
        """How many tokens it was made for; a large number where its configuration does not say."""
        stated = getattr(self.model.config, "max_position_embeddings", None)
        return int(stated) if stated else 1 << 30


def libraries(purpose: str) -> tuple[Any, Any]:
    """torch and transformers.

    Raises:
        MissingExtraError: SJ001: they are not installed.
    """
    for package in ("torch", "transformers", "peft"):
        try:
            __import__(package)
        except ImportError:
            raise MissingExtraError(package, "finetuning", purpose) from None
    import torch
    import transformers

    return torch, transformers


def load_language_model(
    source: str, *, head: Head = "words", trainable: bool = False
) -> LanguageModel:
    """A model from a folder, or by its name where a hub can be reached.

    On a GPU it is held in bfloat16, on a CPU in float32. An adapter's folder (PEFT) is merged into
    the model that it was trained on.

    Args:
        trainable: for training: an adapter stays apart and can be trained on.

    Raises:
        InputError: SJ022: it cannot be loaded.
        MissingExtraError: SJ001: the packages are not installed.
    """
    torch, _ = libraries("A language model that runs here")
    folder = Path(source)
    try:
        with ExitStack() as stack:
            stack.enter_context(quiet())
            model = _network(source, head, trainable)
            tokenizer = _tokenizer(source)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        hint = "" if folder.exists() else "There is no such folder here."
        raise InputError(
            "SJ022", f"cannot be loaded: {_first_line(error)}", where=source, hint=hint
        ) from None
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token
    model.config.pad_token_id = tokenizer.pad_token_id
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return LanguageModel(model.to(device).eval(), tokenizer, head)


def _network(source: str, head: Head, trainable: bool) -> Any:
    if (Path(source) / ADAPTER).is_file():
        from peft import PeftConfig, PeftModel

        name = PeftConfig.from_pretrained(source).base_model_name_or_path
        base = _plain(name, head, trainable)
        adapted = PeftModel.from_pretrained(base, source, is_trainable=trainable)
        return adapted if trainable else adapted.merge_and_unload()
    return _plain(source, head, trainable)


def _plain(source: str, head: Head, trainable: bool) -> Any:
    torch, transformers = libraries("A language model that runs here")
    how: dict[str, Any] = {"dtype": torch.float32}
    if torch.cuda.is_available():
        how = {"dtype": torch.bfloat16}
        # Several prompts share a row in training; scoring needs masks that it does not take.
        if trainable and transformers.utils.is_flash_attn_2_available():
            how["attn_implementation"] = "flash_attention_2"
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
    return transformers.AutoTokenizer.from_pretrained(source)


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0] or type(error).__name__
