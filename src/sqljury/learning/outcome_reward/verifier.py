"""A trained verifier: reads and writes its folder, and scores prompts."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqljury.errors import InputError
from sqljury.learning.language_model.loading import (
    Head,
    LanguageModel,
    Placing,
    load_language_model,
)
from sqljury.learning.language_model.prefix_scoring import (
    BATCH,
    AnswerTokens,
    PrefixScorer,
    PromptTokens,
    Score,
    answer_tokens,
)
from sqljury.version import __version__
from sqljury.writing import write_text

FACTS = "verifier.json"
VERSION = 1

PathLike = str | os.PathLike[str]


def write_facts(folder: PathLike, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Writes verifier.json as the last file: a folder with it is complete. Returns its contents."""

    text = json.dumps({"version": VERSION, "sqljury": __version__, **facts}, indent=2)
    write_text(Path(folder) / FACTS, f"{text}\n")
    return dict(json.loads(text))


def read_facts(folder: PathLike) -> dict[str, Any] | None:
    """The contents of verifier.json; None if there is no such file.

    Raises:
        InputError: SJ031: it cannot be read; SJ030: it is of another version.
    """
    path = Path(folder) / FACTS
    if not path.is_file():
        return None
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        version = facts["version"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise InputError("SJ031", f"cannot be read: {error}.", where=str(path)) from None
    if version != VERSION:
        raise InputError("SJ030", f"is of version {version}, not {VERSION}.", where=str(path))
    return dict(facts)


@dataclass(frozen=True)
class RewardModel:
    """A verifier: a scorer of prompts with its tokenizer."""

    scorer: PrefixScorer
    tokens: PromptTokens

    def scores(self, shared: str, owns: Sequence[str]) -> list[Score | None]:
        """The scores of candidates whose prompts share their beginning.

        None for a prompt that is longer than the model's context; prompts are never truncated.

        Raises:
            InfrastructureError: SJ024: memory does not suffice for a single prompt.
        """
        head = self.tokens.shared(shared)
        tails = [self.tokens.own(own) for own in owns]
        room = self.scorer.language_model.longest - len(head)
        fitting = [tail for tail in tails if len(tail) <= room]
        found = iter(self.scorer.scores(head, fitting))
        return [next(found) if len(tail) <= room else None for tail in tails]


def load_verifier(
    folder: str, *, batch: int = BATCH, placing: Placing | None = None
) -> RewardModel:
    """Loads a verifier that sqljury trained, or any causal language model without training.

    Args:
        placing: devices and precision; a model that was trained in 4 bits is always loaded in them.

    Raises:
        InputError: SJ020, SJ022, SJ023, SJ030, SJ031: not such a folder.
        MissingExtraError: SJ001: the packages are not installed.
    """
    if not Path(folder).is_dir():
        raise InputError("SJ020", "no such folder.", where=folder)
    facts = read_facts(folder) or {}
    head: Head = "score" if facts.get("objective") == "bce" else "words"
    placing = placing or Placing()
    trained_so = bool(facts.get("settings", {}).get("four_bit"))
    placing = replace(placing, four_bit=placing.four_bit or trained_so)
    language_model = load_language_model(folder, head=head, placing=placing)
    tokens = PromptTokens(language_model.tokenizer)
    scorer = PrefixScorer(language_model, answers_of(language_model, tokens), batch)
    return RewardModel(scorer, tokens)


def answers_of(language_model: LanguageModel, tokens: PromptTokens) -> AnswerTokens | None:
    """The tokens for a model's answers Yes and No; None for a model with a score head."""
    if language_model.head == "score":
        return None
    # In a chat the answer begins a line; other prompts end in "Answer:", so a space follows.
    return answer_tokens(language_model.tokenizer, after_space=not tokens.chats)
