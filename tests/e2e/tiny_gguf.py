"""A language model made here: random weights, some 150 kB, and a server for it.

    python tests/e2e/tiny_gguf.py serve PORT

It knows nothing, but it is a real llama model to a real server: tokenizer, attention, sampling,
grammars. Which letters it writes is its own choice; that it ends a text soon is ours.
"""

from __future__ import annotations

import argparse
import string
import sys
import tempfile
import time
from pathlib import Path

_WIDTH = 32
_HEADS = 2
_FEED_FORWARD = 64
_CONTEXT = 8192
_PAIRS = [
    "th",
    "he",
    "in",
    "er",
    "an",
    "re",
    "on",
    "at",
    "en",
    "nd",
    "se",
    "le",
    "ab",
    "ta",
    "co",
    "lu",
    "um",
    "ro",
    "sq",
    "ql",
    "qu",
    "ue",
    "st",
    "io",
]
_CHAT = (
    "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}"
    "assistant: "
)


def write_model(path: Path, *, seed: int = 0) -> None:
    """Write the model; equal seeds, equal bytes."""
    import gguf

    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_name("tiny")
    writer.add_context_length(_CONTEXT)
    writer.add_embedding_length(_WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(_FEED_FORWARD)
    writer.add_head_count(_HEADS)
    writer.add_head_count_kv(_HEADS)
    writer.add_rope_dimension_count(_WIDTH // _HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    tokens = _add_tokenizer(writer)
    for name, tensor in _weights(tokens, seed).items():
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_tokenizer(writer) -> list[str]:
    import gguf

    special = ["<unk>", "<s>", "</s>"]
    byte_tokens = [f"<0x{byte:02X}>" for byte in range(256)]
    letters = ["▁", *string.ascii_letters, *string.digits, *string.punctuation, "\n"]
    tokens = [*special, *byte_tokens, *letters, *_PAIRS]
    kind = gguf.TokenType
    types = [kind.UNKNOWN, kind.CONTROL, kind.CONTROL]
    types += [kind.BYTE] * len(byte_tokens) + [kind.NORMAL] * (len(letters) + len(_PAIRS))
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    # Higher scores merge first: the pairs are later in the list, but come before letters.
    writer.add_token_scores([float(number - len(tokens)) for number in range(len(tokens))])
    writer.add_token_types([int(one) for one in types])
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(_CHAT)
    return tokens


def _weights(tokens: list[str], seed: int) -> dict:
    import numpy as np

    random = np.random.default_rng(seed)

    def noise(*shape: int):
        return (random.standard_normal(shape) * 0.15).astype(np.float32)

    embedding, output = noise(len(tokens), _WIDTH), noise(len(tokens), _WIDTH)
    # The first dimension is the same large number in every state, and so a bias of the output.
    embedding[:, 0] = 8.0
    output[:, 0] = [_liking(token) / np.sqrt(_WIDTH) for token in tokens]
    weights = {
        "token_embd.weight": embedding,
        "output.weight": output,
        "output_norm.weight": np.ones(_WIDTH, dtype=np.float32),
        "blk.0.attn_norm.weight": np.ones(_WIDTH, dtype=np.float32),
        "blk.0.ffn_norm.weight": np.ones(_WIDTH, dtype=np.float32),
        "blk.0.ffn_gate.weight": noise(_FEED_FORWARD, _WIDTH),
        "blk.0.ffn_up.weight": noise(_FEED_FORWARD, _WIDTH),
        "blk.0.ffn_down.weight": noise(_WIDTH, _FEED_FORWARD),
    }
    for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
        weights[f"blk.0.{part}.weight"] = noise(_WIDTH, _WIDTH)
    # What the layer adds must not drown the constant.
    weights["blk.0.attn_output.weight"][0] = 0
    weights["blk.0.ffn_down.weight"][0] = 0
    return weights


def _liking(token: str) -> float:
    if token == "</s>":
        return 8.0
    if token == '"':
        return 5.0  # texts end after a dozen tokens
    if token.isascii() and (token.isalpha() or token in "{}:,"):
        return 2.0
    return 1.0 if token == "▁" else -8.0  # no backslashes, no halves of characters


def serve(port: int, slots: int = 8) -> None:
    """Serve the model on the loopback until the process is ended."""
    from xllamacpp import CommonParams, Server

    with tempfile.TemporaryDirectory() as folder:
        params = CommonParams()
        params.model.path = str(Path(folder) / "tiny.gguf")
        write_model(Path(params.model.path))
        params.hostnames = ["127.0.0.1"]
        params.port = port
        params.n_parallel = slots
        params.n_ctx = slots * _CONTEXT
        params.n_gpu_layers = 0
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
        params.n_threads_http = slots + 2
        params.warmup = False
        params.cache_ram_mib = 0
        params.fit_params = False
        params.ui = False
        server = Server(params)
        print(server.listening_address, flush=True)
        while True:
            time.sleep(3600)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["serve"])
    parser.add_argument("port", type=int)
    serve(parser.parse_args(sys.argv[1:]).port)
