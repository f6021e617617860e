"""Fine-tunes a sequence-to-sequence model to write SQL from a question and a schema in one line."""

from __future__ import annotations

import hashlib
import json
import random
import re
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Final

from sqljury.errors import InputError
from sqljury.learning.language_model.loading import libraries, load_language_model, quiet
from sqljury.learning.outcome_reward.training import (
    ARGUMENTS,
    CHECKPOINTS,
    Watch,
    arguments,
    fingerprint,
    finished,
    last_checkpoint,
    reporter,
)
from sqljury.version import __version__
from sqljury.writing import write_text

# ---------------------------------------------------------------- settings
#
# How a generator is trained: what ``train generator --set`` sets.


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratorSettings:
    """All settings that affect the trained generator.

    Raises:
        InputError: SJ034: impossible settings.
    """

    epochs: Annotated[float, "Passes over the training data."] = 50.0
    learning_rate: Annotated[float, "Highest learning rate; it falls linearly."] = 1e-4
    batch: Annotated[int, "Questions per step, over all processes together."] = 32
    at_once: Annotated[int, "Most questions that one process computes at once."] = 4
    validation: Annotated[float, "Share of the questions kept for validation."] = 0.1
    evaluations: Annotated[int, "Evaluations per epoch, each with a checkpoint."] = 1
    patience: Annotated[int, "Evaluations without a gain that end the training."] = 5
    max_tokens: Annotated[int, "Longer inputs (question and schema) are left out."] = 1024
    max_sql_tokens: Annotated[int, "Longer queries are left out."] = 512
    seed: Annotated[int, "Seed of all random choices."] = 42

    def __post_init__(self) -> None:
        counts = (self.batch, self.at_once, self.evaluations, self.patience)
        if min(*counts, self.max_tokens, self.max_sql_tokens) < 1 or not 0 < self.validation < 1:
            raise InputError("SJ034", "counts must be above 0, and validation between 0 and 1.")
        if not self.learning_rate > 0 or not self.epochs > 0:
            raise InputError("SJ034", "epochs and learning rate must be above 0.")


# ---------------------------------------------------------------- training
#
# Fine-tuning a sequence-to-sequence model to write SQL for a question and a schema in one line.
#
# Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), section 4.1 (T5); Raffel et al. 2020.


FACTS: Final = "generator.json"
"""The file with the facts of the training; written last, so a folder with it is complete."""
_LEAST: Final = 10
_OPERATOR: Final = re.compile(r"[<>!=|&~^{}\\`]+")


@dataclass(frozen=True, slots=True)
class GeneratorExample:
    """An input (``asked``: question and schema in one line) and the query that answers it."""

    asked: str
    sql: str


def train_generator(
    examples: Sequence[GeneratorExample],
    base: str,
    out: Path,
    settings: GeneratorSettings,
    *,
    about: Mapping[str, Any],
    watch: Watch = lambda _done, _total, _said: None,
) -> dict[str, Any]:
    """Trains a generator and writes a folder for ``local:FOLDER``; returns its generator.json.

    After an interruption, the same call continues from the last checkpoint; if the folder is
    complete, it only reads generator.json. Under a launcher all processes call it, and the first
    one writes. The network with the least loss on the validation questions is kept.

    Args:
        base: the folder of an encoder-decoder model (T5, BART).
        about: further facts for generator.json.
        watch: called with the steps done, the total steps, and the last measure in words.

    Raises:
        InputError: SJ022: the base cannot be used; SJ026: the folder contains something else;
            SJ027: too few examples.
        MissingExtraError: SJ001: the packages are not installed.
    """
    if Path(base).is_dir():
        base = str(Path(base).resolve())
    lines = ([one.asked, one.sql] for one in examples)
    key = fingerprint([base, asdict(settings), about], lines)
    if (done := finished(out, _read_facts(out / FACTS), key, "generator")) is not None:
        return done
    start = time.perf_counter()
    _, transformers = libraries("Training a generator")
    transformers.set_seed(settings.seed)
    loaded = load_language_model(base, seq2seq=True, trainable=True)
    if not loaded.encodes:
        raise InputError("SJ022", "not an encoder with a decoder, such as T5 or BART.", where=base)
    model, tokenizer = loaded.model.float(), loaded.tokenizer
    added = _add_missing(tokenizer, model, examples)
    rows = [_row(one, tokenizer) for one in examples]
    kept = [
        row
        for row in rows
        if len(row["input_ids"]) <= settings.max_tokens
        and len(row["labels"]) <= settings.max_sql_tokens
    ]
    training, validation = _split(kept, settings)
    checkpoints = out / CHECKPOINTS / key
    with quiet():
        trainer = _trainer(model, tokenizer, training, validation, settings, checkpoints, watch)
        trainer.train(resume_from_checkpoint=last_checkpoint(checkpoints))
        loss = trainer.evaluate()["eval_loss"]
        trainer.save_model(str(out))  # by all processes: each may hold a part of the weights
    facts = {
        "sqljury": __version__,
        "base": base,
        **about,
        "key": key,
        "settings": asdict(settings),
        "tokens_added": added,
        "training": {
            "examples": len(training),
            "left_out_as_too_long": len(rows) - len(kept),
            "steps": trainer.state.global_step,
            "best_step": trainer.state.best_global_step,
        },
        "validation": {"examples": len(validation), "loss": loss},
        "seconds": round(time.perf_counter() - start, 1),
    }
    if trainer.is_world_process_zero():
        (out / ARGUMENTS).unlink()  # a pickle
        write_text(out / FACTS, json.dumps(facts, indent=2) + "\n")
        shutil.rmtree(out / CHECKPOINTS)
    return facts


