"""Docstrings, help texts and messages drawn by a fixed seed, for a test of their English.

    python tools/sample_texts.py [--seed 28] [--docstrings 60] [--helps 30] [--messages 30] \
        [--places]

Each is printed with a number and what a reader of the text would see beside it: the name and the
parameters of a function, the name of an option, the code of an error. A reader who does not open
the code says of each what happens; --places adds file and line for whoever checks that.
"""

from __future__ import annotations

import argparse
import ast
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).parents[1] / "src" / "sqljury"
ERRORS = ("InputError", "InfrastructureError")


class Text(NamedTuple):
    """A text, what stands beside it, and where."""

    beside: str
    text: str
    place: str


def main() -> None:
    """Draw, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=28)
    parser.add_argument("--docstrings", type=int, default=60)
    parser.add_argument("--helps", type=int, default=30)
    parser.add_argument("--messages", type=int, default=30)
    parser.add_argument("--places", action="store_true")
    options = parser.parse_args()
    trees = {path: ast.parse(path.read_text("utf-8")) for path in sorted(SOURCE.rglob("*.py"))}
    draw = random.Random(options.seed)
    number = 0
    for title, find, count in (
        ("docstrings", docstrings, options.docstrings),
        ("helps", helps, options.helps),
        ("messages", messages, options.messages),
    ):
        found = [text for path, tree in trees.items() for text in find(path, tree)]
        print(f"# {title}: {count} of {len(found):,}\n")
        for text in draw.sample(found, count):
            number += 1
            place = f"   [{text.place}]" if options.places else ""
            print(f"{number}. {text.beside}{place}\n{text.text}\n")


def docstrings(path: Path, tree: ast.Module) -> Iterator[Text]:
    """Those of functions and classes whose names are public."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("_"):
            continue
        text = ast.get_docstring(node)
        if text:
            head = ast.unparse(node.args) if isinstance(node, ast.FunctionDef) else "class"
            yield Text(f"{node.name}({head})", text, _place(path, node))


def helps(path: Path, tree: ast.Module) -> Iterator[Text]:
    """Help texts of options and arguments, with the names that are typed."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        texts = [one.value for one in node.keywords if one.arg == "help"]
        if ast.unparse(node.func) == "option":
            texts += node.args[:1]
        names = [ast.unparse(one) for one in node.args if ast.unparse(one).startswith("'-")]
        for text in texts:
            if isinstance(text, ast.Constant):
                yield Text(" ".join(names), str(text.value), _place(path, node))


def messages(path: Path, tree: ast.Module) -> Iterator[Text]:
    """Messages of errors with where they arose and their hints; {…} is filled in."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or ast.unparse(node.func) not in ERRORS:
            continue
        if len(node.args) < 2 or not isinstance(node.args[0], ast.Constant):
            continue
        named = {one.arg: ast.unparse(one.value) for one in node.keywords}
        parts = (named.get("where", ""), ast.unparse(node.args[1]), named.get("hint", ""))
        text = " ".join(part for part in parts if part)
        yield Text(str(node.args[0].value), text, _place(path, node))


def _place(path: Path, node: ast.AST) -> str:
    return f"{path.relative_to(SOURCE.parents[1])}:{getattr(node, 'lineno', 0)}"


if __name__ == "__main__":
    main()
