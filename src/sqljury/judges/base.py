"""What a judge is, how it is found by name, and what is settled before it is asked."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import sys
from collections.abc import Callable
from enum import Flag, auto
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar, runtime_checkable

from sqljury.case import MISSING, Case
from sqljury.errors import InputError
from sqljury.evidence import Evidence
from sqljury.execution import Execution, Status
from sqljury.verdict import Outcome, Verdict


class Needs(Flag):
    """What must be there before a judge is asked; :func:`settled` gives the verdict if not."""

    NOTHING = 0
    REFERENCE = auto()
    """At least one reference SQL."""
    DATABASE = auto()
    """A database that can be opened."""
    REFERENCE_ROWS = auto()
    """At least one reference that runs."""
    PREDICTION_ROWS = auto()
    """A prediction that runs."""
    QUESTION = auto()
    """The question; whatever was predicted, such judges are asked before there is any SQL."""
    LLM = auto()
    """A chat model; such judges wait for answers, many at once."""
    SCHEMA = auto()
    """The tables and columns: of a database, of a file of schemas, or of the case itself."""
    SUITE = auto()
    """Several databases for the case's schema."""


@runtime_checkable
class Judge(Protocol):
    """Anything that looks at a case and gives a verdict.

    Implementations are frozen dataclasses: their fields are their whole configuration.
    ``variant`` names the field that ``NAME:VARIANT`` sets.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    """Raised whenever a change can alter a verdict: stored verdicts of older ones retire."""
    needs: ClassVar[Needs]

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """The verdict on one case whose needs are met."""


def sql_to_run(judge: Judge, sql: str) -> str:
    """The text that this judge executes for a query: most run it as it is."""
    rewrite = getattr(judge, "sql_to_run", None)
    return rewrite(sql) if rewrite is not None else sql


# ---------------------------------------------------------------- registry

_REGISTRY: dict[str, type[Any]] = {}
_ENTRY_POINT_GROUP = "sqljury.judges"

# The text by which a user's own judge was named, and by which a worker finds it again.
_IMPORTED_AS: dict[type[Any], str] = {}

# Imported when first asked for by name: `--judge exact_match` need not load the others.
_BUILT_IN = {
    "astpm": "sqljury.judges.astpm",
    "canonical": "sqljury.judges.canonical",
    "codebleu": "sqljury.judges.codebleu",
    "crystalbleu": "sqljury.judges.crystalbleu",
    "equivalence": "sqljury.judges.equivalence",
    "clsprompt": "sqljury.judges.abstention.clsprompt",
    "demo": "sqljury.judges.abstention.demo",
    "detector": "sqljury.judges.abstention.detector",
    "exact_match": "sqljury.judges.exact_match",
    "exact_set_match": "sqljury.judges.exact_set_match",
    "executable": "sqljury.judges.executable",
    "execution": "sqljury.judges.execution",
    "flex": "sqljury.judges.flex",
    "g_eval": "sqljury.judges.g_eval",
    "graph_match": "sqljury.judges.graph_match",
    "known_names": "sqljury.judges.abstention.known_names",
    "known_values": "sqljury.judges.abstention.known_values",
    "llm_sql_solver": "sqljury.judges.llm_sql_solver",
    "max_ent": "sqljury.judges.abstention.max_ent",
    "max_prob": "sqljury.judges.abstention.max_prob",
    "nonempty": "sqljury.judges.abstention.nonempty",
    "panel": "sqljury.judges.panel",
    "prover": "sqljury.judges.prover",
    "r_ves": "sqljury.judges.r_ves",
    "recorded": "sqljury.judges.recorded",
    "refuter": "sqljury.judges.refuter",
    "relpm": "sqljury.judges.relpm",
    "rose": "sqljury.judges.rose",
    "rose_unified": "sqljury.judges.rose_unified",
    "rose_wogt": "sqljury.judges.rose_wogt",
    "selfref": "sqljury.judges.abstention.selfref",
    "soft_f1": "sqljury.judges.soft_f1",
    "test_suite": "sqljury.judges.test_suite",
    "tree_match": "sqljury.judges.tree_match",
    "verbal": "sqljury.judges.abstention.verbal",
    "verifier": "sqljury.judges.verifier",
    "voting": "sqljury.judges.abstention.voting",
}

J = TypeVar("J", bound=type[Any])


def register(cls: J) -> J:
    """Class decorator: make a judge known by its ``name``."""
    _REGISTRY[cls.name] = cls
    return cls


def registered() -> dict[str, type[Any]]:
    """Every known judge class by name: built in, decorated, or from entry points."""
    for module in _BUILT_IN.values():
        importlib.import_module(module)
    for point in entry_points(group=_ENTRY_POINT_GROUP):
        if point.name not in _REGISTRY:
            _REGISTRY[point.name] = point.load()
    return dict(sorted(_REGISTRY.items()))


def make_judge(spec: str | Judge) -> Judge:
    """A judge from ``NAME[:VARIANT][,key=value…]``, ``package.module:Class`` or a judge.

    Raises:
        InputError: no such judge, or an option it does not have.
    """
    if not isinstance(spec, str):
        if not isinstance(spec, Judge):
            raise InputError(
                "SJ302",
                f"{type(spec).__name__} is not a judge: it needs name, version, needs "
                "and judge(case, evidence).",
            )
        return spec
    head, *options = spec.split(",")
    if "." in head.partition(":")[0] or "/" in head:
        cls, variant = _imported(head), None
    else:
        name, _, variant = head.partition(":")
        cls = _by_name(name)
    return _configured(cls, spec, variant or None, options)


def _by_name(name: str) -> type[Any]:
    if name not in _REGISTRY and name in _BUILT_IN:
        importlib.import_module(_BUILT_IN[name])
    if name in _REGISTRY:
        return _REGISTRY[name]
    known = registered()
    if name not in known:
        raise InputError(
            "SJ301",
            f"there is no judge {name!r}.",
            hint=f"Known: {', '.join(known)}; your own as package.module:Class.",
        )
    return known[name]


def _imported(path: str) -> type[Any]:
    module_name, _, class_name = path.rpartition(":")
    if not module_name:
        raise InputError("SJ303", f"{path!r} names a module but no class.", hint="Write mod:Class.")
    try:
        cls: type[Any] = getattr(_module(module_name), class_name)
    except (ImportError, AttributeError, SyntaxError, OSError) as error:
        raise InputError(
            "SJ303", f"cannot import the judge {path!r}: {error}.", hint=f"cwd: {Path.cwd()}"
        ) from error
    _IMPORTED_AS[cls] = path
    return cls


def _module(name: str) -> Any:
    if not name.endswith(".py"):
        # A console script does not have the working directory on its path; a user's module
        # in his own folder must be found all the same.
        if str(Path.cwd()) not in sys.path:
            sys.path.insert(0, str(Path.cwd()))
        return importlib.import_module(name)
    file = Path(name).resolve()
    spec = importlib.util.spec_from_file_location(f"_sqljury_user_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot load {file}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _configured(cls: type[Any], spec: str, variant: str | None, options: list[str]) -> Judge:
    values: dict[str, Any] = {}
    if variant is not None:
        field_name = getattr(cls, "variant", None)
        if field_name is None:
            raise InputError("SJ304", f"{cls.name} has no variants.", where=spec)
        values[field_name] = variant
    kinds = {f.name: f.type for f in dataclasses.fields(cls)} if _is_dataclass(cls) else {}
    for option in options:
        key, equals, text = option.partition("=")
        if not equals or key not in kinds:
            raise InputError(
                "SJ304",
                f"{cls.name} has no option {key!r}.",
                where=spec,
                hint=f"Options: {', '.join(kinds) or 'none'}, written key=value.",
            )
        values[key] = _parsed(text, str(kinds[key]), spec, key)
    try:
        return cls(**values)  # type: ignore[no-any-return]
    except (TypeError, ValueError) as error:
        raise InputError("SJ304", str(error), where=spec) from error


def _is_dataclass(cls: type[Any]) -> bool:
    return dataclasses.is_dataclass(cls)


_PARSERS: dict[str, Callable[[str], Any]] = {"int": int, "float": float}


def _parsed(text: str, kind: str, spec: str, key: str) -> Any:
    kind = kind.removeprefix("<class '").removesuffix("'>").removesuffix(" | None")
    if kind == "bool":
        if text.lower() in ("true", "yes", "1"):
            return True
        if text.lower() in ("false", "no", "0"):
            return False
        raise InputError("SJ304", f"{key}={text} is neither true nor false.", where=spec)
    try:
        return _PARSERS.get(kind, str)(text)
    except ValueError as error:
        raise InputError("SJ304", f"{key}={text} is not a {kind}.", where=spec) from error


def options_of(cls: type[Any]) -> dict[str, str]:
    """A judge's options with their defaults as they are typed; empty where there is none."""
    if not dataclasses.is_dataclass(cls):
        return {}
    return {f.name: "" if f.default is None else _typed(f.default) for f in dataclasses.fields(cls)}


