"""Language models of a few thousand random numbers, with a tokenizer that knows single bytes."""

from __future__ import annotations

from pathlib import Path


def byte_tokenizer():
    """A tokenizer that needs no training: a token a byte, and an end."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: place for place, token in enumerate(["<pad>", "</s>", *alphabet])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>")


def write_tiny_model(folder: Path, kind: str, seed: int = 0) -> str:
    """A ``llama``, ``bert`` or ``t5`` of two layers and a width of 16; its folder."""
    import torch
    import transformers as t

    tokenizer = byte_tokenizer()
    size = len(tokenizer)
    made = {
        "llama": lambda: t.LlamaModel(
            t.LlamaConfig(
                vocab_size=size,
                hidden_size=16,
                intermediate_size=32,
                num_hidden_layers=2,
                num_attention_heads=2,
                pad_token_id=0,
            )
        ),
        "bert": lambda: t.BertModel(
            t.BertConfig(
                vocab_size=size,
                hidden_size=16,
                intermediate_size=32,
                num_hidden_layers=2,
                num_attention_heads=2,
            )
        ),
        "t5": lambda: t.T5ForConditionalGeneration(
            t.T5Config(
                vocab_size=size,
                d_model=16,
                d_kv=8,
                d_ff=32,
                num_layers=2,
                num_heads=2,
                decoder_start_token_id=0,
            )
        ),
    }
    torch.manual_seed(seed)
    made[kind]().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)
