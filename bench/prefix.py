"""32 candidates of one question: the shared beginning computed once, against one by one without.

    python bench/prefix.py

One by one is how the reference implementation scores: ``generate`` of one token for each
candidate, ``use_cache=False``, the whole prompt every time. The model is made here, with random
weights: what a forward pass costs does not depend on them. Both sides run on the same machine,
one after the other, and must give the same scores to 1e-4. On a CPU seconds are those of the
process, so that neighbours on the machine do not count.

Then what a user gets: the whole command ``sqljury select --strategy verifier`` on a pool of such
questions, from its start to its end with all its processes, against a process with that loop.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CANDIDATES = 32
PREFIX = 1500
OWN = (30, 80)
"""Tokens of a candidate's own: SQL of Spider and BIRD, and the line that asks."""
AIM = 8.0
WORDS = 8000
COLUMNS = 470
"""Of the schema that the questions of the pool share: some 1,500 tokens."""


def made_model():
    """A Llama-like network of some seven million weights, and a tokenizer of as many words."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import AutoModelForCausalLM, LlamaConfig, PreTrainedTokenizerFast

    from sqljury.learning.language_model.loading import LanguageModel

    words = ["<unk>", "<pad>", "Yes", "No", *(f"w{i}" for i in range(WORDS - 4))]
    plain = Tokenizer(
        models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>")
    )
    plain.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=plain, unk_token="<unk>", pad_token="<pad>"
    )
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=WORDS,
        hidden_size=256,
        intermediate_size=768,
        num_hidden_layers=6,
        num_attention_heads=4,
        num_key_value_heads=2,
        tie_word_embeddings=True,
        pad_token_id=1,
    )
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = AutoModelForCausalLM.from_config(config).to(device).eval()
    return LanguageModel(model, tokenizer, "words")


def one_by_one(language_model, answers, shared, owns):
    """As the reference does it; the logits of Yes and No are all that is looked at."""
    import torch

    found = []
    for own in owns:
        ids = torch.tensor([[*shared, *own]], device=language_model.device)
        with torch.no_grad():
            out = language_model.model.generate(
                input_ids=ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=1,
                do_sample=False,
                use_cache=False,
                output_logits=True,
                return_dict_in_generate=True,
                pad_token_id=1,
            )
        logits = out.logits[0][0].float()
        yes, no = (torch.logsumexp(logits[list(side)], 0) for side in (answers.yes, answers.no))
        found.append(float(torch.sigmoid(yes - no)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=2, help="the fastest of each side counts")
    parser.add_argument("--questions", type=int, default=10, help="of the pool")
    parser.add_argument("--loop", type=Path, help="only score the pool of a folder one by one")
    options = parser.parse_args()
    import torch

    from sqljury.learning.language_model.prefix_scoring import PrefixScorer, answer_tokens

    torch.set_num_threads(options.threads)
    if options.loop is not None:
        loop_over(options.loop)
        return
    language_model = made_model()
    answers = answer_tokens(language_model.tokenizer, after_space=False)
    torch.manual_seed(1)
    shared = torch.randint(4, WORDS, (PREFIX,)).tolist()
    lengths = torch.randint(*OWN, (CANDIDATES,)).tolist()
    owns = [torch.randint(4, WORDS, (length,)).tolist() for length in lengths]
    clock = time.process_time if str(language_model.device) == "cpu" else time.perf_counter
    seconds = {"one by one": [], "shared": []}
    for _ in range(options.repeats):
        start = clock()
        scorer = PrefixScorer(language_model, answers)  # a new one: nothing is remembered
        ours = [score.probability() for score in scorer.scores(shared, owns)]
        seconds["shared"].append(clock() - start)
        start = clock()
        theirs = one_by_one(language_model, answers, shared, owns)
        seconds["one by one"].append(clock() - start)
    apart = max(abs(one - other) for one, other in zip(ours, theirs, strict=True))
    slow, fast = (min(seconds[name]) for name in ("one by one", "shared"))
    weights = sum(p.numel() for p in language_model.model.parameters())
    tokens = sum(lengths) / len(lengths)
    print(f"{weights:,} weights on {language_model.device}, {options.threads} thread(s)")
    print(f"{CANDIDATES} candidates, {PREFIX} shared tokens, {tokens:.0f} own each on average")
    print(f"one by one, no cache: {slow:.2f} s; shared beginning: {fast:.2f} s")
    print(f"ratio {slow / fast:.1f} (aim {AIM:g}), scores apart by at most {apart:.1e} (aim 1e-4)")
    whole = through_select(language_model, options.questions)
    print(f"ratio {whole:.1f} by the whole command (aim {AIM:g})")
    if min(slow / fast, whole) < AIM or apart > 1e-4:
        raise SystemExit(1)


def through_select(language_model, questions):
    """How many times as long the loop takes as the command, on the same questions."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        language_model.model.save_pretrained(folder / "model")
        language_model.tokenizer.save_pretrained(folder / "model")
        columns = ", ".join(f"w{i} INTEGER" for i in range(COLUMNS))
        (folder / "schema.sql").write_text(f"CREATE TABLE w9 ({columns});")
        write_pool(folder / "pool.jsonl", questions)
        select = ["-m", "sqljury.cli", "select", "pool.jsonl", "--schemas", "schema.sql"]
        select += ["--strategy", "verifier,model=model", "--label", "right", "--run", "run"]
        ours = seconds_of(select, folder)
        theirs = seconds_of([str(Path(__file__).resolve()), "--loop", "."], folder)
    print(
        f"{questions} questions of {CANDIDATES} candidates, from start to end: one by one", end=" "
    )
    print(f"{theirs:.1f} s, sqljury select {ours:.1f} s")
    return theirs / ours


