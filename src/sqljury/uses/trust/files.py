"""Score answers and abstentions from runs, files of decisions and recorded gates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sqljury.benchmarks import (
    Overlay,
    check_shared_ids,
    read_cases,
    read_decisions,
    read_gate,
    read_results,
)
from sqljury.case import Case
from sqljury.decision import Decision
from sqljury.errors import InputError
from sqljury.judges import make_judge, spec_of
from sqljury.runs import open_run
from sqljury.uses.agree.files import AgreeInput
from sqljury.uses.agree.labels import decisions_under, records_under
from sqljury.uses.evaluate.evaluation import default_run, evaluate
from sqljury.uses.evaluate.summary import counted_score
from sqljury.uses.trust import (
    DEFAULT_PENALTIES,
    DEFAULT_RISKS,
    Gate,
    GateStats,
    Penalty,
    Trust,
    apply_gates,
    trust,
)
from sqljury.uses.trust.records import (
    confidences_of,
    decisions_of,
    gate_of,
)
from sqljury.verdict import Record, Scored
from sqljury.writing import PathLike

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemDecisions:
    """One system's decisions, after the gates; ``passages`` counts what each gate let pass."""

    name: str
    decisions: Sequence[Decision]
    passages: Sequence[GateStats] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustSettings:
    """How the decisions of all inputs are read.

    ``judge`` or the file ``verdicts`` says which answers are right. ``gates`` are the ``NAME`` of
    a judge in the run, or a ``FILE`` with recorded answers; ``>=T`` behind it sets another
    threshold. ``confidence`` is ``NAME`` or ``NAME#MEASURE`` of a judge in the run. ``training``
    is the reference SQL that the systems were trained on.
    """

    judge: str | None = None
    verdicts: PathLike | None = None
    gates: Sequence[str] = ()
    confidence: str | None = None
    training: Sequence[str] = ()
    mapping: Mapping[str, str] = field(default_factory=dict)
    overlay: Overlay | None = None
    """Corrections of references. Verdicts on corrected references are left out, and counted as
    ``reference_missing``, unless the run was judged with this overlay."""


def trust_files(
    inputs: Sequence[str],
    setup: TrustSettings | None = None,
    *,
    penalties: Sequence[Penalty] = DEFAULT_PENALTIES,
    validation: str | None = None,
    risks: Sequence[float] = DEFAULT_RISKS,
    bootstrap: int = 1000,
    seed: int = 0,
) -> list[Trust]:
    """The reliability scores of the systems in some runs and decision files.

    Args:
        inputs: ``RUN`` or ``[NAME=]FILE`` each.
        validation: a run or file of decisions on other questions, to choose thresholds on. For
            each system they are chosen on its own decisions there; if only one system is there,
            on that one's.

    Raises:
        InputError: a file cannot be used, a run has no such judge, or there is no decision.
    """
    chosen = setup or TrustSettings()
    systems = [system for text in inputs for system in systems_of(text, chosen)]
    known = [] if validation is None else systems_of(validation, chosen)
    return [
        trust_of(
            system,
            validation=_matching(system, known).decisions if known else (),
            risks=risks,
            penalties=penalties,
            bootstrap=bootstrap,
            seed=seed,
        )
        for system in systems
    ]


def trust_of(
    system: SystemDecisions,
    *,
    penalties: Sequence[Penalty] = DEFAULT_PENALTIES,
    validation: Sequence[Decision] = (),
    risks: Sequence[float] = DEFAULT_RISKS,
    bootstrap: int = 1000,
    seed: int = 0,
) -> Trust:
    """The reliability scores of one system."""
    found = trust(
        system.decisions,
        name=system.name,
        penalties=penalties,
        validation=validation,
        risks=risks,
        bootstrap=bootstrap,
        seed=seed,
    )
    return replace(found, passages=tuple(system.passages))


