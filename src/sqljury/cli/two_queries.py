"""`sqljury compare`, `diff` and `plan`: one query, or two and no benchmark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from sqljury.cli.app import app
from sqljury.cli.options import AsJson, Database, DbId, Schema, Seed
from sqljury.errors import EXIT_BELOW_THRESHOLD, InputError

_VERDICTS = ("proved", "refuted", "no_counterexample", "unknown")


@app.command()
def compare(
    left: Annotated[str, typer.Argument(help="The reference: its ORDER BY binds.")],
    right: Annotated[str, typer.Argument(help="The query that is compared with it.")],
    schema: Schema = None,
    database: Database = None,
    db_id: DbId = "",
    policy: Annotated[
        str, typer.Option("--policy", help="When two results are the same: strict, spider, ...")
    ] = "strict",
    profiles: Annotated[
        str | None, typer.Option("--profiles", help="Data on which a difference counts.")
    ] = None,
    seed: Seed = 0,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.01, help="Most time for generated databases.")
    ] = 5.0,
    assuming: Annotated[
        str | None,
        typer.Option("--assuming", help="What a proof may assume: primary_key+types+not_null."),
    ] = None,
    prove: Annotated[
        bool | None,
        typer.Option("--prove/--no-prove", help="Look for a proof [default: if z3 is installed]."),
    ] = None,
    dialect: Annotated[
        str | None, typer.Option("--dialect", help="The queries': sqlite, postgres, mysql, ...")
    ] = None,
    replay: Annotated[
        str | None,
        typer.Option(
            "--replay",
            help="URL of a PostgreSQL or MySQL server to find counterexamples on; writes nothing.",
        ),
    ] = None,
    fail_on: Annotated[
        str | None, typer.Option("--fail-on", help="Exit 1 on these verdicts: refuted,unknown.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Prove two queries equal, or tell them apart by a small database."""
    from sqljury.api.queries import COMPARED_PROFILES, compare_queries

    failing = [name.strip() for name in (fail_on or "").split(",") if name.strip()]
    unknown = [name for name in failing if name not in _VERDICTS]
    if unknown:
        raise InputError("SJ317", f"--fail-on {unknown[0]}.", hint=f"Known: {', '.join(_VERDICTS)}")
    found = compare_queries(
        left,
        right,
        schema=schema,
        database=database,
        db_id=db_id,
        policy=policy,
        profiles=profiles or COMPARED_PROFILES,
        seed=seed,
        seconds=seconds,
        assuming=assuming,
        prove=prove,
        dialect=dialect,
        replay=replay,
    )
    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2))
    else:
        from sqljury.reports.pair import pair_text

        typer.echo(pair_text(found))
    if found.verdict in failing:
        raise typer.Exit(EXIT_BELOW_THRESHOLD)
    if found.failure is not None:
        which, execution = found.failure
        raise InputError("SJ318", f"the {which} query does not run: {execution.message}.")


@app.command()
def diff(
    left: Annotated[str, typer.Argument(help="The reference.")],
    right: Annotated[str, typer.Argument(help="The query that is compared with it.")],
    schema: Schema = None,
    database: Database = None,
    db_id: DbId = "",
    dialect: Annotated[
        str | None, typer.Option("--dialect", help="The queries': sqlite, postgres, mysql, ...")
    ] = None,
    as_written: Annotated[
        bool, typer.Option("--as-written", help="Do not rewrite away what does not matter.")
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="Tell all differences, not only the first few.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Say in words what a query does differently from a reference; nothing is executed."""
    from sqljury.api.queries import MOST_TOLD, diff_queries

    found = diff_queries(
        left,
        right,
        schema=schema,
        database=database,
        db_id=db_id,
        as_written=as_written,
        dialect=dialect,
    )
    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2, ensure_ascii=False))
    else:
        typer.echo(found.text(None if every else MOST_TOLD))


@app.command()
def plan(
    sql: Annotated[str, typer.Argument(help="The query.")],
    schema: Schema = None,
    database: Database = None,
    db_id: DbId = "",
    dialect: Annotated[
        str | None, typer.Option("--dialect", help="The query's: sqlite, postgres, mysql, ...")
    ] = None,
    canonical: Annotated[
        bool, typer.Option("--canonical", help="Rewrite away what does not change the rows.")
    ] = False,
    svg: Annotated[Path | None, typer.Option("--svg", help="Draw the tree into this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show what a query computes, as a tree of operators; nothing is executed."""
    from sqljury.api.queries import plan_query

    found = plan_query(
        sql, schema=schema, database=database, db_id=db_id, dialect=dialect, canonical=canonical
    )
    if svg is not None:
        from sqljury.writing import new_file

        with new_file(svg) as file:
            file.write(found.svg)
    if as_json:
        typer.echo(json.dumps(found.to_json(), indent=2, ensure_ascii=False))
        return
    typer.echo(found.text)
    if found.assumptions:
        typer.echo(f"\nassuming {', '.join(found.assumptions)}")
    if found.rules:
        typer.echo(f"\nrewritten by {', '.join(found.rules)}")
