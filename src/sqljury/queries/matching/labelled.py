"""Trees of values, the common form in which operator trees and syntax trees are matched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


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