def _matching(system: SystemDecisions, known: Sequence[SystemDecisions]) -> SystemDecisions:
    """The validation decisions on which thresholds for a system are chosen."""
    if len(known) == 1:
        return known[0]
    for one in known:
        if one.name == system.name:
            return one
    raise InputError(
        "SJ548",
        f"no validation decisions of {system.name!r}.",
        hint=f"There are some of {', '.join(one.name for one in known)}.",
    )


def judged_run(
    files: Sequence[PathLike],
    setup: TrustSettings,
    databases: PathLike | None,
    predictions: Sequence[PathLike] = (),
    run: PathLike | None = None,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> str:
    """Judge the answers to questions by all judges that the setup names; return the run's folder.

    Raises:
        InputError, InfrastructureError: as :func:`sqljury.evaluate`.
    """
    gates = [name for name, _ in map(_threshold, setup.gates) if not Path(name).exists()]
    sure = [setup.confidence.partition("#")[0]] if setup.confidence else []
    judges = list(dict.fromkeys([setup.judge or "execution", *gates, *sure]))
    key = {"databases": databases, "trust": judges}
    if setup.overlay is not None:
        key["overlay"] = setup.overlay.digest
    folder = run or default_run([*files, *predictions], key)
    cases: Iterable[Case] = read_cases(
        files, predictions=predictions or None, mapping=setup.mapping or None, samples=True
    )
    if setup.overlay is not None:
        cases = setup.overlay.laid_over(cases)
    with evaluate(cases, judges, databases, run=folder, on_progress=on_progress):
        return str(folder)


def references_of(path: PathLike) -> tuple[str, ...]:
    """The reference SQL in a file of cases."""
    return tuple(sql for case in read_cases(path) for sql in case.reference_sqls)


def systems_of(text: str, setup: TrustSettings) -> list[SystemDecisions]:
    """The systems of one input (``RUN`` or ``[NAME=]FILE``) with their decisions."""
    given = AgreeInput.parse(text)
    if len(given.paths) > 1:
        raise InputError("SJ544", f"{text!r} names several files.", hint="Give each by itself.")
    path = given.paths[0]
    found = _of_run(path, setup) if path.is_dir() else _of_file(path, setup)
    if not given.name:
        return found
    single = len(found) == 1
    return [
        replace(system, name=given.name if single else f"{given.name}/{system.name}")
        for system in found
    ]


# ---------------------------------------------------------------- a file of decisions


def _of_file(path: Path, setup: TrustSettings) -> list[SystemDecisions]:
    decisions = read_decisions(path, mapping=setup.mapping)
    if setup.verdicts is not None:
        decisions = _judged(decisions, setup.verdicts)
    decisions = list(decisions_under(setup.overlay, decisions))
    ids = [decision.id for decision in decisions]
    gates = [_recorded(*_threshold(gate), ids) for gate in setup.gates]
    stem = path.name.split(".")[0]
    systems = []
    for source in dict.fromkeys(decision.source for decision in decisions):
        passed, passages = apply_gates([d for d in decisions if d.source == source], gates)
        systems.append(SystemDecisions(name=source or stem, decisions=passed, passages=passages))
    return systems


def _judged(decisions: Sequence[Decision], verdicts: PathLike) -> list[Decision]:
    """The decisions with the outcomes from a file of verdicts."""
    judges = read_results(verdicts)
    if len(judges) > 1:
        raise InputError(
            "SJ544",
            f"the file holds verdicts of {len(judges)} judges, not of one.",
            where=str(verdicts),
        )
    rows = {row.id: row for found in judges.values() for row in found}
    named = {name for one in decisions for name in ("/".join((one.id, one.source)), one.id)}
    check_shared_ids(rows, named, verdicts)
    return [_with_verdict(decision, rows) for decision in decisions]


def _with_verdict(decision: Decision, rows: Mapping[str, Scored]) -> Decision:
    named = "/".join(filter(None, (decision.id, decision.source)))
    row = rows.get(named) or rows.get(decision.id)
    if row is None or not decision.answerable:
        return decision
    score = counted_score(row.outcome, row.score)
    # Without an outcome and a score, the answer was not judged.
    unscored = row.outcome is None and score is None
    return replace(
        decision,
        outcome=decision.outcome if row.outcome is None else row.outcome,
        correct=None if unscored else score is not None and score >= row.threshold,
    )


# ---------------------------------------------------------------- a run


def _of_run(folder: Path, setup: TrustSettings) -> list[SystemDecisions]:
    sure, _, measure = (setup.confidence or "").partition("#")
    with open_run(folder) as run:
        thresholds = {judge.name: judge.threshold for judge in run.judges}
        records = list(records_under(setup.overlay, run.records(with_evidence=False)))
    named = [(canonical_judge(name, thresholds), at) for name, at in map(_threshold, setup.gates)]
    sure = canonical_judge(sure, thresholds)
    others = {sure, *(name for name, _ in named)}
    known = [judge for judge in thresholds if judge not in others]
    chosen = known if setup.judge is None else [canonical_judge(setup.judge, thresholds)]
    for name in [*chosen, *filter(None, [sure])]:
        check_judge(name, thresholds, folder)
    systems = []
    for judge in chosen:
        decisions = decisions_of(records, judge, thresholds[judge], training=setup.training)
        for source in dict.fromkeys(decision.source for decision in decisions):
            own = [d for d in decisions if d.source == source]
            if sure:
                own = _with_confidence(own, confidences_of(records, sure, source, measure))
            gates = [_gate(name, at, records, thresholds, source, folder) for name, at in named]
            passed, passages = apply_gates(own, gates)
            parts = [source] + ([judge] if len(chosen) > 1 or not source else [])
            name = "/".join(filter(None, parts))
            systems.append(SystemDecisions(name=name, decisions=passed, passages=passages))
    return systems


def canonical_judge(name: str, known: Mapping[str, float]) -> str:
    """A judge's name as runs store it: ``execution`` becomes ``execution:strict``."""
    if not name or name in known or Path(name).exists():
        return name
    return spec_of(make_judge(name))


def check_judge(name: str, known: Mapping[str, float], folder: Path) -> None:
    if name not in known:
        raise InputError(
            "SJ545",
            f"there is no judge {name!r} in the run.",
            where=str(folder),
            hint=f"There is: {', '.join(known)}.",
        )


def _with_confidence(
    decisions: Sequence[Decision], scores: Mapping[tuple[str, str], float | None]
) -> list[Decision]:
    return [replace(decision, confidence=scores.get(decision.key)) for decision in decisions]


# ---------------------------------------------------------------- gates


def _threshold(text: str) -> tuple[str, float | None]:
    """The name and the threshold in ``NAME>=T`` or ``NAME``; the threshold is None without one."""
    name, at_least, number = text.rpartition(">=")
    if not at_least:
        return text, None
    try:
        return name, float(number)
    except ValueError:
        raise InputError(
            "SJ543", f"{number!r} is not a threshold.", where=f"--gate {text}"
        ) from None


def _gate(
    name: str,
    threshold: float | None,
    records: Sequence[Record],
    known: Mapping[str, float],
    source: str,
    folder: Path,
) -> Gate:
    if name not in known and Path(name).exists():
        return _recorded(name, threshold, [record.case.id for record in records])
    check_judge(name, known, folder)
    at = known[name] if threshold is None else threshold
    return gate_of(records, name, source, at)


def _recorded(name: str, threshold: float | None, ids: Sequence[str]) -> Gate:
    said = read_gate(name)
    check_shared_ids(said, ids, name)
    scores = {("", key): score for key, score in said.items()}
    stem = "/".join(Path(name).parts[-2:])
    return Gate(name=stem, scores=scores, threshold=0.5 if threshold is None else threshold)
