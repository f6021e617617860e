"""Fine-tunes a causal language model to answer Yes or No, with LoRA and early stopping."""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
import time
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from sqljury.errors import InputError, MissingExtraError
from sqljury.learning.calibration import (
    Reliability,
    area_under_curve,
    fit_temperature,
    log_loss,
    reliability,
)
from sqljury.learning.language_model.loading import (
    ADAPTER,
    Head,
    LanguageModel,
    Placing,
    libraries,
    load_language_model,
    quiet,
)
from sqljury.learning.language_model.prefix_scoring import (
    AnswerTokens,
    PrefixScorer,
    PromptTokens,
    Score,
    unwrapped,
)
from sqljury.learning.outcome_reward.examples import RewardExample, Settings, split
from sqljury.learning.outcome_reward.verifier import answers_of, read_facts, write_facts

# ---------------------------------------------------------------- validation
#
# How good a verifier is on questions that it was not trained on.


@dataclass(frozen=True, slots=True)
class Tokens:
    """An example as tokens."""

    shared: tuple[int, ...]
    own: tuple[int, ...]
    label: bool


def scored(
    scorer: PrefixScorer,
    examples: Sequence[Tokens],
    share: slice = slice(None),
    gathered: Callable[[list[dict[int, Score]]], list[dict[int, Score]]] = lambda own: own,
) -> list[Score]:
    """The scores of examples; those with the same shared beginning are scored together.

    Args:
        share: the groups that this process scores, if several processes share the work.
        gathered: collects the scores of all processes from those of this one.
    """
    groups: dict[tuple[int, ...], list[int]] = {}
    for place, example in enumerate(examples):
        groups.setdefault(example.shared, []).append(place)
    own: dict[int, Score] = {}
    for shared, places in list(groups.items())[share]:
        scores = scorer.scores(shared, [examples[place].own for place in places])
        own |= zip(places, scores, strict=True)
    found = dict(ChainMap(*gathered([own])))
    return [found[place] for place in range(len(examples))]


def measures(scores: Sequence[Score], labels: Sequence[bool]) -> dict[str, float]:
    """Log loss (nats), area under the ROC curve, accuracy at 0.5, mean mass on an answer."""
    import numpy as np

    logits, y = np.array([score.logit for score in scores]), np.array(labels, dtype=float)
    masses = [score.mass for score in scores if score.mass is not None]
    found = {
        "log_loss": log_loss(logits, y),
        "auc": area_under_curve(logits, y),
        "accuracy": float(np.mean((logits >= 0) == (y > 0.5))),
    }
    return found | ({"mass": float(np.mean(masses))} if masses else {})


# ---------------------------------------------------------------- trainers
#
# The training loops of TRL and transformers, with sqljury's data and validation.


