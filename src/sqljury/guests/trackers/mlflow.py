"""MLflow: a run with parameters, metrics, tags, the table of cases, and the page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sqljury.errors import MissingExtraError
from sqljury.uses.evaluate.tracked import TRACKERS, TrackedRun

_MOST_VALUE = 5000
"""The most characters of a parameter or a tag."""


def track(found: TrackedRun, place: str, page: Path) -> str:
    """Log a run in an experiment of the server that ``MLFLOW_TRACKING_URI`` names.

    Args:
        place: the experiment; empty for ``MLFLOW_EXPERIMENT_NAME``, else MLflow's default one.

    Raises:
        MissingExtraError: mlflow is not installed.
    """
    try:
        import mlflow
        import pandas
    except ImportError:
        raise MissingExtraError("mlflow", "mlflow", "Logging to MLflow") from None
    if place:
        mlflow.set_experiment(place)
    with mlflow.start_run(run_name=found.name) as run:
        mlflow.log_params(_named(found.settings))
        mlflow.set_tags(_named(found.signatures, "signature "))
        mlflow.log_metrics(_named(found.metrics))
        columns, rows = found.table()
        mlflow.log_table(pandas.DataFrame(rows, columns=columns), "cases.json")
        mlflow.log_artifact(str(page))
    return f"run {run.info.run_id} in {mlflow.get_tracking_uri()}"


def _named(values: Any, before: str = "") -> dict[str, Any]:
    """The values with names that MLflow takes, and texts that are short enough."""
    return {
        re.sub(r"[^\w. :/-]", "_", f"{before}{name}"): one[:_MOST_VALUE]
        if isinstance(one, str)
        else one
        for name, one in values.items()
    }


TRACKERS.add("mlflow", track)
