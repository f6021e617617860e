"""Trees of values, the common form in which operator trees and syntax trees are matched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Node:
    """A value, and what stands below it.

    ``ordered`` says that the place of a child matters (``a - b``); otherwise it does not
    (``a + b``, the columns of a GROUP BY).
    """

    value: str
    children: tuple[Node, ...] = ()
    ordered: bool = False


def nodes(tree: Node) -> Iterator[Node]:
    """The node and everything below it, parents first."""
    yield tree
    for child in tree.children:
        yield from nodes(child)


@dataclass(slots=True)
class Numbering:
    """Gives equal trees equal numbers, looking at each node once however often it is shared."""

    _known: dict[int, tuple[Node, int]] = field(default_factory=dict)
    _numbers: dict[tuple[str, tuple[int, ...]], int] = field(default_factory=dict)

    def __call__(self, node: Node) -> int:
        """The number of a tree: children in any order are one tree unless their order counts."""
        if id(node) not in self._known:
            below = tuple(self(child) for child in node.children)
            shape = (node.value, below if node.ordered else tuple(sorted(below)))
            number = self._numbers.setdefault(shape, len(self._numbers))
            # The node is kept, too: a number must not outlive what it is known by.
            self._known[id(node)] = (node, number)
        return self._known[id(node)][1]
