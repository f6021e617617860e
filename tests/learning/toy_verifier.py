"""A task that a network of a few thousand weights can learn, and the network: made here.

Questions of four kinds about four tables, with the SQL that answers them and SQL that differs in a
word or two. To tell them apart a verifier must compare the question with the query, word by word.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from pathlib import Path

TABLES = ("songs", "shops", "ships", "books")
COLUMNS = ("price", "size", "age", "rank")
ASKED = {"number": "count", "highest": "max", "lowest": "min", "total": "sum"}
COMPARED = {"above": ">", "below": "<"}
NUMBERS = tuple(str(number) for number in range(2, 8))


@dataclass(frozen=True)
class Meaning:
    """A question, and the one query that answers it."""

    asked: str
    column: str
    table: str
    filtered: str
    compared: str
    number: str

    @property
    def question(self) -> str:
        return (
            f"{self.asked} {self.column} of {self.table} "
            f"with {self.filtered} {self.compared} {self.number}"
        )

    @property
    def sql(self) -> str:
        return (
            f"SELECT {ASKED[self.asked]} ( {self.column} ) FROM {self.table} "
            f"WHERE {self.filtered} {COMPARED[self.compared]} {self.number}"
        )


def any_meaning(rng: random.Random) -> Meaning:
    return Meaning(
        asked=rng.choice(tuple(ASKED)),
        column=rng.choice(COLUMNS),
        table=rng.choice(TABLES),
        filtered=rng.choice(COLUMNS),
        compared=rng.choice(tuple(COMPARED)),
        number=rng.choice(NUMBERS),
    )


_CHOICES = {
    "asked": tuple(ASKED),
    "column": COLUMNS,
    "table": TABLES,
    "filtered": COLUMNS,
    "compared": tuple(COMPARED),
    "number": NUMBERS,
}


def misread(meaning: Meaning, rng: random.Random, parts: tuple[str, ...]) -> Meaning:
    """Another meaning, that differs in one of these parts."""
    name = rng.choice(parts)
    others = [word for word in _CHOICES[name] if word != getattr(meaning, name)]
    return replace(meaning, **{name: rng.choice(others)})


EASY = ("compared",)
"""What candidates of the quick tests get wrong: fifty steps suffice to learn it."""


def examples(questions: int, candidates: int, seed: int, parts: tuple[str, ...] = EASY) -> list:
    """Examples with as many right candidates as wrong ones."""
    from sqljury.learning.language_model.prompt_tokens import PromptText
    from sqljury.learning.outcome_reward.examples import Example

    rng = random.Random(seed)
    found = []
    for number in range(questions):
        meaning = any_meaning(rng)
        for candidate in range(candidates):
            right = candidate % 2 == 0
            written = meaning if right else misread(meaning, rng, parts)
            prompt = PromptText(f"question : {meaning.question}", f"query : {written.sql} answer :")
            found.append(Example(f"{number}", prompt, right))
    return found


def words() -> list[str]:
    """All words of the task."""
    parts = " ".join(
        [*TABLES, *COLUMNS, *ASKED, *ASKED.values(), *COMPARED, *COMPARED.values(), *NUMBERS]
    )
    return sorted(
        {
            *parts.split(),
            *[
                "question",
                ":",
                "of",
                "with",
                "query",
                "SELECT",
                "(",
                ")",
                "FROM",
                "WHERE",
                "answer",
            ],
        }
    )


def write_base(
    folder: Path, vocabulary: list[str], *, width: int = 32, layers: int = 1, seed: int = 0
) -> Path:
    """A Llama-like network with random weights, and a tokenizer of whole words."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import AutoModelForCausalLM, LlamaConfig, PreTrainedTokenizerFast

    every = ["<unk>", "<pad>", "<end>", "Yes", "No", *vocabulary]
    plain = Tokenizer(
        models.WordLevel({word: i for i, word in enumerate(every)}, unk_token="<unk>")
    )
    plain.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    PreTrainedTokenizerFast(
        tokenizer_object=plain, unk_token="<unk>", pad_token="<pad>", eos_token="<end>"
    ).save_pretrained(folder)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(every),
        hidden_size=width,
        intermediate_size=2 * width,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        tie_word_embeddings=False,
        max_position_embeddings=2048,
        initializer_range=0.1,
        pad_token_id=1,
        eos_token_id=2,
    )
    model = AutoModelForCausalLM.from_config(config)
    with torch.no_grad():
        # The same in every state, so a bias of the output: like a model that has learnt to
        # answer, this one says Yes or No from the beginning. Which one, it has yet to learn.
        model.get_input_embeddings().weight[:, 0] = 1.0
        model.get_output_embeddings().weight[:, 0] = -1.0
        model.get_output_embeddings().weight[every.index("Yes") : every.index("No") + 1, 0] = 1.0
    model.save_pretrained(folder)
    return folder
