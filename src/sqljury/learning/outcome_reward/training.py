"""Fine-tuning a causal language model to answer Yes or No, with LoRA and early stopping.

Source: GradeSQL (Tritto et al. 2026), sections 3.2 and 6; LoRA: Hu et al. (2022).
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sqljury.errors import InputError
from sqljury.learning.calibration import Reliability, fit_temperature, reliability
from sqljury.learning.embeddings import quiet
from sqljury.learning.language_model.loading import (
    ADAPTER,
    Head,
    LanguageModel,
    Placing,
    libraries,
    load_language_model,
)
from sqljury.learning.language_model.prefix_scoring import Score
from sqljury.learning.language_model.prompt_tokens import PromptTokens
from sqljury.learning.outcome_reward.examples import RewardExample, split
from sqljury.learning.outcome_reward.settings import Settings
from sqljury.learning.outcome_reward.trainers import Watch, made_trainer
from sqljury.learning.outcome_reward.validation import Tokens, measures
from sqljury.learning.outcome_reward.verifier import answers_of, read_facts, write_facts

_CHECKPOINTS, _ARGUMENTS = "checkpoints", "training_args.bin"


@dataclass(frozen=True, slots=True)
class Trained:
    """What came out of a training."""

    facts: Mapping[str, Any]
    """What verifier.json says."""
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
    """Train, calibrate on the validation questions, and write a folder for ``load_verifier``.

    The same call goes on where it was interrupted, from the last checkpoint, and comes to the same
    weights; when the folder is complete it reads what was found. Under a launcher all processes
    call it with the same arguments, and the first one writes.

    Args:
        base: the folder of a causal language model, or of an adapter to train on.
        about: what else verifier.json shall say (the prompt, the data).
        watch: called with the steps done, those in all, and the last measures in words.

    Raises:
        InputError: SJ022, SJ023: the base cannot be used; SJ026: the folder holds another
            training; SJ027: too few examples.
        MissingExtraError: SJ001: the packages are not installed.
    """
    if Path(base).is_dir():
        base = str(Path(base).resolve())  # an adapter remembers it, and is used from elsewhere
    key = _fingerprint(examples, base, settings, about)
    done = _same(out, key)
    if done is not None:
        return done
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
    checkpoints = out / _CHECKPOINTS / key
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
        (out / _ARGUMENTS).unlink()  # a pickle
        facts = write_facts(out, facts)
        shutil.rmtree(out / _CHECKPOINTS)
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


def _same(out: Path, key: str) -> Trained | None:
    facts = read_facts(out)
    if facts is None:
        if out.is_dir() and any(one.name != _CHECKPOINTS for one in out.iterdir()):
            raise InputError("SJ026", "the folder holds something else.", where=str(out))
        return None
    if facts.get("key") != key:
        raise InputError(
            "SJ026", "the folder holds a verifier of other data or settings.", where=str(out)
        )
    return _trained(facts)


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
            hint="Raise --max-tokens, or use a model with a longer context.",
        )
    return kept


def adapted(loaded: LanguageModel, settings: Settings, base: str) -> Any:
    """The network with adapters in its linear layers; as it is where all weights are trained,
    or where it has adapters already.

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
    """The last one that was written to its end; what a kill left half written is removed."""
    whole = {}
    for path in folder.glob("checkpoint-*"):
        if (path / "trainer_state.json").is_file():  # written last
            whole[int(path.name.rpartition("-")[2])] = path
        else:
            shutil.rmtree(path, ignore_errors=True)  # several processes may try
    return str(whole[max(whole)]) if whole else None


def _fingerprint(
    examples: Sequence[RewardExample], base: str, settings: Settings, about: Mapping[str, Any]
) -> str:
    digest = hashlib.sha256(json.dumps([base, asdict(settings), about], sort_keys=True).encode())
    for one in examples:
        line = json.dumps([one.question, one.prompt.shared, one.prompt.own, one.label])
        digest.update(line.encode())
    return digest.hexdigest()[:16]