def _add_missing(tokenizer: Any, model: Any, examples: Sequence[GeneratorExample]) -> list[str]:
    """Adds tokens for operators and characters of the texts that the tokenizer lacks.

    T5's tokenizer has no ``<``: ``<=`` would be learnt and written as an unknown word. Returns the
    added tokens.
    """
    texts = [text for one in examples for text in (one.asked, one.sql)]
    unknown = {
        char
        for char in set("".join(texts))
        if not char.isspace()
        and tokenizer.unk_token_id is not None
        and tokenizer.unk_token_id in tokenizer(char, add_special_tokens=False).input_ids
    }
    operators = {run for text in texts for run in _OPERATOR.findall(text) if unknown & set(run)}
    added = sorted(unknown | operators)
    tokenizer.add_tokens(added)
    if len(tokenizer) > model.get_input_embeddings().num_embeddings:
        model.resize_token_embeddings(len(tokenizer))
    return added


def _row(one: GeneratorExample, tokenizer: Any) -> dict[str, list[int]]:
    """The tokens of input and query, each with an end token, which some tokenizers do not add."""
    end = tokenizer.eos_token_id
    found = {}
    for name, text in (("input_ids", one.asked), ("labels", one.sql)):
        ids = list(tokenizer(text).input_ids)
        found[name] = ids if ids[-1:] == [end] else [*ids, end]
    return found


def _split(
    rows: Sequence[dict[str, list[int]]], settings: GeneratorSettings
) -> tuple[list[dict[str, list[int]]], list[dict[str, list[int]]]]:
    """Splits rows into training and validation; rows with equal inputs are on the same side."""
    if len(rows) < _LEAST:
        raise InputError(
            "SJ027",
            f"{len(rows)} questions with a reference fit.",
            hint="At least ten are needed. Longer ones fit with more max_tokens, max_sql_tokens.",
        )

    def draw(row: dict[str, list[int]]) -> str:
        return hashlib.sha256(f"{settings.seed}\0{row['input_ids']}".encode()).hexdigest()

    order = sorted({draw(row) for row in rows})
    held = set(order[: max(1, round(settings.validation * len(order)))])
    training = [row for row in rows if draw(row) not in held]
    random.Random(settings.seed).shuffle(training)
    return training, [row for row in rows if draw(row) in held]


def _trainer(
    model: Any,
    tokenizer: Any,
    training: list[dict[str, list[int]]],
    validation: list[dict[str, list[int]]],
    settings: GeneratorSettings,
    checkpoints: Path,
    watch: Watch,
) -> Any:
    from transformers import (
        DataCollatorForSeq2Seq,
        EarlyStoppingCallback,
        PrinterCallback,
        Seq2SeqTrainer,
        Seq2SeqTrainingArguments,
    )

    chosen = arguments(len(training), settings, checkpoints, "eval_loss")
    chosen |= {
        "per_device_eval_batch_size": chosen["per_device_train_batch_size"],
        "gradient_checkpointing": not chosen["use_cpu"],
    }
    found = Seq2SeqTrainer(
        model=model,
        args=Seq2SeqTrainingArguments(**chosen),
        train_dataset=training,  # a list has what it needs
        eval_dataset=validation,  # type: ignore[arg-type]
        data_collator=DataCollatorForSeq2Seq(tokenizer, model=model),
        processing_class=tokenizer,
        callbacks=[EarlyStoppingCallback(settings.patience), reporter(watch, _in_words)],
    )
    found.remove_callback(PrinterCallback)  # our watcher says it
    return found


def _in_words(found: Mapping[str, float]) -> str:
    return f"loss {found['eval_loss']:.3f}"


def _read_facts(path: Path) -> dict[str, Any] | None:
    """The contents of generator.json; None if there is no such file.

    Raises:
        InputError: SJ031: it cannot be read.
    """
    if not path.is_file():
        return None
    try:
        return dict(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise InputError("SJ031", f"cannot be read: {error}.", where=str(path)) from None
