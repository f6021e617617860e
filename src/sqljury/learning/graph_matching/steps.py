"""One step of training: clipped gradients, AdamW, a rate that rises and falls."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor, nn

from sqljury.learning.graph_matching.checkpoint import Arrays

_LARGEST_GRADIENT = 5.0
_RISE = 0.1
"""The share of all steps in which the rate rises."""


class Stepper:
    """Changes a network's weights by losses; the rate rises to its highest, then falls to zero."""

    def __init__(self, network: nn.Module, steps: int, rate: float, decay: float = 0.0) -> None:
        self._network, self._steps, self._rate = network, steps, rate
        self._optimizer = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=decay)
        self._schedule = torch.optim.lr_scheduler.LambdaLR(
            self._optimizer, lambda step: _share(step, steps)
        )

    def step(self, loss: Tensor) -> float:
        """Follow the loss downwards; gives its value."""
        self._optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(self._network.parameters(), _LARGEST_GRADIENT)
        self._optimizer.step()
        self._schedule.step()
        return float(loss.detach())

    def arrays(self) -> Arrays:
        """What a checkpoint keeps: how many steps were made, and the moments of the weights."""
        found: Arrays = {"steps": np.array(self._schedule.last_epoch)}
        for number, state in self._optimizer.state_dict()["state"].items():
            for name, value in state.items():
                found[f"{number}.{name}"] = value.cpu().numpy().copy()
        return found

    def load_arrays(self, arrays: Arrays) -> None:
        """Go on from a checkpoint."""
        state = self._optimizer.state_dict()
        moments: dict[int, dict[str, Tensor]] = {}
        for key, array in arrays.items():
            number, _, name = key.partition(".")
            if name:
                moments.setdefault(int(number), {})[name] = torch.from_numpy(array.copy())
        self._optimizer.load_state_dict({**state, "state": moments})
        self._schedule.last_epoch = int(arrays["steps"])
        for group in self._optimizer.param_groups:
            group["lr"] = self._rate * _share(self._schedule.last_epoch, self._steps)


def _share(step: int, steps: int) -> float:
    rise = max(1, round(_RISE * steps))
    if step < rise:
        return (step + 1) / rise
    return 0.5 * (1 + math.cos(math.pi * min(1.0, (step - rise) / max(1, steps - rise))))
