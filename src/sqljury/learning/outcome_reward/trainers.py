"""The loops of TRL and transformers, told what to learn and how it is validated."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sqljury.errors import InputError, MissingExtraError
from sqljury.learning.language_model.loading import Head, LanguageModel
from sqljury.learning.language_model.prefix_scoring import PrefixScorer, Score, unwrapped
from sqljury.learning.language_model.prompt_tokens import AnswerTokens
from sqljury.learning.outcome_reward.settings import Settings
from sqljury.learning.outcome_reward.validation import Tokens, measures, scored

Watch = Callable[[int, int, str], None]
_IGNORED = -100
"""What torch's losses skip."""


def made_trainer(
    network: Any,
    tokenizer: Any,
    training: Sequence[Tokens],
    validation: Sequence[Tokens],
    answers: AnswerTokens | None,
    settings: Settings,
    checkpoints: Path,
    watch: Watch,
) -> Any:
    """A trainer, ready to be started; the best network on the validation is kept in the end.

    Raises:
        MissingExtraError: SJ001: the packages are not installed.
    """
    try:
        from datasets import Dataset, disable_progress_bars
        from transformers import (
            DataCollatorWithPadding,
            EarlyStoppingCallback,
            PrinterCallback,
            Trainer,
        )
        from trl import SFTConfig, SFTTrainer
    except ImportError as error:
        raise MissingExtraError(error.name or "trl", "finetuning", "Training a verifier") from None
    rows = [_row(one, answers, settings) for one in training]
    disable_progress_bars()  # they write over what the watcher shows
    data = Dataset.from_dict(
        {name: [row[name] for row in rows] for name in ("input_ids", "labels")}
    )
    arguments = _arguments(len(rows), settings, checkpoints)
    callbacks = [EarlyStoppingCallback(settings.patience), _reporter(watch)]
    if answers is None:
        from transformers import TrainingArguments

        kind: Any = Trainer
        configuration: Any = TrainingArguments(**arguments)
        collator: Any = DataCollatorWithPadding(tokenizer)
    else:
        kind, collator = SFTTrainer, None
        packs = _flash_attention(network)
        configuration = SFTConfig(
            **arguments, max_length=settings.max_tokens + 1, packing=packs, eval_packing=False
        )
    found = _validating(kind, tokenizer, validation, answers)(
        model=network,
        args=configuration,
        train_dataset=data,
        eval_dataset=data.select(range(1)),  # the validation is ours; the loop wants to see some
        processing_class=tokenizer,
        data_collator=collator,
        callbacks=callbacks,
    )
    found.remove_callback(PrinterCallback)  # our watcher says it
    return found


def _row(one: Tokens, answers: AnswerTokens | None, settings: Settings) -> dict[str, Any]:
    prompt = [*one.shared, *one.own]
    if answers is None:
        return {"input_ids": prompt, "labels": [float(one.label)]}
    word = answers.taught[0 if one.label else 1]
    before = prompt if settings.objective == "sequence" else [_IGNORED] * len(prompt)
    return {"input_ids": [*prompt, word], "labels": [*before, word]}


def _arguments(examples: int, settings: Settings, checkpoints: Path) -> dict[str, Any]:
    import torch

    on_gpu = torch.cuda.is_available()
    at_once, accumulated = batches(settings.batch, settings.at_once)
    steps = math.ceil(examples / settings.batch)
    every = max(1, round(steps / settings.evaluations))
    return {
        "output_dir": str(checkpoints),
        "num_train_epochs": settings.epochs,
        "learning_rate": settings.learning_rate,
        "lr_scheduler_type": settings.scheduler,
        "warmup_steps": math.ceil(settings.warmup * steps * settings.epochs),
        "per_device_train_batch_size": at_once,
        "gradient_accumulation_steps": accumulated,
        "eval_strategy": "steps",
        "eval_steps": every,
        "save_strategy": "steps",
        "save_steps": every,
        "save_total_limit": 2,  # the best and the last
        "restore_callback_states_from_checkpoint": True,  # how long there was no gain
        "load_best_model_at_end": True,
        "metric_for_best_model": "eval_log_loss",
        "greater_is_better": False,
        "seed": settings.seed,
        "data_seed": settings.seed,
        "bf16": on_gpu,
        "use_cpu": not on_gpu,
        "activation_checkpointing": on_gpu,
        "dataloader_pin_memory": on_gpu,
        "report_to": "none",
        "disable_tqdm": True,
        "logging_strategy": "no",
    }


def batches(batch: int, at_once: int, processes: int | None = None) -> tuple[int, int]:
    """How many candidates a process takes at once, and how many times for one step.

    Together they are ``batch``, however many processes a launcher has started.

    Raises:
        InputError: SJ034: the batch cannot be shared out evenly.
    """
    count = processes or int(os.environ.get("WORLD_SIZE", "1"))
    own, rest = divmod(batch, count)
    if rest or not own:
        raise InputError("SJ034", f"--batch {batch} is no multiple of the {count} processes.")
    fitting = max(n for n in range(1, min(at_once, own) + 1) if own % n == 0)
    return fitting, own // fitting


def _flash_attention(network: Any) -> bool:
    """Whether short prompts can share a row: only such attention keeps them apart."""
    return str(getattr(network.config, "_attn_implementation", "")).startswith("flash")


def _validating(
    kind: Any, tokenizer: Any, validation: Sequence[Tokens], answers: AnswerTokens | None
) -> Any:
    """The trainer class, with the validation replaced by the verifier's own scores.

    The loop's validation would compute the question anew for every candidate, and would compare
    objectives by losses of different kinds.
    """

    labels = [one.label for one in validation]

    class Validating(kind):  # type: ignore[misc]
        control: Any

        def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
            named = {
                f"eval_{name}": value
                for name, value in measures(self.validation_scores(), labels).items()
            }
            self.log(named)
            self.control = self.callback_handler.on_evaluate(
                self.args, self.state, self.control, named
            )
            return named

        def validation_scores(self) -> list[Score]:
            """Of the validation examples, by all processes together.

            Where each holds a part of the weights all of them compute every prompt, in step.
            """
            sharded = self.is_fsdp_enabled or self.is_deepspeed_enabled
            network = self.model_wrapped if sharded else unwrapped(self.model)
            head: Head = "score" if answers is None else "words"
            scorer = PrefixScorer(
                LanguageModel(network, tokenizer, head), answers, share=not sharded
            )
            was_training = network.training
            network.eval()
            if sharded:
                found = scored(scorer, validation)
            else:
                from accelerate.utils import gather_object

                rank, count = self.args.process_index, self.args.world_size
                found = scored(scorer, validation, slice(rank, None, count), gather_object)
            network.train(was_training)
            return found

    return Validating


def _reporter(watch: Watch) -> Any:
    from transformers import TrainerCallback

    class ProgressCallback(TrainerCallback):
        said = ""

        def on_evaluate(self, args: Any, state: Any, control: Any, **known: Any) -> None:  # noqa: ARG002
            found = known["metrics"]
            self.said = f"log loss {found['eval_log_loss']:.3f}, AUC {found['eval_auc']:.3f}"
            watch(state.global_step, state.max_steps, self.said)

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
            watch(state.global_step, state.max_steps, self.said)

    return ProgressCallback()
