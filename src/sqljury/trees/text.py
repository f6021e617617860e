"""A tree as indented text: operators from the last to the first, inputs below what reads them."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.trees.nodes import Relation
from sqljury.trees.sketch import Box, sketch

_INDENT = "  "


def tree_text(relation: Relation) -> str:
    """A tree for people, with names of columns.

    >>> from sqljury.trees.nodes import Call, Filter, Literal, Project, Ref, Scan, Type
    >>> old = Call(">", (Ref(1), Literal(60, Type.INTEGER)))
    >>> print(tree_text(Project(Filter(Scan("singer", ("name", "age")), old), (Ref(0),))))
    project name
      filter age > 60
        scan singer
    """
    return "\n".join(_lines(sketch(relation), ""))


def _lines(box: Box, indent: str) -> Iterator[str]:
    between = " AND " if box.kind in ("filter", "join") else ", "
    head = f"{box.head}:" if box.kind == "aggregate" and box.details else box.head
    yield f"{indent}{head} {between.join(box.details)}".rstrip()
    for name, query in box.queries:
        yield f"{indent}{_INDENT}{name}:"
        yield from _lines(query, indent + 2 * _INDENT)
    for below in box.inputs:
        yield from _lines(below, indent + _INDENT)
