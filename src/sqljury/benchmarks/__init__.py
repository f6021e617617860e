"""Readers and writers of real text-to-SQL files."""

# The order is the order in which formats are asked whether a file is theirs: the most
# particular first.
from sqljury.benchmarks import own as _own  # noqa: F401, I001
from sqljury.benchmarks import pools as _pools  # noqa: F401
from sqljury.benchmarks import pairs as _pairs  # noqa: F401
from sqljury.benchmarks import ehrsql as _ehrsql  # noqa: F401
from sqljury.benchmarks import triagesql as _triagesql  # noqa: F401
from sqljury.benchmarks import rose as _rose  # noqa: F401
from sqljury.benchmarks import bird as _bird  # noqa: F401
from sqljury.benchmarks import spider as _spider  # noqa: F401
from sqljury.benchmarks import records as _records  # noqa: F401
from sqljury.benchmarks.decisions import read_decisions
from sqljury.benchmarks.files import Source, fingerprint
from sqljury.benchmarks.formats import Format, Options, formats, register
from sqljury.benchmarks.logprobs import Token, read_logprobs
from sqljury.benchmarks.mapping import parse_mapping
from sqljury.benchmarks.pools import RecordedResult, recorded_result, recorded_verdict
from sqljury.benchmarks.read import Cases, read_cases
from sqljury.benchmarks.results import read_labels, read_results
from sqljury.benchmarks.rose_methods import MethodFacts, RecordedMethod, read_rose_methods
from sqljury.benchmarks.rose_output import (
    ProverAnswer,
    RecordedJudgement,
    RecordedRun,
    RefuterAnswer,
    find_rose_outputs,
    is_rose_output,
    read_rose_output,
    recording_fingerprint,
)
from sqljury.benchmarks.rose_writer import write_rose_output
from sqljury.benchmarks.trustsql import read_gate
from sqljury.benchmarks.write import write_cases

__all__ = [
    "Cases",
    "Format",
    "MethodFacts",
    "Options",
    "ProverAnswer",
    "RecordedJudgement",
    "RecordedMethod",
    "RecordedResult",
    "RecordedRun",
    "RefuterAnswer",
    "Source",
    "Token",
    "find_rose_outputs",
    "fingerprint",
    "formats",
    "is_rose_output",
    "parse_mapping",
    "read_cases",
    "read_decisions",
    "read_gate",
    "read_labels",
    "read_logprobs",
    "read_results",
    "read_rose_methods",
    "read_rose_output",
    "recorded_result",
    "recorded_verdict",
    "recording_fingerprint",
    "register",
    "write_cases",
    "write_rose_output",
]
