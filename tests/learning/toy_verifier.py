"""A task that a network of a few ten thousand weights can learn, and the network: made here.

Conditions in words beside conditions in SQL, which mean the same or the opposite. No word by itself
says which: a verifier must compare the question with the query. Networks that begin at random see no
gain in that until they do both halves of it, so that they stand still before they learn it at once;
prompts are short to make that time short.
"""

from __future__ import annotations

import itertools
import random
from pathlib import Path

COLUMNS = ("price", "size", "age", "rank", "weight", "length")
COMPARED = {"above": ">", "below": "<"}
OPPOSITE = {"above": "below", "below": "above"}
NUMBERS = tuple(map(str, range(2, 62)))
_FRAME = ("question", ":", "which", "have", "query", "answer")
WORDS = sorted({*COLUMNS, *COMPARED, *COMPARED.values(), *NUMBERS, *_FRAME})
TRAINING, HELD = slice(0, 600), slice(600, 720)
"""Of the questions there are: no question is in both."""


def examples(which: slice) -> list:
    """Of each of these questions the right candidate, and the wrong one."""
    from sqljury.learning.language_model.prefix_scoring import PromptText
    from sqljury.learning.outcome_reward.examples import RewardExample

    questions = list(itertools.product(COLUMNS, COMPARED, NUMBERS))
    random.Random(0).shuffle(questions)
    found = []
    for place, (column, asked, number) in enumerate(questions[which]):
        begin = "question : which have" if place % 2 else "question :"  # of several lengths
        shared = f"{begin} {column} {asked} {number}"
        for written in (asked, OPPOSITE[asked]):
            own = f"query : {column} {COMPARED[written]} {number} answer :"
            found.append(RewardExample(shared, PromptText(shared, own), written == asked))
    return found


def write_base(
    folder: Path, words: list[str], *, width: int = 128, layers: int = 1, seed: int = 0
) -> Path:
    """A Llama-like network with random weights, and a tokenizer of whole words."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import AutoModelForCausalLM, LlamaConfig, PreTrainedTokenizerFast

    every = ["<unk>", "<pad>", "<end>", "Yes", "No", *words]
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
        num_attention_heads=width // 8,
        num_key_value_heads=width // 16,
        tie_word_embeddings=False,
        max_position_embeddings=2048,
        # Ten times the usual: attention that begins uneven finds sooner what to compare.
        initializer_range=0.2,
        pad_token_id=1,
        eos_token_id=2,
    )
    AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    return folder
