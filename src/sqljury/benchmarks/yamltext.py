"""YAML, read so that an element's line is known, and as JSON would say it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from sqljury.case import Json
from sqljury.errors import InputError, MissingExtraError

_DEEPEST: Final = 100


def elements(text: str, name: str) -> Iterator[tuple[Json, int]]:
    """The elements of a YAML list, each with the line on which it begins.

    Raises:
        InputError: SJ106: broken, no list, or with what JSON has not (aliases, own types).
    """
    root, build = _read(text, name)
    for node in root.value:
        yield build(node), node.start_mark.line + 1


def document(text: str, name: str) -> Json:
    """A whole YAML mapping.

    Raises:
        InputError: as :func:`elements`; SJ110: a key stands twice.
    """
    root, build = _read(text, name)
    keys: set[str] = set()
    for key, _ in root.value:
        if key.value in keys:
            where = f"{name}:{key.start_mark.line + 1}"
            raise InputError("SJ110", f"the key {key.value!r} stands twice.", where=where)
        keys.add(key.value)
    return {str(key): value for key, value in build(root).items()}


def _read(text: str, name: str) -> tuple[Any, Any]:
    """The parsed text, and what makes values of its parts."""
    try:
        import yaml
    except ImportError:
        raise MissingExtraError("pyyaml", "yaml", "Reading YAML files") from None
    try:
        depth = 0
        for event in yaml.parse(text):
            # An alias stands for a part elsewhere: a few lines of them unfold to gigabytes.
            if isinstance(event, yaml.AliasEvent):
                raise yaml.composer.ComposerError(None, None, "an alias (*)", event.start_mark)
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST:
                what = f"nested more than {_DEEPEST} levels deep"
                raise yaml.composer.ComposerError(None, None, what, event.start_mark)
        loader = _loader(yaml)(text)
        root = loader.get_single_node()
    except yaml.YAMLError as error:
        raise _broken(error, name) from None
    if root is None:
        raise InputError("SJ103", "the file is empty.", where=name)
    if isinstance(root, yaml.ScalarNode):
        raise InputError("SJ106", "neither a list nor a mapping.", where=f"{name}:1")
    return root, lambda node: _built(loader, node, name)


def _loader(yaml: Any) -> Any:
    """For it a date is text, as it is in JSON."""
    made: Any = type("Loader", (yaml.SafeLoader,), {})
    made.add_constructor("tag:yaml.org,2002:timestamp", yaml.SafeLoader.construct_yaml_str)
    return made


def _built(loader: Any, node: Any, name: str) -> Json:
    import yaml

    try:
        return loader.construct_object(node, deep=True)
    except yaml.YAMLError as error:
        raise _broken(error, name) from None


def _broken(error: Any, name: str) -> InputError:
    mark = getattr(error, "problem_mark", None)
    where = f"{name}:{mark.line + 1}" if mark is not None else name
    return InputError("SJ106", f"broken YAML: {getattr(error, 'problem', error)}.", where=where)
