"""A tiny model learns by TRL's GRPO which queries are right, with sqljury's reward.

    python train.py DATA

DATA has ``spider/databases`` and ``candidates/spider-dev-17-systems.jsonl.gz`` (docs/reproduce.md).
A word of the model's language is a question or a whole query, so that a processor trains it in a
minute: for each of ten questions on one database it learns to prefer the right ones among the
queries that 17 systems wrote. What is real is the reward: each query runs on the database, in a
sandboxed worker, and earns partial credit for rows that agree. A real training differs in the model
and the data only.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast, set_seed
from trl import GRPOConfig, GRPOTrainer

import sqljury as sj
from sqljury.guests.rewards import PARTIAL, SQLReward

DATABASE = "concert_singer"
QUESTIONS = 10
STEPS = 60


def main(data: Path) -> list[float]:
    """Train; return the mean reward of each step."""
    set_seed(7)
    known: dict[str, list[sj.Case]] = {}
    for case in sj.read_cases(data / "candidates" / "spider-dev-17-systems.jsonl.gz"):
        if case.db_id == DATABASE and case.question and case.predicted_sql:
            known.setdefault(case.question, []).append(case)
    questions = list(known)[:QUESTIONS]
    queries = {str(case.predicted_sql): None for one in questions for case in known[one][:4]}
    tokenizer = words_tokenizer([*questions, *queries])
    model = GPT2LMHeadModel(
        GPT2Config(
            n_layer=1,
            n_head=2,
            n_embd=64,
            n_positions=4,
            vocab_size=len(tokenizer),
            bos_token_id=1,
            eos_token_id=1,
            pad_token_id=0,
        )
    )
    rows = [
        {"prompt": one, "reference": known[one][0].reference_sqls[0], "db_id": DATABASE}
        for _ in range(STEPS)
        for one in questions
    ]
    databases = data / "spider" / "databases"
    with SQLReward(databases, PARTIAL, workers=2) as reward, TemporaryDirectory() as folder:
        trainer = GRPOTrainer(
            model,
            reward_funcs=[reward],
            args=GRPOConfig(
                output_dir=folder,
                per_device_train_batch_size=160,
                num_generations=16,
                max_completion_length=1,
                learning_rate=1e-2,
                max_steps=STEPS,
                logging_steps=1,
                report_to=[],
                use_cpu=True,
                save_strategy="no",
                beta=0.0,
                shuffle_dataset=False,
            ),
            train_dataset=Dataset.from_list(rows),
            processing_class=tokenizer,
        )
        trainer.train()
    return [log["reward"] for log in trainer.state.log_history if "reward" in log]


def words_tokenizer(words: list[str]) -> PreTrainedTokenizerFast:
    """A tokenizer whose words are whole texts."""
    numbers = {word: n for n, word in enumerate(["<pad>", "<end>", *words])}
    core = Tokenizer(models.WordLevel(numbers, unk_token="<pad>"))
    core.pre_tokenizer = pre_tokenizers.Split("\n", "removed")
    return PreTrainedTokenizerFast(tokenizer_object=core, pad_token="<pad>", eos_token="<end>")


if __name__ == "__main__":
    rewards = main(Path(sys.argv[1]))
    fifth = len(rewards) // 5
    for name, part in (("first", rewards[:fifth]), ("last", rewards[-fifth:])):
        print(f"mean reward of the {name} {fifth} steps: {sum(part) / fifth:.2f}")
