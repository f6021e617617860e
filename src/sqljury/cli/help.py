"""`sqljury list`, `doctor`, `demo` and `trust-folder`: lists, checks, the demo, and trust."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from sqljury.cli.commands import all_modules
from sqljury.cli.flags import command
from sqljury.cli.output import print_json, program
from sqljury.cli.progress import progress
from sqljury.cli.project import wants
from sqljury.cli.streams import echo
from sqljury.errors import EXIT_OK, InputError, catalogue
from sqljury.judge_name import JudgeName
from sqljury.settings import Argument, Running, SchemaSource, Showing, Sources, only, option
from sqljury.trusted import offered
from sqljury.trusted import trust as trust_files_of

if TYPE_CHECKING:
    from sqljury.judges import Judge

_KINDS = ("judges", "formats", "rules", "codes")


@command(name="list")
def list_(
    what: Annotated[str, Argument(help=f"{', '.join(_KINDS[:-1])} or {_KINDS[-1]}.")],
    name: Annotated[
        str | None,
        Argument(help="One to explain: a judge, a rule, or a code such as SJ104 [list all]."),
    ] = None,
    *,
    showing: Annotated[Showing, only("json")],
) -> None:
    """List or explain judges, formats, rewrite rules, error codes."""
    if what not in _KINDS:
        raise InputError("SJ003", f"there is no list of {what!r}.", hint=", ".join(_KINDS))
    if showing.json and what != "rules":
        raise InputError("SJ006", "--json goes with rules.")
    if what == "judges":
        lines = _judges() if name is None else _judge(name)
    elif what == "formats":
        lines = _formats(name)
    elif what == "codes":
        lines = _codes(name)
    else:
        lines = _rules(name, showing.json)
    for line in lines:
        echo(line)


def _judges() -> Iterator[str]:
    """The lines about all judges: what each needs, and its options with their defaults."""
    from sqljury.judges import options_of, registered

    for known, cls in registered().items():
        yield f"{known:16} {_first_line(cls)}"
        yield f"{'':16} needs: {_needs(cls)}"
        options = [f"{one.name}={one.default}" for one in options_of(cls)]
        if options:
            yield f"{'':16} options: {', '.join(options)}"


def _judge(text: str) -> Iterator[str]:
    """The lines about one judge: what it needs, and what each of its options means."""
    from sqljury.judges import class_named, options_of

    name, cls = text.partition(":")[0], class_named(JudgeName.parse(text).name)
    yield f"{name}: {_first_line(cls)}"
    yield f"needs: {_needs(cls)}"
    for one in options_of(cls):
        variant = f" ({name}:{one.name.upper()})" if one.name == cls.variant else ""
        yield f"\n{one.name}={one.default}{variant}: {one.kind}"
        yield textwrap.fill(
            one.help.replace("``", "`"), 96, initial_indent="    ", subsequent_indent="    "
        )


def _first_line(cls: type[Judge]) -> str:
    return next(iter((cls.__doc__ or "").strip().splitlines()), "")


def _needs(cls: type[Judge]) -> str:
    return ", ".join(str(flag.name).lower().replace("_", " ") for flag in cls.needs) or "nothing"


def _formats(name: str | None) -> Iterator[str]:
    from sqljury.benchmarks import formats

    known = formats()
    if name is not None and name not in known:
        raise InputError("SJ003", f"there is no format {name!r}.", hint=", ".join(known))
    for one, line in known.items():
        if name in (None, one):
            yield f"{one:10} {line}"


def _rules(name: str | None, as_json: bool) -> Iterator[str]:
    """The lines about rewrite rules: name, what it rewrites, what it may assume of the data."""
    from sqljury.equivalence.rules.registry import rules

    found = rules(name)
    if as_json:
        print_json({"rules": [rule.to_json() for rule in found]}, ascii=False)
        return
    for rule in found:
        yield f"{rule.name} ({rule.kind.name})"
        yield f"    {rule.rewrites}"
        if rule.assumes:
            yield f"    may assume: {', '.join(sorted(rule.assumes))}"


def _codes(code: str | None) -> Iterator[str]:
    known = catalogue()
    if code is None:
        yield from (f"{one}  {title}" for one, (title, _) in known.items())
        return
    if code.upper() not in known:
        hint = f"Known: {', '.join(known)}."
        raise InputError("SJ004", f"there is no code {code!r}.", hint=hint)
    title, text = known[code.upper()]
    yield f"{code.upper()}: {title}\n\n{text}"


@command()
def doctor(
    *,
    sources: Annotated[Sources, only("databases")],
    source: Annotated[SchemaSource, only("db_id")],
) -> None:
    """Check engines and drivers; print how to fix what fails.

    With --databases: also opens each database, read-only.
    """
    from sqljury.doctor import checks, database_checks

    code = EXIT_OK
    databases = sources.databases
    more = database_checks(databases, source.db_id or None) if databases else ()
    for check in [*checks(), *more]:
        echo(f"{check.mark:8}{check.name:23}{check.detail}")
        code = max(code, check.exit_code)
    raise SystemExit(code)


@command()
def demo(
    *,
    folder: Annotated[
        Path, option("Folder for the databases, the run and the report.", "--folder")
    ] = Path("sqljury-demo"),
    running: Annotated[Running, only("workers")],
) -> None:
    """Evaluate the bundled cases: no key, no network, no server."""
    from sqljury.benchmarks import read_cases
    from sqljury.demo import LIMITS, ROSE, write_demo
    from sqljury.llm import ClientSettings, Ledger
    from sqljury.uses.agree.files import agree_files
    from sqljury.uses.evaluate.evaluation import evaluate

    files = write_demo(folder)
    ledger = folder / "ledger.sqlite"
    with Ledger(ledger) as answers:
        answers.import_jsonl(files.ledger)
    judges = ["execution:strict", "execution:spider", "execution:bird", "execution:intent"]
    with progress() as on_progress:
        found = evaluate(
            read_cases(files.cases),
            [*judges, "exact_match", "exact_set_match", "soft_f1", ROSE],
            files.databases,
            descriptions=files.descriptions,
            run=folder / "run",
            limits=LIMITS,
            workers=running.workers,
            llm=ClientSettings(ledger=str(ledger), replay=True),
            on_progress=on_progress,
        )
    with found:
        page, run, sqljury = folder / "report.html", folder / "run", program()
        found.to_html(page, agreement=agree_files([str(run)]))
        for line in found.lines():
            echo(line)
        echo("The answers behind `rose` are a script's, recorded: no model was asked.")
        echo("")
        echo(f"report: {page.resolve()}")
        echo(f"one case: {sqljury} report {run} --case 1")
        echo(f"failures by cause: {sqljury} report {run} --failures 1")
        echo(f"all figures: {sqljury} report {run}")
        echo(f"against the labels: {sqljury} agree {run}")


@command(name="trust-folder")
def trust_folder(
    folder: Annotated[
        Path, Argument(help="A folder with a sqljury.toml or packages.", is_folder=True)
    ] = Path(),
) -> None:
    """Trust the sqljury.toml and the packages of a folder.

    Until one of these files changes, they may run code, reach servers and models, and write files.
    Prints what they would do.
    """
    from sqljury.cli.app import root_command

    found = wants(root_command(all_modules()), folder)
    found += [f"run code: {code} ({group}: {name})" for group, name, code in offered(folder)]
    for line in found:
        echo(line)
    if not found:
        echo("Nothing in this folder needs trust.")
        return
    echo(f"Trusted as it is now: {folder.resolve()} (kept in {trust_files_of(folder)})")
