"""sqljury: does this SQL answer what the user asked, and how do we know?

>>> import sqljury as sj
>>> sj.compare_tables([(1, 2), (3, 4)], [(3, 4), (1, 2)]).equal
True
"""

from __future__ import annotations

import sqljury._current_folder  # noqa: F401  # before all others  # isort: skip

from typing import TYPE_CHECKING

from sqljury.rooms import lazily
from sqljury.version import __version__ as __version__

if TYPE_CHECKING:
    from sqljury.benchmarks import read_cases, write_cases
    from sqljury.case import MISSING, Case
    from sqljury.databases import open_databases
    from sqljury.equivalence.rules.registry import rules
    from sqljury.errors import InfrastructureError, InputError, SqljuryError
    from sqljury.evidence import Evidence
    from sqljury.execution import Execution, Limits, ResultTable, Status
    from sqljury.judges import Judge, Needs, make_judge, register
    from sqljury.tables import compare_tables
    from sqljury.uses.agree.agreement import agree
    from sqljury.uses.agree.files import agree_files
    from sqljury.uses.audit.benchmark import audit
    from sqljury.uses.building.pairs.files import build_pairs_files
    from sqljury.uses.building.trust import build_trust_files
    from sqljury.uses.evaluate.comparison import compare_runs
    from sqljury.uses.evaluate.evaluation import Evaluation, evaluate, load_run, merge_evaluations
    from sqljury.uses.evaluate.evaluator import Evaluator
    from sqljury.uses.features import features
    from sqljury.uses.gate import gate
    from sqljury.uses.inputs import RunKeywords
    from sqljury.uses.matching import explain_match
    from sqljury.uses.queries import compare_queries, diff_queries, plan_query
    from sqljury.uses.select.picking import select
    from sqljury.uses.suite.build import build_suites
    from sqljury.uses.trust.files import trust_files
    from sqljury.verdict import Outcome, Record, Scored, Verdict
else:
    # `import sqljury` stays fast whatever the parts import.
    __getattr__ = lazily(__name__)

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
    "gate",
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


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
