"""Options and arguments that several commands take."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sqljury.writing import check_output


def output_option(*names: str, help: str) -> Any:
    """An option that names a file to write: that it can be written is checked before the work."""
    return typer.Option(*names, help=help, callback=_writable)


def _writable(context: typer.Context, path: Path | None) -> Path | None:
    run = context.params.get("run")
    # The folder of the run is made with the run.
    if path is not None and run is not None and path.parent == Path(run) and not Path(run).exists():
        return path
    return check_output(path)


Files = Annotated[
    list[Path],
    typer.Argument(help="Case files, with or without predictions; - reads standard input."),
]
RunFolder = Annotated[Path, typer.Argument(help="The folder of a run.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Html = Annotated[Path | None, output_option("--html", help="Write a self-contained HTML report.")]
Csv = Annotated[Path | None, output_option("--csv", help="Write a line per case and judge as CSV.")]
Export = Annotated[
    Path | None,
    output_option("--export", help="Write a line per case and judge: JSONL, or FILE.parquet."),
]
By = Annotated[
    list[str] | None,
    typer.Option("--by", help="Column of the input to give scores by, repeatable."),
]
Failures = Annotated[
    int,
    typer.Option("--failures", min=0, help="List failures by cause, so many of each cause."),
]
Schema = Annotated[
    str | None,
    typer.Option("--schema", help="CREATE TABLE statements, a file of them, or tables.json."),
]
Database = Annotated[
    str | None, typer.Option("--database", "-d", help="File or URL to take the schema from.")
]
DbId = Annotated[str, typer.Option("--db-id", help="Which one, where there are several.")]

Databases = Annotated[
    str | None,
    typer.Option(
        "--databases", "-d", help="Folder (DB_ID/DB_ID.sqlite), file, or URL with {db_id}."
    ),
]
Schemas = Annotated[
    str | None,
    typer.Option(
        "--schemas", "--schema", help="CREATE TABLE statements, a file of them, or tables.json."
    ),
]
Run = Annotated[
    Path | None,
    typer.Option("--run", is_eager=True, help="Folder of the run; the same again resumes."),
]
Workers = Annotated[
    int | None, typer.Option("--workers", "-w", min=1, help="Processes; one per core.")
]
Executor = Annotated[
    str,
    typer.Option("--executor", help="local, or ray[:ADDRESS]: judge on the nodes of a cluster."),
]
Suites = Annotated[
    Path | None,
    typer.Option(
        "--suites", exists=True, help="Folder of test suites: DB_ID/*.sqlite or DB_ID.tar.xz."
    ),
]
Overlay = Annotated[
    list[Path] | None,
    typer.Option(
        "--overlay", help="Corrections of references, see `sqljury audit`; several are merged."
    ),
]
Descriptions = Annotated[
    Path | None, typer.Option("--descriptions", exists=True, help="Folder of column descriptions.")
]
Format = Annotated[
    str | None, typer.Option("--format", help="Format of the files; detected by default.")
]
Mapping = Annotated[
    str | None,
    typer.Option("--map", help="Key names: question=q,reference_sqls=gold,predicted_sql=sql."),
]
LimitSeconds = Annotated[
    float, typer.Option("--limit-seconds", min=0.001, help="Seconds for one query.")
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of all that is drawn.")]
Bootstrap = Annotated[int, typer.Option("--bootstrap", min=0, help="Resamples for the intervals.")]

# How chat models are asked.
Ledger = Annotated[
    Path | None, typer.Option("--ledger", help="File that keeps what chat models answer.")
]
Replay = Annotated[
    Path | None, typer.Option("--replay", help="Answer from this ledger; ask nobody.")
]
ModelOption = Annotated[
    list[str] | None,
    typer.Option("--model-option", help="KEY=VALUE for all models, repeatable."),
]
Concurrency = Annotated[
    int, typer.Option("--concurrency", min=1, help="Calls to chat models at once.")
]
MaxCost = Annotated[float | None, typer.Option("--max-cost", help="US dollars to spend at most.")]


def overlay_key(overlay: Sequence[Path] | None) -> dict[str, str]:
    """What a run under an overlay is told from others by, where its folder is not named."""
    return {} if overlay is None else {"overlay": ",".join(map(str, overlay))}
