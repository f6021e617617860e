"""Fine-tuning a sequence-to-sequence model to write SQL for a question and a schema in one line."""

from __future__ import annotations

import hashlib
import json
import math
import random
import re
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Final

from sqljury.errors import InputError
from sqljury.learning.language_model.loading import libraries, load_language_model, quiet
from sqljury.learning.outcome_reward.training import batches, last_checkpoint
from sqljury.version import __version__
from sqljury.writing import write_text

# ---------------------------------------------------------------- settings
#
# How a generator is trained: the options of ``train generator``.


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratorSettings:
    """All that changes what comes out.

    Raises:
        InputError: SJ034: settings that are not possible.
    """

    epochs: Annotated[float, "Passes over the training data."] = 50.0
    learning_rate: Annotated[float, "Of the optimizer, at its highest; it falls linearly."] = 1e-4
    batch: Annotated[int, "Questions of one step, over all processes together."] = 32
    at_once: Annotated[int, "Of these, how many fit into one process's memory."] = 4
    validation: Annotated[float, "Share of the questions kept back."] = 0.1
    evaluations: Annotated[int, "In an epoch; as many checkpoints are written."] = 1
    patience: Annotated[int, "Evaluations without a gain that end the training."] = 5
    max_tokens: Annotated[int, "Longer inputs (question and schema) are left out."] = 1024
    max_sql_tokens: Annotated[int, "Longer queries are left out."] = 512
    seed: Annotated[int, "Seed of all that is drawn."] = 42

    def __post_init__(self) -> None:
        counts = (self.batch, self.at_once, self.evaluations, self.patience)
        if min(*counts, self.max_tokens, self.max_sql_tokens) < 1 or not 0 < self.validation < 1:
            raise InputError("SJ034", "counts are above zero, and validation is a share.")
        if not self.learning_rate > 0 or not self.epochs > 0:
            raise InputError("SJ034", "epochs and learning rate are above zero.")


# ---------------------------------------------------------------- training
#
# Fine-tuning a sequence-to-sequence model to write SQL for a question and a schema in one line.
#
# Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), section 4.1 (T5); Raffel et al. 2020.


FACTS: Final = "generator.json"
"""What the folder says of its training; written last."""
_CHECKPOINTS: Final = "checkpoints"
_LEAST: Final = 10
_OPERATOR: Final = re.compile(r"[<>!=|&~^{}\\`]+")

Watch = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class GeneratorExample:
    """What is asked, question and schema in one line, and the query that answers it."""

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
    """Train, and write a folder for ``local:FOLDER``; what its generator.json says.

    The same call goes on where it was interrupted, from the last checkpoint; when the folder is
    complete it reads what was found. Under a launcher all processes call it, and the first writes.
    The network with the least loss on the validation questions is kept.

    Args:
        base: the folder of an encoder with a decoder (T5, BART).
        about: what else generator.json shall say.
        watch: called with the steps done, those in all, and the last measure in words.

    Raises:
        InputError: SJ022: the base cannot be used; SJ026: the folder holds something else;
            SJ027: too few examples.
        MissingExtraError: SJ001: the packages are not installed.
    """
    if Path(base).is_dir():
        base = str(Path(base).resolve())
    key = _fingerprint(examples, base, settings, about)
    if (done := _finished(out, key)) is not None:
        return done
    start = time.perf_counter()
    _, transformers = libraries("Training a generator")
    transformers.set_seed(settings.seed)
    loaded = load_language_model(base, seq2seq=True, trainable=True)
    if not loaded.encodes:
        raise InputError("SJ022", "it is no encoder with a decoder (T5, BART).", where=base)
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
    checkpoints = out / _CHECKPOINTS / key
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
        (out / "training_args.bin").unlink()  # a pickle
        write_text(out / FACTS, json.dumps(facts, indent=2) + "\n")
        shutil.rmtree(out / _CHECKPOINTS)
    return facts


