"""Make pools of candidates: sample them from a model, or label them by a judge."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Unpack

from sqljury.benchmarks import read_cases
from sqljury.benchmarks.pools import pool_record
from sqljury.case import Case, Json
from sqljury.databases import Places
from sqljury.errors import InfrastructureError, InputError
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.judges import Judge
from sqljury.judges.prompts.demonstrations import DemonstrationChoice
from sqljury.judges.prompts.sections import SERIALIZED
from sqljury.llm import Client, ClientSettings, Message, Spent, parse_model
from sqljury.secrets import learn_from_environment
from sqljury.settings import Sampling, SystemCalls
from sqljury.uses.evaluate.evaluation import evaluate
from sqljury.uses.evaluate.summary import missing_error, missing_text
from sqljury.uses.generating import (
    MODES,
    ClientSampler,
    DinSqlSampler,
    Generator,
    LocalSampler,
    PromptedQuestion,
    Sampler,
    SystemSampler,
    generate,
    question_messages,
    system_question,
)
from sqljury.uses.inputs import RunKeywords, overlay_from, signed_with
from sqljury.uses.labelling import LabelledQuestion, LabelStatistics, label_questions
from sqljury.writing import (
    PathLike,
    is_begun,
    json_line,
    new_folder,
    unwritable,
    write_json_lines,
)

LOCAL = "local:"
"""The prefix of a model's name for the folder of a language model that runs in this process."""


@dataclass(frozen=True, slots=True)
class Generated:
    """The counts of one call of :func:`generate_pool`.

    Args:
        sampled: the number of questions sampled now.
        kept: the number of questions that the file had already.
        paid: what the model calls cost; None for a local model.
        abstained: the number of new candidates that abstain, by the words they use.
        empty: the number of new candidates with neither a query nor an abstention.
        failed: the number of answers that a system did not give.
        unreachable: how many of them are missing because the system could not be reached.
    """

    sampled: int
    kept: int
    paid: Spent | None
    abstained: Mapping[str, int] = field(default_factory=dict)
    empty: int = 0
    failed: int = 0
    unreachable: int = 0


@dataclass(frozen=True)
class _Asked:
    """Who is asked for candidates, and how.

    Args:
        said: all that candidates depend on; candidates for which it is equal may share a file.
        client: None for a model in this process.
    """

    messages: Callable[[Case, DatabaseEvidence], list[Message]]
    generator: Generator
    said: Mapping[str, Json]
    client: Client | None


