"""`sqljury train graph-match`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from sqljury.cli.app import trainers
from sqljury.cli.flags import with_flags
from sqljury.cli.options import output_option
from sqljury.learning.graph_matching.options import NetworkOptions, TrainingOptions

if TYPE_CHECKING:
    from sqljury.learning.graph_matching.training import Epoch
    from sqljury.likeness.graphs import GraphForm


@trainers.command("graph-match")
@with_flags
def train_graph_match(
    pairs: Annotated[Path, typer.Argument(help="Labelled pairs, as `build pairs` writes them.")],
    out: Annotated[Path, output_option("--out", "-o", help="Model file to write.")],
    databases: Annotated[
        str | None, typer.Option("--databases", "-d", help="Databases to take schemas from.")
    ] = None,
    schemas: Annotated[
        Path | None,
        typer.Option("--schemas", help="tables.json, or SQL; with --databases they take turns."),
    ] = None,
    form: Annotated[
        str, typer.Option("--form", help="Graphs of canonical or faithful trees, or of syntax.")
    ] = "canonical",
    flows: Annotated[
        bool, typer.Option("--flows/--no-flows", help="With logic and data edges.")
    ] = True,
    as_written: Annotated[
        bool,
        typer.Option(
            "--as-written/--canonical-only",
            help="Half of the training pairs of canonical trees have a side as it is written.",
        ),
    ] = True,
    work: Annotated[
        Path | None,
        typer.Option("--work", help="Folder of graphs and checkpoints [default: OUT.work]."),
    ] = None,
    workers: Annotated[
        int, typer.Option("--workers", "-w", min=1, help="Processes that make graphs.")
    ] = 1,
    *,
    network: NetworkOptions,
    training: TrainingOptions,
) -> None:
    """Train the network of the judge `graph_match`. The same command again goes on."""
    from sqljury.api.match_training import train_graph_match
    from sqljury.cli.progress import progress

    with progress() as update:
        trained = train_graph_match(
            pairs,
            out,
            databases=databases,
            schemas=schemas,
            form=cast("GraphForm", form),
            flows=flows,
            as_written=as_written,
            network=network,
            training=training,
            work=work,
            workers=workers,
            on_graphs=update,
            on_epoch=_say,
        )
    best, held = trained.best, trained.matcher.notes["validated"]
    typer.echo(
        f"{out}: epoch {best.number} of {trained.train:,} pairs; on {trained.validation:,} pairs "
        f"of other databases AUC {held['auc']:.4f}, accuracy {held['accuracy']:.4f} from a score "
        f"of {trained.matcher.threshold:.3f}; {trained.left_out:,} pairs left out"
    )


def _say(epoch: Epoch) -> None:
    said = f"{epoch.phase} {epoch.number}: loss {epoch.loss:.4f}"
    if epoch.auc is not None:
        said += f", validation AUC {epoch.auc:.4f}, accuracy {epoch.accuracy:.4f}"
    typer.echo(said, err=True)
