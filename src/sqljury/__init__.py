"""sqljury: does this SQL answer what the user asked, and how do we know?

>>> import sqljury as sj
>>> sj.compare_tables([(1, 2), (3, 4)], [(3, 4), (1, 2)]).equal
True
"""

from __future__ import annotations

import sqljury._current_folder  # noqa: F401  # before all others  # isort: skip

import importlib
from typing import TYPE_CHECKING, Any

from sqljury.version import __version__ as __version__

if TYPE_CHECKING:
    from sqljury.api.agreement import agree_files
    from sqljury.api.audit import audit
    from sqljury.api.comparison import compare_runs
    from sqljury.api.evaluation import Evaluation, evaluate, load_run, merge_evaluations
    from sqljury.api.evaluator import Evaluator
    from sqljury.api.features import features
    from sqljury.api.inputs import RunKeywords
    from sqljury.api.matching import explain_match
    from sqljury.api.pair_building import build_pairs_files
    from sqljury.api.queries import compare_queries, diff_queries, plan_query
    from sqljury.api.rules import rules
    from sqljury.api.selection import select
    from sqljury.api.suites import build_suites
    from sqljury.api.trust import trust_files
    from sqljury.api.trust_building import build_trust_files
    from sqljury.benchmarks import read_cases, write_cases
    from sqljury.case import MISSING, Case
    from sqljury.databases import open_databases
    from sqljury.errors import InfrastructureError, InputError, SqljuryError
    from sqljury.evidence import Evidence
    from sqljury.execution import Execution, Limits, ResultTable, Status
    from sqljury.judges import Judge, Needs, make_judge, register
    from sqljury.tables import compare_tables
    from sqljury.uses.agree.agreement import agree
    from sqljury.verdict import Outcome, Record, Scored, Verdict

# Resolved on first use: `import sqljury` stays fast whatever the parts import.
_HOMES = {
    "Evaluation": "sqljury.api.evaluation",
    "Evaluator": "sqljury.api.evaluator",
    "RunKeywords": "sqljury.api.inputs",
    "agree_files": "sqljury.api.agreement",
    "audit": "sqljury.api.audit",
    "build_pairs_files": "sqljury.api.pair_building",
    "build_suites": "sqljury.api.suites",
    "compare_queries": "sqljury.api.queries",
    "compare_runs": "sqljury.api.comparison",
    "diff_queries": "sqljury.api.queries",
    "plan_query": "sqljury.api.queries",
    "evaluate": "sqljury.api.evaluation",
    "load_run": "sqljury.api.evaluation",
    "merge_evaluations": "sqljury.api.evaluation",
    "rules": "sqljury.api.rules",
    "read_cases": "sqljury.benchmarks",
    "write_cases": "sqljury.benchmarks",
    "MISSING": "sqljury.case",
    "Case": "sqljury.case",
    "open_databases": "sqljury.databases",
    "InfrastructureError": "sqljury.errors",
    "InputError": "sqljury.errors",
    "SqljuryError": "sqljury.errors",
    "Evidence": "sqljury.evidence",
    "Execution": "sqljury.execution",
    "Limits": "sqljury.execution",
    "ResultTable": "sqljury.execution",
    "Status": "sqljury.execution",
    "Judge": "sqljury.judges",
    "Needs": "sqljury.judges",
    "make_judge": "sqljury.judges",
    "register": "sqljury.judges",
    "compare_tables": "sqljury.tables",
    "build_trust_files": "sqljury.api.trust_building",
    "explain_match": "sqljury.api.matching",
    "features": "sqljury.api.features",
    "select": "sqljury.api.selection",
    "trust_files": "sqljury.api.trust",
    "agree": "sqljury.uses.agree.agreement",
    "Outcome": "sqljury.verdict",
    "Record": "sqljury.verdict",
    "Scored": "sqljury.verdict",
    "Verdict": "sqljury.verdict",
}

__all__ = [
    "MISSING",
    "Case",
    "Evaluation",
    "Evaluator",
    "Evidence",
    "Execution",
    "InfrastructureError",
    "InputError",
    "Judge",
    "Limits",
    "Needs",
    "Outcome",
    "Record",
    "ResultTable",
    "RunKeywords",
    "Scored",
    "SqljuryError",
    "Status",
    "Verdict",
    "agree",
    "agree_files",
    "audit",
    "build_pairs_files",
    "build_suites",
    "build_trust_files",
    "compare_queries",
    "compare_runs",
    "compare_tables",
    "diff_queries",
    "evaluate",
    "explain_match",
    "features",
    "load_run",
    "make_judge",
    "merge_evaluations",
    "open_databases",
    "plan_query",
    "read_cases",
    "register",
    "rules",
    "select",
    "trust_files",
    "write_cases",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'sqljury' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