def generate_pool(
    questions: PathLike | Sequence[PathLike],
    out: PathLike,
    sampling: Sampling,
    *,
    databases: PathLike | None = None,
    schemas: PathLike | None = None,
    llm: ClientSettings | None = None,
    limits: Limits | None = None,
    format: str | None = None,
    mapping: Mapping[str, str] | None = None,
    system: SystemCalls | None = None,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Generated:
    """Sample candidates for each question and write them as a pool (JSON lines).

    Questions that the file has already are not sampled again: the same call again resumes. The
    answers of a system are all read from the ledger and written again, as failures are not final.

    Args:
        questions: files of questions, with or without references.
        databases, schemas: where schemas come from; with databases, prompts show column values.
        llm: the settings of the calls to the model or the system.
        system: the system under test that is asked instead of a model; ``sampling`` then only says
            how many answers are wanted.

    Raises:
        InputError: SJ592: impossible settings; SJ320: no schema; SJ590: the file has candidates of
            other questions or other settings; SJ037: a prompt is too long; SJ917: there is no such
            system.
        InfrastructureError: the endpoint cannot be reached; SJ918: the system failed at every
            question.

    Source: GradeSQL (2025), section 3.2, stage 1.
    """
    paths = [questions] if isinstance(questions, str | os.PathLike) else list(questions)
    cases = list(_once(read_cases(paths, format=format, mapping=mapping, questions=True)))
    asks_system = system is not None and system.system is not None
    if (
        not asks_system
        and databases is None
        and schemas is None
        and not all(case.schema_sql for case in cases)
    ):
        raise InputError("SJ320", "no schema to show.", hint="Give --databases or --schemas.")
    target = Path(out)
    with ExitStack() as stack:
        places = stack.enter_context(Places(databases, schemas))
        if system is not None and asks_system:
            asked = _of_system(system, sampling.n, places, llm or ClientSettings(), stack)
            kept = 0
        else:
            asked = _of_model(sampling, llm, stack)
            kept = _kept(target, cases, asked.said)
        on_progress(kept, len(cases))
        cache, own = ExecutionCache(), limits or Limits()
        prompted = (
            PromptedQuestion(case, asked.messages(case, found))
            for case in cases[kept:]
            for found in [_evidence(case, places, cache, own, is_needed=not asks_system)]
        )
        abstained: Counter[str] = Counter()
        failed: Counter[str] = Counter()
        empty = 0
        with _appending(target, anew=asks_system) as write:
            for case, candidates in generate(
                prompted, asked.generator, lambda done: on_progress(kept + done, len(cases))
            ):
                write({**pool_record(case, candidates), "generator": asked.said})
                abstained.update(str(one["abstained"]) for one in candidates if "abstained" in one)
                failed.update(str(one["failed"]) for one in candidates if "failed" in one)
                last = next((one["problem"] for one in candidates if "failed" in one), None)
                empty += sum(one.get("sql") == "" for one in candidates)
        if failed.total() == sampling.n * len(cases):
            raise InfrastructureError(
                "SJ918", f"the system failed at every question; at the last: {last}"
            )
        paid = None if asked.client is None else asked.client.spent
    return Generated(
        sampled=len(cases) - kept,
        kept=kept,
        paid=paid,
        abstained=dict(sorted(abstained.items())),
        empty=empty,
        failed=failed.total(),
        unreachable=failed["unreachable"],
    )


def label_pool(
    pool: PathLike | Sequence[PathLike],
    out: PathLike,
    databases: PathLike | None = None,
    *,
    judge: str | Judge = "execution",
    balance: bool = False,
    seed: int = 0,
    run: PathLike | None = None,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    **settings: Unpack[RunKeywords],
) -> LabelStatistics:
    """Label the candidates of a pool by a judge and write them as a pool to train on.

    Args:
        judge: the judge that says which candidates are right.
        balance: keep as many right as wrong candidates per question, drawn by ``seed``.
        run: the folder for the verdicts; an existing one resumes.
        settings: as for :func:`sqljury.evaluate`.

    Raises:
        InputError: as :func:`sqljury.evaluate`; SJ591: nothing could be labelled.
        InfrastructureError: nothing could be labelled because all verdicts are missing.

    Source: GradeSQL (2025), section 3.2, stage 2, and table 3.
    """
    overlay = overlay_from(settings.pop("overlay", None))
    read = read_cases([pool] if isinstance(pool, str | os.PathLike) else pool)
    cases = list(read if overlay is None else overlay.laid_over(read))
    with evaluate(cases, [judge], databases, run=run, on_progress=on_progress, **settings) as found:
        (judged,) = found.summary.judges
        signature = signed_with(judged.signature, overlay)
        outcomes = [record.verdict.outcome for record in found.records()]
    labelled = label_questions(cases, outcomes, seed=seed)
    questions = labelled.balanced if balance else labelled.questions
    if not questions and judged.missing:
        raise missing_error(
            missing_text(judged.name, judged.missing, judged.total, judged.missing_reasons)
        )
    if not questions:
        raise InputError(
            "SJ591",
            "no candidate has a label to train on.",
            hint=f"Outcomes: {labelled.statistics.said()}.",
        )
    _write_labelled(Path(out), questions, signature)
    return labelled.statistics


# ---------------------------------------------------------------- sampling


def _of_system(
    system: SystemCalls, n: int, places: Places, llm: ClientSettings, stack: ExitStack
) -> _Asked:
    from sqljury.llm.systems import parse_system

    learn_from_environment()
    spec = str(system.system)
    code = parse_system(spec).code
    client = stack.enter_context(Client(replace(llm, timeout=system.seconds)))
    # A function may print; standard output is for the results.
    stack.enter_context(redirect_stdout(sys.stderr))
    sampler = SystemSampler(client, spec, code, places.address)
    return _Asked(
        system_question,
        Generator(sampler, n, llm.concurrency),
        {"system": spec, "n": n, "code": code},
        client,
    )


def _of_model(sampling: Sampling, llm: ClientSettings | None, stack: ExitStack) -> _Asked:
    _check(sampling)
    sampling = replace(sampling, seed=_seed(sampling))
    system, choice, mode = _instructions(sampling), _choice(sampling), MODES[sampling.mode]
    sampler, threads, client = _sampler(sampling, llm, stack)
    if mode.correction is not None:
        sampler = DinSqlSampler(sampler, mode.correction)
    return _Asked(
        lambda case, evidence: question_messages(case, evidence, choice, mode.said, system),
        Generator(sampler, sampling.n, threads, mode.read),
        _description(sampling, system, choice),
        client,
    )


def _check(sampling: Sampling) -> None:
    """Raise if settings are out of range or contradict each other."""
    if sampling.model is None:
        raise InputError("SJ592", "no model or system is given.", hint="Give --model or --system.")
    if min(sampling.n, sampling.per_call, sampling.max_tokens) < 1 or sampling.logprobs < 0:
        raise InputError("SJ592", "numbers of candidates, calls and tokens must be at least 1.")
    if not 0 <= sampling.temperature <= 10 or not 0 < sampling.top_p <= 1:
        raise InputError(
            "SJ592",
            f"temperature {sampling.temperature:g} with top-p {sampling.top_p:g} is not possible.",
            hint="The temperature is a number from 0 on, top-p is above 0 and at most 1.",
        )
    if sampling.mode not in MODES:
        raise InputError(
            "SJ592", f"there is no mode {sampling.mode!r}.", hint=f"One of {', '.join(MODES)}."
        )
    if MODES[sampling.mode].correction is not None and (sampling.prompt or sampling.per_call > 1):
        raise InputError(
            "SJ592",
            f"the mode {sampling.mode} has instructions and calls of its own.",
            hint="Leave out --prompt and --per-call.",
        )
    if sampling.style == SERIALIZED and (
        sampling.demos or sampling.prompt or sampling.mode != "sql"
    ):
        raise InputError(
            "SJ592", "the style serialized takes no demonstrations, instructions or mode."
        )


def _choice(sampling: Sampling) -> DemonstrationChoice:
    """How the prompts' demonstrations are chosen.

    Raises:
        InputError: SJ592: settings that contradict each other; SJ101: no such file.
    """
    try:
        return DemonstrationChoice(
            demos=_text(sampling.demos),
            wanted=MODES[sampling.mode].wanted(sampling.positives, sampling.negatives),
            pick=sampling.pick,
            retriever=_text(sampling.retriever),
            databases=sampling.demo_databases,
            schemas=_text(sampling.demo_schemas),
            seed=sampling.seed or 0,
            style=sampling.style,
        )
    except ValueError as error:
        raise InputError("SJ592", f"{error}.") from None


def _once(cases: Iterable[Case]) -> Iterator[Case]:
    """The first case of each question."""
    seen: set[tuple[str, str]] = set()
    for case in cases:
        key = (case.benchmark, case.id)
        if key not in seen:
            seen.add(key)
            yield case


def _text(path: PathLike | None) -> str:
    return "" if path is None else os.fspath(path)


def _instructions(sampling: Sampling) -> str:
    mode = MODES[sampling.mode]
    if mode.correction is not None:
        return mode.instructions
    bundled = mode.prompt if sampling.demos is None else mode.demonstrated
    if sampling.prompt is None:
        return bundled.text
    try:
        text = Path(sampling.prompt).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("SJ101", f"{error}.", where=str(sampling.prompt)) from None
    if not text.strip():
        raise InputError("SJ103", "the file of instructions is empty.", where=str(sampling.prompt))
    # The rules about the data apply with a user's own instructions too.
    return f"{text.rstrip()}\n{bundled.rules}"


def _seed(sampling: Sampling) -> int | None:
    """The seed; by default 0, or None if the provider takes no seed."""
    name = str(sampling.model)
    if sampling.seed is not None or name.startswith(LOCAL):
        return sampling.seed or 0
    from sqljury.llm.providers import provider

    model = parse_model(name)
    return 0 if provider(model.provider).capabilities(model.name).seed else None


def _sampler(
    sampling: Sampling, llm: ClientSettings | None, stack: ExitStack
) -> tuple[Sampler, int, Client | None]:
    name = str(sampling.model)
    if name.startswith(LOCAL):
        from sqljury.learning.language_model.loading import Placing, load_language_model

        local = LocalSampler(
            load_language_model(
                name.removeprefix(LOCAL),
                seq2seq=True,
                placing=Placing.of(sampling.options or {}),
            ),
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            max_tokens=sampling.max_tokens,
            seed=sampling.seed or 0,
            per_call=sampling.per_call,
            alternatives=sampling.logprobs,
        )
        return local, 1, None
    from sqljury.llm.providers import provider

    settings = llm or ClientSettings()
    options = {
        "temperature": str(sampling.temperature),
        "max_tokens": str(sampling.max_tokens),
        **({} if sampling.top_p == 1 else {"top_p": str(sampling.top_p)}),
        **({} if sampling.seed is None else {"seed": str(sampling.seed)}),
        **(sampling.options or {}),
    }
    model = parse_model(name, options)
    client = stack.enter_context(Client(settings))
    offers = provider(model.provider).capabilities(model.name).logprobs
    asked = ClientSampler(
        client, model, sampling.logprobs or min(offers, 1), sampling.per_call, sampling.logprobs > 0
    )
    return asked, settings.concurrency, client


def _description(sampling: Sampling, system: str, choice: DemonstrationChoice) -> dict[str, Json]:
    """The settings that candidates depend on; candidates with equal ones may share a file."""
    from hashlib import sha256

    shown: dict[str, Json] = {"mode": sampling.mode} if sampling.mode != "sql" else {}
    if choice.known is not None:
        shown["demonstrations"] = {
            **choice.digests(),
            **asdict(choice.wanted),
            "pick": choice.pick,
            "retriever": choice.retriever,
            "databases": choice.databases,
        }
    if sampling.logprobs:
        shown["logprobs"] = sampling.logprobs
    return {
        "model": sampling.model,
        "n": sampling.n,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "seed": sampling.seed,
        "max_tokens": sampling.max_tokens,
        "per_call": sampling.per_call,
        "options": dict(sampling.options or {}),
        "style": sampling.style,
        "prompt": sha256(system.encode()).hexdigest()[:8],
        **shown,
    }


def _kept(target: Path, cases: Sequence[Case], said: Mapping[str, Json]) -> int:
    """The number of questions that the file has already; removes an incomplete last line."""
    if not target.exists():
        return 0
    data = target.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    lines = whole.decode("utf-8").splitlines()
    if len(lines) > len(cases):
        raise _other(target, "it holds more questions than there are")
    for number, (line, case) in enumerate(zip(lines, cases, strict=False), 1):
        _check_line(line, case, said, f"{target}:{number}")
    if len(whole) < len(data):
        following = [json_line(pool_record(case, ())).encode() for case in cases[len(lines) :][:1]]
        if not any(is_begun(data[len(whole) :], line[: -len(b"]}\n")]) for line in following):
            raise _other(target, "it is no pool that was generated")
        with target.open("rb+") as file:
            file.truncate(len(whole))
    return len(lines)


def _check_line(line: str, case: Case, said: Mapping[str, Json], where: str) -> None:
    try:
        record = json.loads(line)
        same = record["question_id"] == case.id and record.get("question") == case.question
        generator = record["generator"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _other(where, "it is no pool that was generated") from None
    if not same:
        raise _other(where, f"it is not of the question {case.id!r}")
    if generator != said:
        changed = [key for key in said if generator.get(key) != said[key]]
        raise _other(where, f"it was sampled with another {', '.join(changed) or 'setting'}")


def _other(where: object, why: str) -> InputError:
    return InputError("SJ590", f"{why}.", where=str(where), hint="Name another file with --out.")


@contextmanager
def _appending(target: Path, *, anew: bool) -> Iterator[Callable[[Mapping[str, Json]], None]]:
    """A function that appends a record to a file, a line each, written before it returns.

    Args:
        anew: begin with an empty file.
    """
    new_folder(target.parent)

    def write(record: Mapping[str, Json]) -> None:
        line = json_line(record).encode()
        try:
            while line:
                line = line[file.write(line) :]
        except OSError as error:
            raise unwritable(target, error) from error

    try:
        # Without a buffer: a failed write is not tried again when the file is closed.
        file = target.open("wb" if anew else "ab", buffering=0)
    except OSError as error:
        raise unwritable(target, error) from error
    with file:
        yield write


def _evidence(
    case: Case, places: Places, cache: ExecutionCache, limits: Limits, *, is_needed: bool
) -> DatabaseEvidence:
    """The evidence about a question's database.

    Raises:
        InputError: SJ320: its schema is needed, and there is neither a database nor a schema.
    """
    evidence = DatabaseEvidence(
        case, places.database(case.db_id), cache, limits, schemas=places.schemas
    )
    if is_needed and evidence.schema() is None:
        raise InputError(
            "SJ320", f"there is no schema of the database {case.db_id!r}.", where=case.name
        )
    return evidence


# ---------------------------------------------------------------- labelling


def _write_labelled(path: Path, questions: Sequence[LabelledQuestion], signature: str) -> None:
    records = (pool_record(one.case, one.candidates) for one in questions)
    write_json_lines(path, ({**record, "labelled_by": signature} for record in records))