Watch = Callable[[int, int, str], None]
_IGNORED = -100
"""The label that torch's losses ignore."""


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
    """A trainer, not yet started; at the end it keeps the best network on the validation examples.

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
    steps = math.ceil(len(rows) / settings.batch)
    chosen = arguments(len(rows), settings, checkpoints, "eval_log_loss")
    chosen |= {
        "lr_scheduler_type": settings.scheduler,
        "warmup_steps": math.ceil(settings.warmup * steps * settings.epochs),
        "activation_checkpointing": not chosen["use_cpu"],
    }
    callbacks = [EarlyStoppingCallback(settings.patience), reporter(watch, _in_words)]
    if answers is None:
        from transformers import TrainingArguments

        kind: Any = Trainer
        configuration: Any = TrainingArguments(**chosen)
        collator: Any = DataCollatorWithPadding(tokenizer)
    else:
        kind, collator = SFTTrainer, None
        packs = _flash_attention(network)
        configuration = SFTConfig(
            **chosen, max_length=settings.max_tokens + 1, packing=packs, eval_packing=False
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


def _in_words(found: Mapping[str, float]) -> str:
    return f"log loss {found['eval_log_loss']:.3f}, AUC {found['eval_auc']:.3f}"


class Training(Protocol):
    """The settings that the training of a verifier and of a generator have in common."""

    @property
    def epochs(self) -> float:
        """Passes over the training data."""

    @property
    def learning_rate(self) -> float:
        """The highest learning rate."""

    @property
    def batch(self) -> int:
        """Examples of one step, over all processes together."""

    @property
    def at_once(self) -> int:
        """Most examples of a batch that one process computes at once."""

    @property
    def evaluations(self) -> int:
        """Evaluations per epoch."""

    @property
    def seed(self) -> int:
        """Seed of all random choices."""


def arguments(examples: int, settings: Training, checkpoints: Path, metric: str) -> dict[str, Any]:
    """The training arguments for transformers; the network with the least ``metric`` is kept."""
    import torch

    on_gpu = torch.cuda.is_available()
    at_once, accumulated = batches(settings.batch, settings.at_once)
    steps = math.ceil(examples / settings.batch)
    every = max(1, round(steps / settings.evaluations))
    return {
        "output_dir": str(checkpoints),
        "num_train_epochs": settings.epochs,
        "learning_rate": settings.learning_rate,
        "per_device_train_batch_size": at_once,
        "gradient_accumulation_steps": accumulated,
        "eval_strategy": "steps",
        "eval_steps": every,
        "save_strategy": "steps",
        "save_steps": every,
        "save_total_limit": 2,  # the best and the last
        "restore_callback_states_from_checkpoint": True,  # how long there was no gain
        "load_best_model_at_end": True,
        "metric_for_best_model": metric,
        "greater_is_better": False,
        "seed": settings.seed,
        "data_seed": settings.seed,
        "bf16": on_gpu,
        "use_cpu": not on_gpu,
        "dataloader_pin_memory": on_gpu,
        "report_to": "none",
        "disable_tqdm": True,
        "logging_strategy": "no",
    }


def batches(batch: int, at_once: int, processes: int | None = None) -> tuple[int, int]:
    """How many candidates a process computes at once, and how many times per optimizer step.

    Over all processes of a launcher, these make ``batch`` candidates per step.

    Raises:
        InputError: SJ034: the batch cannot be divided evenly among the processes.
    """
    count = processes or int(os.environ.get("WORLD_SIZE", "1"))
    own, rest = divmod(batch, count)
    if rest or not own:
        raise InputError("SJ034", f"batch={batch} is no multiple of the {count} processes.")
    fitting = max(n for n in range(1, min(at_once, own) + 1) if own % n == 0)
    return fitting, own // fitting


def _flash_attention(network: Any) -> bool:
    """True if short prompts can share a row: only flash attention keeps them separate."""
    return str(getattr(network.config, "_attn_implementation", "")).startswith("flash")


def _validating(
    kind: Any, tokenizer: Any, validation: Sequence[Tokens], answers: AnswerTokens | None
) -> Any:
    """The trainer class, with the validation replaced by the verifier's own scores.

    The library's own validation would compute the question again for every candidate, and its loss
    is not comparable between objectives.
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
            """The scores of the validation examples, computed by all processes together.

            If each process has only a part of the weights, all of them compute every prompt.
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


def reporter(watch: Watch, said: Callable[[Mapping[str, float]], str]) -> Any:
    """A callback for transformers that reports each step; ``said`` puts measures into words."""
    from transformers import TrainerCallback

    class ProgressCallback(TrainerCallback):
        said = ""

        def on_evaluate(self, args: Any, state: Any, control: Any, **known: Any) -> None:  # noqa: ARG002
            self.said = said(known["metrics"])
            watch(state.global_step, state.max_steps, self.said)

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
            watch(state.global_step, state.max_steps, self.said)

    return ProgressCallback()


# ---------------------------------------------------------------- training
#
# Fine-tunes a causal language model to answer Yes or No, with LoRA and early stopping.
#
# Source: GradeSQL (Tritto et al. 2026), sections 3.2 and 6; LoRA: Hu et al. (2022).


CHECKPOINTS, ARGUMENTS = "checkpoints", "training_args.bin"


@dataclass(frozen=True, slots=True)
class Trained:
    """The results of a training."""

    facts: Mapping[str, Any]
    """The contents of verifier.json."""
    before: Reliability
    after: Reliability
    """On the validation questions, before and after temperature scaling."""


def train_verifier(
    examples: Sequence[RewardExample],
    base: str,
    out: Path,
    settings: Settings,
    *,
    about: Mapping[str, Any],
    watch: Watch = lambda _done, _total, _said: None,
) -> Trained:
    """Trains, calibrates on the validation questions, and writes a folder for ``load_verifier``.

    After an interruption, the same call continues from the last checkpoint and gives the same
    weights; if the folder is complete, it only reads the results. Under a launcher all processes
    call it with the same arguments, and the first one writes.

    Args:
        base: the folder of a causal language model, or of an adapter to train further.
        about: further facts for verifier.json (the prompt, the data).
        watch: called with the steps done, the total steps, and the last measures in words.

    Raises:
        InputError: SJ022, SJ023: the base cannot be used; SJ026: the folder holds another
            training; SJ027: too few examples.
        MissingExtraError: SJ001: the packages are not installed.
    """
    if Path(base).is_dir():
        base = str(Path(base).resolve())  # an adapter remembers it, and is used from elsewhere
    lines = ([one.question, one.prompt.shared, one.prompt.own, one.label] for one in examples)
    key = fingerprint([base, asdict(settings), about], lines)
    done = finished(out, read_facts(out), key)
    if done is not None:
        return _trained(done)
    start = time.perf_counter()
    sides = split(examples, settings.validation, settings.seed)
    _, transformers = libraries("Training a verifier")
    transformers.set_seed(settings.seed)  # a score head and adapters begin at random
    head: Head = "score" if settings.objective == "bce" else "words"
    placing = Placing(settings.device_map, settings.four_bit)
    loaded = load_language_model(base, head=head, trainable=True, placing=placing)
    tokens = PromptTokens(loaded.tokenizer)
    limit = min(settings.max_tokens, loaded.longest - 1)
    training, validation = (_tokens(side, tokens, limit) for side in sides)
    answers = answers_of(loaded, tokens)
    network = adapted(loaded, settings, base)
    checkpoints = out / CHECKPOINTS / key
    with quiet():
        trainer = made_trainer(
            network, loaded.tokenizer, training, validation, answers, settings, checkpoints, watch
        )
        trainer.train(resume_from_checkpoint=last_checkpoint(checkpoints))
    scores = trainer.validation_scores()
    facts = {
        "base": base,
        "objective": settings.objective,
        **about,
        "key": key,
        "settings": asdict(settings),
        "training": {
            "examples": len(training),
            "right": sum(one.label for one in training),
            "questions": len({one.question for one in sides[0]}),
            "left_out_as_too_long": sum(map(len, sides)) - len(training) - len(validation),
            "steps": trainer.state.global_step,
            "best_step": trainer.state.best_global_step,
        },
        **_validated(scores, validation),
        "seconds": round(time.perf_counter() - start, 1),
    }
    with quiet():
        trainer.save_model(str(out))  # by all processes: each may hold a part of the weights
    if trainer.is_world_process_zero():
        (out / ARGUMENTS).unlink()  # a pickle
        facts = write_facts(out, facts)
        shutil.rmtree(out / CHECKPOINTS)
    return _trained(facts)


def _validated(scores: Sequence[Score], validation: Sequence[Tokens]) -> dict[str, Any]:
    labels = [one.label for one in validation]
    temperature = fit_temperature([score.logit for score in scores], labels)
    curves = {
        name: reliability([score.probability(at) for score in scores], labels).to_json()
        for name, at in (("before", 1.0), ("after", temperature))
    }
    found = {"examples": len(validation), **measures(scores, labels), "reliability": curves}
    return {"temperature": temperature, "validation": found}


def finished(
    out: Path, facts: dict[str, Any] | None, key: str, what: str = "verifier"
) -> dict[str, Any] | None:
    """The facts of the folder if this training is complete; None if it must begin or continue.

    Raises:
        InputError: SJ026: the folder contains another training, or something else.
    """
    if facts is None:
        if out.is_dir() and any(one.name != CHECKPOINTS for one in out.iterdir()):
            raise InputError(
                "SJ026", "the folder holds other files: give another --out.", where=str(out)
            )
    elif facts.get("key") != key:
        raise InputError(
            "SJ026",
            f"the folder holds a {what} of other data or settings: give another --out.",
            where=str(out),
        )
    return facts


def _trained(facts: Mapping[str, Any]) -> Trained:
    from sqljury.learning.calibration import Bin

    curves = facts["validation"]["reliability"]
    before, after = (
        Reliability(**{**one, "bins": tuple(Bin(**each) for each in one["bins"])})
        for one in (curves["before"], curves["after"])
    )
    return Trained(facts, before, after)


# ---------------------------------------------------------------- parts


def _tokens(examples: Sequence[RewardExample], tokens: PromptTokens, limit: int) -> list[Tokens]:
    """The examples as tokens; those that are too long are left out, never cut."""
    found = [
        Tokens(
            tuple(tokens.shared(one.prompt.shared)), tuple(tokens.own(one.prompt.own)), one.label
        )
        for one in examples
    ]
    kept = [one for one in found if len(one.shared) + len(one.own) <= limit]
    if len({one.label for one in kept}) < 2:
        raise InputError(
            "SJ027",
            f"{len(kept)} of {len(found)} prompts have at most {limit} tokens.",
            hint="Raise max_tokens (--set max_tokens=N), or use a model with a longer context.",
        )
    return kept


def adapted(loaded: LanguageModel, settings: Settings, base: str) -> Any:
    """The network with LoRA adapters in its linear layers; without new ones if all weights are
    trained or it already has adapters.

    Source: Hu et al. (2022), LoRA, arXiv:2106.09685.
    """
    if (Path(base) / ADAPTER).is_file():
        return loaded.model
    if settings.lora_rank == 0:
        return loaded.model.float()  # small steps are lost on weights in bfloat16
    from peft import LoraConfig, get_peft_model

    if settings.four_bit:
        from peft import prepare_model_for_kbit_training

        prepare: Any = prepare_model_for_kbit_training
        prepare(loaded.model, use_gradient_checkpointing=False)
    alpha, targets = settings.lora_alpha, settings.lora_targets
    config = LoraConfig(
        r=settings.lora_rank,
        lora_alpha=2 * settings.lora_rank if alpha is None else alpha,
        lora_dropout=settings.lora_dropout,
        target_modules=targets if targets == "all-linear" else targets.split(","),
        task_type="SEQ_CLS" if loaded.head == "score" else "CAUSAL_LM",
    )
    return get_peft_model(loaded.model, config)


def last_checkpoint(folder: Path) -> str | None:
    """The path of the last complete checkpoint, or None; incomplete ones are deleted."""
    whole = {}
    for path in folder.glob("checkpoint-*"):
        if (path / "trainer_state.json").is_file():  # written last
            whole[int(path.name.rpartition("-")[2])] = path
        else:
            shutil.rmtree(path, ignore_errors=True)  # several processes may try
    return str(whole[max(whole)]) if whole else None


def fingerprint(how: object, examples: Iterable[object]) -> str:
    """A hash that identifies a training by its settings and examples."""
    digest = hashlib.sha256(json.dumps(how, sort_keys=True).encode())
    for one in examples:
        digest.update(json.dumps(one).encode())
    return digest.hexdigest()[:16]