def _typed(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def spec_of(judge: Judge) -> str:
    """The canonical ``NAME[:VARIANT][,key=value…]`` of a judge; defaults are left out.

    >>> from sqljury.judges import make_judge
    >>> spec_of(make_judge("execution:spider"))
    'execution:spider'
    """
    cls = type(judge)
    registered_name = _REGISTRY.get(judge.name) is cls
    name = (
        judge.name
        if registered_name
        else _IMPORTED_AS.get(cls, f"{cls.__module__}:{cls.__qualname__}")
    )
    if not dataclasses.is_dataclass(judge):
        return name
    variant_field = getattr(cls, "variant", None)
    parts = []
    for f in dataclasses.fields(judge):
        value = getattr(judge, f.name)
        if f.name == variant_field:
            name += f":{value}" if registered_name else ""
            if not registered_name and value != f.default:
                parts.append(f"{f.name}={value}")
        elif value != f.default:
            parts.append(f"{f.name}={_typed(value)}")
    return ",".join([name, *parts])


# ---------------------------------------------------------------- settled before asking


def needs_database(judge: Judge) -> bool:
    """Whether a judge has something executed."""
    return bool(judge.needs & _NEED_DATABASE)


_PREDICTION_OUTCOME = {
    Status.ERROR: Outcome.PREDICTION_ERROR,
    Status.TIMEOUT: Outcome.PREDICTION_TIMEOUT,
    Status.TOO_LARGE: Outcome.PREDICTION_TOO_LARGE,
    Status.OUT_OF_MEMORY: Outcome.PREDICTION_OUT_OF_MEMORY,
    Status.REFUSED: Outcome.PREDICTION_REFUSED,
    Status.UNAVAILABLE: Outcome.JUDGE_UNAVAILABLE,
}
_REFERENCE_OUTCOME = {
    Status.ERROR: Outcome.REFERENCE_ERROR,
    Status.TIMEOUT: Outcome.REFERENCE_TIMEOUT,
    Status.TOO_LARGE: Outcome.REFERENCE_TOO_LARGE,
    Status.OUT_OF_MEMORY: Outcome.REFERENCE_TOO_LARGE,
    Status.REFUSED: Outcome.REFERENCE_ERROR,
    Status.UNAVAILABLE: Outcome.JUDGE_UNAVAILABLE,
}


def settled(judge: Judge, case: Case, evidence: Evidence) -> Verdict | None:
    """The verdict that is clear before the judge is asked, or None.

    What is wrong with the question (database, reference) comes before what is wrong with the
    answer, so that all systems on one benchmark share one denominator; but an abstention
    stays an abstention where there is no reference to compare with (an unanswerable question).
    """
    return _question_unusable(judge, case, evidence) or _prediction_unusable(judge, case, evidence)


def _question_unusable(judge: Judge, case: Case, evidence: Evidence) -> Verdict | None:
    if needs_database(judge) and not evidence.has_database:
        return _not_scored(Outcome.DATABASE_MISSING, f"no database {case.db_id!r}")
    if judge.needs & Needs.SCHEMA and evidence.schema() is None:
        return _not_scored(Outcome.DATABASE_MISSING, f"no schema of {case.db_id!r}")
    if judge.needs & Needs.SUITE and evidence.suite() is None:
        return _not_scored(Outcome.DATABASE_MISSING, f"no test suite of {case.db_id!r}")
    if judge.needs & _NEED_REFERENCE and not case.reference_sqls:
        if case.predicted_sql is None:
            return None
        return _not_scored(Outcome.REFERENCE_MISSING, "no reference SQL")
    if judge.needs & Needs.REFERENCE_ROWS:
        runs = [evidence.rows(sql_to_run(judge, sql)) for sql in case.reference_sqls]
        if runs and not any(run.ok for run in runs):
            return failed_reference(runs[0])
    return None


_NEED_REFERENCE = Needs.REFERENCE | Needs.REFERENCE_ROWS
_NEED_DATABASE = Needs.DATABASE | Needs.REFERENCE_ROWS | Needs.PREDICTION_ROWS


def _prediction_unusable(judge: Judge, case: Case, evidence: Evidence) -> Verdict | None:
    if judge.needs & Needs.QUESTION:
        return None if case.question else _not_scored(Outcome.UNKNOWN, "the case has no question")
    sql = case.predicted_sql
    if sql is None:
        return _not_scored(Outcome.ABSTAINED, "the system abstained")
    if sql is MISSING:
        return _not_scored(Outcome.PREDICTION_MISSING, "no prediction for this reference")
    if not sql.strip():
        return _not_scored(Outcome.PREDICTION_ERROR, "the prediction is empty")
    if judge.needs & Needs.PREDICTION_ROWS:
        run = evidence.rows(sql_to_run(judge, sql))
        if not run.ok:
            return failed_prediction(run)
    return None


def failed_prediction(run: Execution) -> Verdict:
    """The verdict on a prediction that did not run."""
    return _not_scored(_PREDICTION_OUTCOME[run.status], run.message)


def failed_reference(run: Execution) -> Verdict:
    """The verdict on a case none of whose references ran."""
    return _not_scored(_REFERENCE_OUTCOME[run.status], f"reference: {run.message}")


def _not_scored(outcome: Outcome, reason: str) -> Verdict:
    score = None if outcome.left_out or outcome is Outcome.ABSTAINED else 0.0
    return Verdict(outcome=outcome, score=score, reason=reason)