def _add_missing(tokenizer: Any, model: Any, examples: Sequence[GeneratorExample]) -> list[str]:
    """Give operators and characters of the texts a token where the tokenizer has none.

    T5's own knows no ``<``: ``<=`` would be learnt, and written, as an unknown word.
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
    """Tokens, with the end of the text after each: some tokenizers write none."""
    end = tokenizer.eos_token_id
    found = {}
    for name, text in (("input_ids", one.asked), ("labels", one.sql)):
        ids = list(tokenizer(text).input_ids)
        found[name] = ids if ids[-1:] == [end] else [*ids, end]
    return found


def _split(
    rows: Sequence[dict[str, list[int]]], settings: GeneratorSettings
) -> tuple[list[dict[str, list[int]]], list[dict[str, list[int]]]]:
    """Rows to learn from and to validate on; equal inputs are on one side."""
    if len(rows) < _LEAST:
        raise InputError(
            "SJ027",
            f"{len(rows)} questions with a reference fit.",
            hint="At least ten are needed. Longer ones fit with --max-tokens, --max-sql-tokens.",
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
    import torch
    from transformers import (
        DataCollatorForSeq2Seq,
        EarlyStoppingCallback,
        PrinterCallback,
        Seq2SeqTrainer,
        Seq2SeqTrainingArguments,
        TrainerCallback,
    )

    class Reporter(TrainerCallback):
        said = ""

        def on_evaluate(self, args: Any, state: Any, control: Any, **known: Any) -> None:  # noqa: ARG002
            self.said = f"loss {known['metrics']['eval_loss']:.3f}"
            watch(state.global_step, state.max_steps, self.said)

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
            watch(state.global_step, state.max_steps, self.said)

    on_gpu = torch.cuda.is_available()
    at_once, accumulated = batches(settings.batch, settings.at_once)
    every = max(1, round(math.ceil(len(training) / settings.batch) / settings.evaluations))
    arguments: Any = Seq2SeqTrainingArguments(
        output_dir=str(checkpoints),
        num_train_epochs=settings.epochs,
        learning_rate=settings.learning_rate,
        per_device_train_batch_size=at_once,
        per_device_eval_batch_size=at_once,
        gradient_accumulation_steps=accumulated,
        eval_strategy="steps",
        eval_steps=every,
        save_strategy="steps",
        save_steps=every,
        save_total_limit=2,  # the best and the last
        restore_callback_states_from_checkpoint=True,  # how long there was no gain
        load_best_model_at_end=True,
        metric_for_best_model="eval_loss",
        greater_is_better=False,
        seed=settings.seed,
        data_seed=settings.seed,
        bf16=on_gpu,
        use_cpu=not on_gpu,
        gradient_checkpointing=on_gpu,
        dataloader_pin_memory=on_gpu,
        report_to="none",
        disable_tqdm=True,
        logging_strategy="no",
    )
    found = Seq2SeqTrainer(
        model=model,
        args=arguments,
        train_dataset=training,  # a list has what it needs
        eval_dataset=validation,  # type: ignore[arg-type]
        data_collator=DataCollatorForSeq2Seq(tokenizer, model=model),
        processing_class=tokenizer,
        callbacks=[EarlyStoppingCallback(settings.patience), Reporter()],
    )
    found.remove_callback(PrinterCallback)  # our watcher says it
    return found


def _finished(out: Path, key: str) -> dict[str, Any] | None:
    """What the folder says if this training is complete; None if it is to be begun or gone on with.

    Raises:
        InputError: SJ026: it holds something else; SJ031: generator.json cannot be read.
    """
    path = out / FACTS
    if not path.is_file():
        if out.is_dir() and any(one.name != _CHECKPOINTS for one in out.iterdir()):
            raise InputError("SJ026", "the folder holds something else.", where=str(out))
        return None
    try:
        facts = dict(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise InputError("SJ031", f"cannot be read: {error}.", where=str(path)) from None
    if facts.get("key") != key:
        raise InputError(
            "SJ026", "the folder holds a generator of other data or settings.", where=str(out)
        )
    return facts


def _fingerprint(
    examples: Sequence[GeneratorExample],
    base: str,
    settings: GeneratorSettings,
    about: Mapping[str, Any],
) -> str:
    digest = hashlib.sha256(json.dumps([base, asdict(settings), about], sort_keys=True).encode())
    for one in examples:
        digest.update(json.dumps([one.asked, one.sql]).encode())
    return digest.hexdigest()[:16]
