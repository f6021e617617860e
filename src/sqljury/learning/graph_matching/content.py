"""Content nodes: names and literals read by their characters.

Texts that mean alike but differ in spelling (``kid``, ``child``) must stay apart, so no word
vectors are used.

Source: Zhan et al. 2024, section 4.1 and appendix B; Kim 2014; He et al. 2016.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

LONGEST = 64
"""Bytes of a text that are read; of a longer one the first and the last half of that."""
CODE = 64
"""Signs in the code of a text."""
_AT_ONCE = 256
_BYTES = 257
"""Every byte, and the padding 0."""


def characters(texts: Sequence[str]) -> Tensor:
    """The texts' bytes, each plus one, padded with zeros: u × length."""
    rows = []
    for text in texts:
        raw = text.encode("utf-8", "surrogatepass") or b"\0"
        if len(raw) > LONGEST:
            raw = raw[: LONGEST // 2] + raw[-LONGEST // 2 :]
        rows.append(np.frombuffer(raw, dtype=np.uint8))
    found = np.zeros((len(rows), max(map(len, rows), default=1)), dtype=np.int64)
    for place, row in enumerate(rows):
        found[place, : len(row)] = row.astype(np.int64) + 1
    return torch.from_numpy(found)


def codes(texts: Sequence[str]) -> Tensor:
    """Signs by chance that belong to each text: u × CODE, each 1 or -1.

    Texts of nearly the same characters are read nearly alike; their codes are as far apart as
    those of any other two.
    """
    raw = b"".join(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=CODE // 8).digest()
        for text in texts
    )
    bits = np.unpackbits(np.frombuffer(raw, dtype=np.uint8)).reshape(len(texts), CODE)
    return torch.from_numpy(bits.astype(np.float32) * 2 - 1)


class _ResidualBlock(nn.Module):
    """Two convolutions that are added to what they read."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = nn.Conv1d(channels, channels, 3, padding=1)
        self.second = nn.Conv1d(channels, channels, 3, padding=1)
        # A block begins as the identity: without it deep stacks start badly.
        with torch.no_grad():
            for parameter in self.second.parameters():
                parameter.zero_()

    def forward(self, x: Tensor, real: Tensor) -> Tensor:
        """u × channels × length, and where there is text: u × 1 × length."""
        # Beyond its end a text stays zero, so that padding changes nothing.
        inside = functional.relu(self.first(x)) * real
        return functional.relu(x + self.second(inside)) * real


class TextEncoder(nn.Module):
    """One-hot bytes → convolution → pairs of places → residual blocks → mean and largest; codes.

    The paper has eight blocks on four lengths; blocks on one length, half of the text's, read
    the short names and literals of queries as well and several times as fast. What is read is
    added to the text's code, which is ours.
    """

    def __init__(self, hidden: int, blocks: int, *, coded: bool) -> None:
        super().__init__()
        self.bytes = nn.Embedding(_BYTES, hidden, padding_idx=0)
        self.enter = nn.Conv1d(hidden, hidden, 3, padding=1)
        self.blocks = nn.ModuleList(_ResidualBlock(hidden) for _ in range(blocks))
        self.leave = nn.Linear(2 * hidden, hidden)
        self.code = nn.Linear(CODE, hidden, bias=False) if coded else None

    def forward(self, texts: Tensor, signs: Tensor) -> Tensor:
        """u × length of :func:`characters`, u × CODE of :func:`codes` to u × hidden."""
        real = (texts > 0).unsqueeze(1).to(self.bytes.weight.dtype)
        x = functional.relu(self.enter(self.bytes(texts).transpose(1, 2))) * real
        x = functional.max_pool1d(x, 2, ceil_mode=True)
        real = functional.max_pool1d(real, 2, ceil_mode=True)
        for block in self.blocks:
            x = block(x, real)
        mean = x.sum(dim=2) / real.sum(dim=2)
        # All values are at least zero, so the padding is never the largest.
        found: Tensor = self.leave(torch.cat((mean, x.amax(dim=2)), dim=1))
        return found if self.code is None else found + self.code(signs.to(found.dtype))


def read_all(encoder: TextEncoder, texts: Sequence[str]) -> Tensor:
    """The vectors of many texts, those of like length together: u × hidden."""
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    weight = encoder.leave.weight
    found = weight.new_zeros(len(texts), encoder.leave.out_features)
    for start in range(0, len(order), _AT_ONCE):
        places = order[start : start + _AT_ONCE]
        chosen = [texts[place] for place in places]
        read = characters(chosen).to(weight.device), codes(chosen).to(weight.device)
        found[places] = encoder(*read)
    return found
