"""Build benchmarks from files of questions, databases and schemas."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from sqljury.api.inputs import PathLike
from sqljury.benchmarks import read_cases, write_cases
from sqljury.case import Case
from sqljury.databases import Places
from sqljury.errors import InputError
from sqljury.execution import Execution, Limits
from sqljury.llm import Answer, ClientSettings
from sqljury.reports.build_card import card_text
from sqljury.schema import Schema
from sqljury.uses.building import KINDS, Card, Corrections, ReviewItem, build_trust
from sqljury.uses.building.out_of_domain import questions_in
from sqljury.uses.building.review import accepted, from_lines, merged, to_lines
from sqljury.uses.building.unanswerable import folded
from sqljury.uses.building.writing import WRITTEN_KINDS, Order, candidates, orders, request_for
from sqljury.writing import json_line_safe, new_file, new_folder

DEFAULT_LIMITS = Limits(seconds=10.0, rows=100_000)
"""What a reference may use before its question is left out."""

_REVIEW = "review.jsonl"


def build_trust_files(
    questions: PathLike | Sequence[PathLike],
    out: PathLike,
    *,
    databases: PathLike | None = None,
    schemas: PathLike | None = None,
    seed: int = 0,
    kinds: Sequence[str] = KINDS,
    out_of_domain: PathLike | None = None,
    corrections: Corrections | None = None,
    asking: QuestionWriter | None = None,
    mapping: Mapping[str, str] | None = None,
    overlay: Sequence[PathLike] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Card:
    """Write a benchmark in the manner of TrustSQL: ``train.jsonl``, ``validation.jsonl``,
    ``test.jsonl``, ``left_out.jsonl``, ``card.json`` and ``README.md``.

    Questions in ``review.jsonl`` of the folder whose status is ``accepted`` are taken before any
    that rules make.

    Args:
        questions: files of questions with their reference SQL.
        out: the folder; its name is the benchmark's.
        databases: whose schemas are asked about, and that references are run on.
        schemas: a file of schemas, for databases that are not there.
        kinds: of unanswerable questions.
        out_of_domain: a text file with a question a line, instead of those that come along.
        overlay: files of corrections that are laid over the references.
        corrections: corrects relative times and references without a result, as far as rules can.
        asking: a model that writes questions into ``review.jsonl``, for a person to look through.

    Raises:
        InputError: SJ561: the review file cannot be used.
        InputError: SJ560: no such kind, no usable question, neither databases nor schemas;
            and whatever is wrong with the files.
    """
    _check_kinds(kinds)
    if databases is None and schemas is None:
        raise InputError(
            "SJ560", "nothing to ask about.", hint="Give --databases, --schemas, or both."
        )
    paths = [questions] if isinstance(questions, str | os.PathLike) else list(questions)
    asked = None if out_of_domain is None else _questions(Path(out_of_domain))
    queue = review_queue(out)
    cases = list(read_cases(paths, mapping=mapping, overlay=overlay))
    with Places(databases, schemas) as places:
        known = _schemas(places, {case.db_id for case in cases})

        def run(db_id: str, sql: str) -> Execution | None:
            """Run a reference; None where there is no database."""
            database = places.database(db_id)
            return None if database is None else database.execute(sql, limits)

        built = build_trust(
            cases,
            known,
            run,
            name=Path(out).resolve().name,
            sources=[Path(p).name for p in (*paths, databases, schemas, out_of_domain) if p],
            seed=seed,
            kinds=kinds,
            questions=asked,
            reviewed=accepted(queue),
            corrections=corrections,
        )
    if not any(built.splits.values()):
        raise InputError(
            "SJ560",
            "no question can be used.",
            hint=f"Left out: {', '.join(f'{why} {n}' for why, n in built.card.left_out.items())}.",
        )
    _write(Path(out), {**built.splits, "left_out": built.left_out}, built.card)
    if asking is not None:
        share = -(-built.card.wanted // len(kinds))
        wanted = {kind: share for kind in kinds if kind in WRITTEN_KINDS}
        own = {case.db_id: known[case.db_id] for case in cases if case.db_id in known}
        taken = [case.question or "" for case in cases] + [one.written for one in queue]
        _write_queue(Path(out), merged(queue, written(asking, wanted, own, taken, seed, Path(out))))
    return built.card


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionWriter:
    """Which model writes questions, and how it is asked; answers are kept in the ledger."""

    model: str
    options: Mapping[str, str] = field(default_factory=dict)
    settings: ClientSettings
    on_progress: Callable[[int, int], None] = lambda _done, _total: None


def written(
    asking: QuestionWriter,
    wanted: Mapping[str, int],
    schemas: Mapping[str, Schema],
    taken: Iterable[str],
    seed: int,
    out: Path,
) -> list[ReviewItem]:
    """Questions that a model writes about some schemas, none of them accepted yet.

    Raises:
        InfrastructureError: the endpoint fails; what it answered is in the ledger.
    """
    from sqljury.llm import Client, parse_model

    model = parse_model(asking.model, asking.options)
    todo = orders(wanted, schemas, seed)
    client = Client(asking.settings)

    def ask(order: Order) -> Answer:
        request = request_for(order, schemas[order.db_id], model)
        return client.ask(request, case=f"{out.name}/{order.db_id}/{order.kind}")

    used = set(map(folded, taken))
    found: list[ReviewItem] = []
    with ThreadPoolExecutor(asking.settings.concurrency) as pool:
        for done, (order, answer) in enumerate(zip(todo, pool.map(ask, todo), strict=True), 1):
            found += candidates(order, schemas[order.db_id], answer, model, used)
            asking.on_progress(done, len(todo))
    return found


def review_queue(out: PathLike) -> list[ReviewItem]:
    """What ``review.jsonl`` of a benchmark's folder holds; nothing where there is none.

    Raises:
        InputError: SJ561: it cannot be used.
    """
    path = Path(out) / _REVIEW
    if not path.exists():
        return []
    try:
        lines = path.read_text("utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("SJ561", f"{error}.", where=str(path)) from None
    return from_lines(lines, str(path))


def _write_queue(out: Path, queue: Sequence[ReviewItem]) -> None:
    with new_file(out / _REVIEW) as file:
        for line in to_lines(queue):
            file.write(json_line_safe(line) + "\n")


def _check_kinds(kinds: Sequence[str]) -> None:
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown or not kinds:
        raise InputError(
            "SJ560", f"no kind {', '.join(unknown) or '…'}.", hint=f"Kinds: {', '.join(KINDS)}."
        )


def _questions(path: Path) -> tuple[str, ...]:
    try:
        found = questions_in(path.read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("SJ101", f"{error}.", where=str(path)) from None
    if not found:
        raise InputError("SJ103", "there is no question in the file.", where=str(path))
    return found


def _write(out: Path, parts: Mapping[str, Iterable[Case]], card: Card) -> None:
    new_folder(out)
    for name, found in parts.items():
        write_cases(found, out / f"{name}.jsonl")
    with new_file(out / "card.json") as file:
        file.write(json.dumps(card.to_json(), indent=2, ensure_ascii=False) + "\n")
    with new_file(out / "README.md") as file:
        file.write(card_text(card))


def _schemas(places: Places, asked: set[str]) -> dict[str, Schema]:
    """The schemas of the databases that are asked about, and of all others that are there."""
    folded = {name.casefold() for name in asked}
    others = {name for name in places.ids() if name and name.casefold() not in folded}
    found = {}
    for name in sorted(asked | others):
        found[name] = places.schema(name)
        if name not in asked:
            places.release(name)
    return {name: schema for name, schema in found.items() if schema is not None}
