"""What is kept after each epoch, so that training that was stopped goes on where it was."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from sqljury.errors import InputError
from sqljury.learning.model_file import read_model, write_model

Arrays = dict[str, NDArray[Any]]

_SEPARATOR = "/"


@dataclass(slots=True)
class Checkpoint:
    """How far training is."""

    done: int = 0
    """Epochs, those of pre-training included."""
    curve: list[dict[str, Any]] = field(default_factory=list)
    weights: Arrays = field(default_factory=dict)
    stepper: Arrays = field(default_factory=dict)
    best: Arrays = field(default_factory=dict)
    """The weights of the best epoch so far; empty before the first."""

    def save(self, path: Path, fingerprint: str) -> None:
        """Replace the file as a whole.

        Raises:
            InputError: SJ020: it cannot be written.
        """
        parts = {"weights": self.weights, "stepper": self.stepper, "best": self.best}
        arrays = {
            f"{part}{_SEPARATOR}{name}": array
            for part, found in parts.items()
            for name, array in found.items()
        }
        facts = {"fingerprint": fingerprint, "done": self.done, "curve": self.curve}
        write_model(path, facts, arrays)


def load_checkpoint(path: Path, fingerprint: str) -> Checkpoint:
    """Where training of this fingerprint stopped; its beginning where there is no such file."""
    if not path.is_file():
        return Checkpoint()
    try:
        facts, arrays = read_model(path)
    except InputError:
        return Checkpoint()  # cut off while it was written by something else than us
    if facts.get("fingerprint") != fingerprint:
        return Checkpoint()
    found = Checkpoint(facts["done"], facts["curve"])
    for name, array in arrays.items():
        part, _, own = name.partition(_SEPARATOR)
        getattr(found, part)[own] = array
    return found
