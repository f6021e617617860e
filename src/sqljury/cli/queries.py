"""`sqljury compare`, `diff` and `plan`: about one or two queries, without a benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from sqljury.cli.flags import TypedWords, command, refuse_besides, refuse_without
from sqljury.cli.output import print_json
from sqljury.cli.streams import echo
from sqljury.errors import EXIT_BELOW_THRESHOLD, InputError
from sqljury.settings import Argument, Drawing, SchemaSource, Showing, only, option
from sqljury.writing import write_text

_VERDICTS = ("proved", "refuted", "no_counterexample", "unknown")
_Right = Annotated[str, Argument(help="The query to compare with the reference.")]


@command()
def compare(
    left: Annotated[
        str, Argument(help="The reference query; rows are ordered if it has ORDER BY.")
    ],
    right: _Right,
    *,
    source: SchemaSource,
    policy: Annotated[
        str, option("Policy by which results are equal: strict, spider, ...", "--policy")
    ] = "strict",
    profiles: Annotated[
        str | None, option("Kinds of generated data to compare on: clean+nulls.", "--profiles")
    ] = None,
    drawing: Annotated[Drawing, only("seed")],
    seconds: Annotated[
        float, option("Most seconds for trying generated databases.", "--seconds", least=0.01)
    ] = 5.0,
    assuming: Annotated[
        str | None, option("What a proof may assume: primary_key+types+not_null.", "--assuming")
    ] = None,
    prove: Annotated[
        bool | None,
        option("Look for a proof [default: if z3 is installed].", "--prove/--no-prove"),
    ] = None,
    replay: Annotated[
        str | None,
        option(
            "URL of a PostgreSQL or MySQL server to run the counterexample on; writes nothing.",
            "--replay",
        ),
    ] = None,
    fail_on: Annotated[
        str | None, option("Exit 1 on these verdicts: refuted,unknown.", "--fail-on")
    ] = None,
    showing: Annotated[Showing, only("json")],
) -> None:
    """Prove two queries equal, or show where they differ.

    A difference is shown on a small database that was generated for it.
    """
    from sqljury.uses.queries import COMPARED_PROFILES, compare_queries

    failing = [name.strip() for name in (fail_on or "").split(",") if name.strip()]
    unknown = [name for name in failing if name not in _VERDICTS]
    if unknown:
        raise InputError(
            "SJ317",
            f"--fail-on {unknown[0]} is not a verdict.",
            hint=f"Known: {', '.join(_VERDICTS)}",
        )
    found = compare_queries(
        left,
        right,
        schema=source.schema,
        database=source.database,
        db_id=source.db_id,
        policy=policy,
        profiles=profiles or COMPARED_PROFILES,
        seed=drawing.seed,
        seconds=seconds,
        assuming=assuming,
        prove=prove,
        dialect=source.dialect,
        replay=replay,
    )
    if showing.json:
        print_json(found.to_json())
    else:
        from sqljury.reports.pair import pair_text

        echo(pair_text(found))
    if found.verdict in failing:
        raise SystemExit(EXIT_BELOW_THRESHOLD)
    if found.failure is not None:
        which, execution = found.failure
        raise InputError("SJ318", f"the {which} query does not run: {execution.message}.")


@command()
def diff(
    typed: TypedWords,
    left: Annotated[str, Argument(help="The reference query.")],
    right: _Right,
    *,
    source: SchemaSource,
    as_written: Annotated[
        bool, option("Compare the queries as written, not rewritten.", "--as-written")
    ] = False,
    every: Annotated[bool, option("Print all differences, not only the first few.", "--all")] = (
        False
    ),
    network: Annotated[
        bool, option("Show how a graph network compares the two instead.", "--network")
    ] = False,
    model: Annotated[
        str, option("With --network: a trained network [default: sqljury's own].", "--model")
    ] = "",
    svg: Annotated[
        Path | None,
        option("With --network: draw both graphs and their attention.", "--svg", is_written=True),
    ] = None,
    showing: Annotated[Showing, only("json")],
) -> None:
    """Say what a query does differently from a reference.

    Compares the texts under the schema; no query is run.
    """
    if network:
        shared = ("left", "right", "schema", "database", "db_id", "json")
        refuse_besides(typed, "--network", *shared, "model", "svg")
        _print_match(left, right, source, model, svg, showing.json)
        return
    refuse_without(typed, "--network", "model", "svg")
    from sqljury.uses.queries import MOST_TOLD, diff_queries

    found = diff_queries(
        left,
        right,
        schema=source.schema,
        database=source.database,
        db_id=source.db_id,
        as_written=as_written,
        dialect=source.dialect,
    )
    if showing.json:
        print_json(found.to_json(), ascii=False)
    else:
        echo(found.text(None if every else MOST_TOLD))


def _print_match(
    left: str, right: str, source: SchemaSource, model: str, svg: Path | None, as_json: bool
) -> None:
    from sqljury.uses.matching import explain_match

    found = explain_match(
        left,
        right,
        schema=source.schema,
        database=source.database,
        db_id=source.db_id,
        model=model,
    )
    if svg is not None:
        write_text(svg, found.svg)
    if as_json:
        print_json(found.to_json(), ascii=False)
        return
    echo(found.summary)
    for name, only_there in zip(("reference", "prediction"), found.only, strict=True):
        echo(f"only in the {name}: {', '.join(only_there) if only_there else '-'}")


@command()
def plan(
    sql: Annotated[str, Argument(help="The query.")],
    *,
    source: SchemaSource,
    canonical: Annotated[
        bool, option("Rewrite the query into its canonical form.", "--canonical")
    ] = False,
    svg: Annotated[
        Path | None, option("Draw the tree into this file.", "--svg", is_written=True)
    ] = None,
    showing: Annotated[Showing, only("json")],
) -> None:
    """Show what a query computes, as a tree of operators.

    The query is not run.
    """
    from sqljury.uses.queries import plan_query

    found = plan_query(
        sql,
        schema=source.schema,
        database=source.database,
        db_id=source.db_id,
        dialect=source.dialect,
        canonical=canonical,
    )
    if svg is not None:
        write_text(svg, found.svg)
    if showing.json:
        print_json(found.to_json(), ascii=False)
        return
    echo(found.text)
    if found.assumptions:
        echo(f"\nassuming {', '.join(found.assumptions)}")
    if found.rules:
        echo(f"\nrewritten by {', '.join(found.rules)}")
