"""Weights & Biases: a run with its config, a summary, the table of cases, and the page."""

from __future__ import annotations

from pathlib import Path

from sqljury.errors import MissingExtraError
from sqljury.uses.evaluate.tracked import TRACKERS, TrackedRun


def track(found: TrackedRun, place: str, page: Path) -> str:
    """Log a run in a project; wandb's own variables name the server, the key and the mode.

    Args:
        place: the project, or ENTITY/PROJECT; empty for ``WANDB_PROJECT``.

    Raises:
        MissingExtraError: wandb is not installed.
    """
    try:
        import wandb
    except ImportError:
        raise MissingExtraError("wandb", "wandb", "Logging to Weights & Biases") from None
    entity, _, project = place.rpartition("/")
    with wandb.init(
        entity=entity or None,
        project=project or None,
        name=found.name,
        config={**found.settings, "signatures": dict(found.signatures)},
        settings=wandb.Settings(silent=True, console="off"),
    ) as run:
        columns, rows = found.table()
        table = wandb.Table(columns=list(columns), data=rows, allow_mixed_types=True)
        run.log({"cases": table, "report": wandb.Html(page.read_text("utf-8"), inject=False)})
        run.summary.update(dict(found.metrics))
        return str(run.dir if run.offline else run.url)


TRACKERS.add("wandb", track)
