"""`sqljury rules`: the rewrite rules that make canonical trees."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sqljury.cli.app import app
from sqljury.cli.options import AsJson

if TYPE_CHECKING:
    from sqljury.equivalence.rules.base import Rule


@app.command()
def rules(
    name: Annotated[str | None, typer.Argument(help="Only the rules of this name.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the rules that rewrite queries, and what each assumes of the data."""
    from sqljury.api.rules import rules as known

    found = known(name)
    if as_json:
        listed = [rule.to_json() for rule in found]
        typer.echo(json.dumps({"rules": listed}, indent=2, ensure_ascii=False))
        return
    for rule in found:
        typer.echo(_text(rule))


def _text(rule: Rule[Any]) -> str:
    """The rule in two lines, a third for what it assumes."""
    lines = [f"{rule.name} ({rule.kind.name})", f"    {rule.rewrites}"]
    if rule.assumes:
        lines.append(f"    may assume: {', '.join(sorted(rule.assumes))}")
    return "\n".join(lines)