def seconds_of(command, folder):
    """Of the processor, by a Python process and all that it starts."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    before = seconds_of_children()
    subprocess.run(
        [sys.executable, *command], check=True, cwd=folder, env=environment, capture_output=True
    )
    return seconds_of_children() - before


def seconds_of_children():
    """Of the processor, by all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write_pool(path, questions):
    """Candidates with six conditions each: as long as queries of BIRD."""
    with path.open("w") as file:
        for place in range(questions):
            sqls = [
                "SELECT w1 FROM w9 WHERE "
                + " AND ".join(
                    f"w{20 * k + place} > w{(place * 7 + k + n) % COLUMNS}" for k in range(6)
                )
                for n in range(CANDIDATES)
            ]
            line = {
                "question_id": str(place),
                "db_id": "w9",
                "question": f"w{place} w7 w8 ?",
                "candidates": [{"sql": sql, "right": n == 0} for n, sql in enumerate(sqls)],
            }
            file.write(json.dumps(line) + "\n")


def loop_over(folder):
    """Score the candidates of a folder's pool, one after the other."""
    from sqljury.benchmarks import read_cases
    from sqljury.databases import open_sources
    from sqljury.evidence import DatabaseEvidence, ExecutionCache
    from sqljury.execution import Limits
    from sqljury.judges.language_model_verifier import VerifierPrompt
    from sqljury.learning.outcome_reward.verifier import load_verifier
    from sqljury.settings import Sources

    verifier = load_verifier(str(folder / "model"))
    text = VerifierPrompt("sql")
    schemas = open_sources(Sources(schemas=str(folder / "schema.sql"))).schemas
    for case in read_cases([folder / "pool.jsonl"]):
        evidence = DatabaseEvidence(case, None, ExecutionCache(), Limits(), None, schemas)
        head = verifier.tokens.shared(text.shared(case, evidence))
        own = verifier.tokens.own(text.own(case, evidence))
        one_by_one(verifier.scorer.language_model, verifier.scorer.answers, head, [own])


if __name__ == "__main__":
    main()
