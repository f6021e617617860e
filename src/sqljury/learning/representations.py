"""Texts as vectors, for detectors: the ways that there are, by name and in model files.

``lsa``: latent semantic analysis of the training texts, the only one that a model file holds in
full. ``embeddings[,model=FOLDER-OR-NAME]``: sentence vectors. ``hidden,model=FOLDER[,layer=N]
[,pooling=mean|last]``: the hidden states of a language model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from sqljury.errors import InputError
from sqljury.learning.embeddings import DEFAULT_MODEL, embed
from sqljury.learning.hidden_states import Pooling, hidden_states
from sqljury.learning.text_vectors import Lsa

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

NAMES = ("lsa", "embeddings", "hidden")

_PROBE = "How many of them are there in each year?"
_SAME = 1e-3
"""Largest difference, for a length of 1, that rounding on another machine makes."""


class Representation(Protocol):
    """Texts as rows of numbers."""

    @property
    def is_large(self) -> bool:
        """Whether it is a network that a machine holds once."""

    def transform(self, texts: Sequence[str]) -> Array:
        """A row for each text."""

    def facts(self) -> dict[str, Any]:
        """What a model file says of it."""

    def arrays(self) -> dict[str, Array]:
        """The arrays that a model file holds of it."""


@dataclass(frozen=True)
class Network:
    """Vectors of a network that is not in the model file.

    The vector of one fixed text is: a detector works with the network that it was trained with.
    """

    name: str
    model: str | None
    layer: int
    pooling: Pooling
    probe: Array | None = None

    @property
    def is_large(self) -> bool:
        """It is one."""
        return True

    def transform(self, texts: Sequence[str]) -> Array:
        """A row for each text.

        Raises:
            InputError: SJ033: it is another network than before.
        """
        if not self._is_as_before:
            raise InputError(
                "SJ033",
                "this is not the model that the detector was trained with.",
                where=self.model or self.name,
            )
        return self._rows(texts)

    def _rows(self, texts: Sequence[str]) -> Array:
        if self.name == "embeddings":
            return embed(texts, model=self.model or DEFAULT_MODEL)
        return hidden_states(texts, model=str(self.model), layer=self.layer, pooling=self.pooling)

    @cached_property
    def _probed(self) -> Array:
        found: Array = self._rows([_PROBE])[0]
        return found

    @cached_property
    def _is_as_before(self) -> bool:
        import numpy as np

        before, now = self.probe, self._probed
        if before is None:
            return True
        far = _SAME * float(np.linalg.norm(now))
        return before.shape == now.shape and float(np.linalg.norm(before - now)) <= far

    def facts(self) -> dict[str, Any]:
        """Its name, and where it is."""
        return {
            "name": self.name,
            "model": self.model,
            "layer": self.layer,
            "pooling": self.pooling,
        }

    def arrays(self) -> dict[str, Array]:
        """The vector of one text."""
        return {"probe": self._probed}


def representation(text: str, training: Sequence[str]) -> Representation:
    """The one that a user names; LSA learns from the training texts.

    Raises:
        InputError: SJ028: there is none of that name, or it has no such option.
    """
    name, *pairs = text.split(",")
    options = dict(pair.partition("=")[::2] for pair in pairs)
    allowed = {"lsa": set(), "embeddings": {"model"}, "hidden": {"model", "layer", "pooling"}}
    if name not in allowed or not set(options) <= allowed[name]:
        raise InputError("SJ028", f"{text!r} is none.", hint=f"There is {', '.join(_USAGE)}.")
    if name == "lsa":
        return Lsa.fit(training)
    layer, pooling = options.get("layer", "-1"), options.get("pooling", "mean")
    if pooling not in ("mean", "last") or not layer.removeprefix("-").isdecimal():
        raise InputError("SJ028", f"{text!r} is none.", hint=f"There is {', '.join(_USAGE)}.")
    if name == "hidden" and not options.get("model"):
        raise InputError("SJ028", "hidden needs a model.", hint="Write hidden,model=FOLDER.")
    return Network(name, options.get("model"), int(layer), "last" if pooling == "last" else "mean")


_USAGE = (
    "lsa",
    "embeddings[,model=FOLDER-OR-NAME]",
    "hidden,model=FOLDER[,layer=N][,pooling=last]",
)


def from_file(facts: Mapping[str, Any], arrays: Mapping[str, Array]) -> Representation:
    """The representation of a model file."""
    if facts["name"] == "lsa":
        return Lsa.from_file(facts, arrays)
    return Network(**facts, probe=arrays["probe"])
