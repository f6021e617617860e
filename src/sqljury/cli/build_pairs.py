"""`sqljury build pairs`."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from sqljury.cli.app import builders
from sqljury.cli.options import AsJson, Overlay, Seed


@builders.command("pairs")
def build_pairs(
    files: Annotated[
        list[Path], typer.Argument(help="References; or pairs: references with predictions.")
    ],
    databases: Annotated[
        str, typer.Option("--databases", "-d", help="Folder, file, or URL with {db_id}.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write; again resumes.")],
    exclude: Annotated[
        list[Path] | None,
        typer.Option("--exclude", "-x", help="Files whose queries are evaluated on."),
    ] = None,
    most: Annotated[int, typer.Option("--most", min=2, help="Pairs at most.")] = 18_000,
    seed: Seed = 0,
    workers: Annotated[int, typer.Option("--workers", "-w", min=1, help="Processes.")] = 1,
    mapping: Annotated[
        str | None, typer.Option("--map", help="Key names: reference_sqls=gt,predicted_sql=sql.")
    ] = None,
    second: Annotated[
        str | None,
        typer.Option("--second", help="Judge for a second opinion of given pairs; a model's."),
    ] = None,
    reviewed: Annotated[
        Path | None, typer.Option("--reviewed", help="review.jsonl with labels filled in.")
    ] = None,
    overlay: Overlay = None,
    as_json: AsJson = False,
) -> None:
    """Build pairs of queries labelled equivalent or not, to train judges that compare queries."""
    from sqljury.api.pair_building import build_pairs_files
    from sqljury.benchmarks import parse_mapping
    from sqljury.uses.building.pairs.card import pairs_card_text

    under_way = _Steps()
    with under_way:
        card = build_pairs_files(
            files,
            out,
            databases=databases,
            exclude=exclude or (),
            most=most,
            seed=seed,
            workers=workers,
            mapping=parse_mapping(mapping or ""),
            overlay=overlay,
            second=second,
            reviewed=reviewed,
            on_step=under_way.show,
        )
    typer.echo(json.dumps(card.to_json(), indent=2) if as_json else pairs_card_text(card))


class _Steps(contextlib.ExitStack):
    """A line and a bar for each step."""

    def __init__(self) -> None:
        super().__init__()
        self._step = ""
        self._update: Callable[[int, int], None] = lambda _done, _total: None

    def show(self, step: str, done: int, total: int) -> None:
        """So much of a step is done."""
        from sqljury.cli.progress import progress

        if step != self._step:
            self.close()
            typer.echo(step, err=True)
            self._step, self._update = step, self.enter_context(progress())
        self._update(done, total)
