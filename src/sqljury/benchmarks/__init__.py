"""Readers and writers of real text-to-SQL files."""

from sqljury.benchmarks.decisions import read_decisions
from sqljury.benchmarks.fields import as_object
from sqljury.benchmarks.files import Source, fingerprint
from sqljury.benchmarks.formats import Format, Options, formats, register
from sqljury.benchmarks.logprobs import Token, read_logprobs
from sqljury.benchmarks.mapping import parse_mapping
from sqljury.benchmarks.overlay import (
    Correction,
    Overlay,
    OverlayDecision,
    fingerprint_of,
    overlay_of,
    read_overlay,
    write_overlay,
)
from sqljury.benchmarks.pools import RecordedResult, recorded_result, recorded_verdict
from sqljury.benchmarks.prose import AS_WRITTEN, without_prose
from sqljury.benchmarks.read import Cases, read_cases
from sqljury.benchmarks.results import (
    read_labels,
    read_probabilities,
    read_reasons,
    read_results,
)
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
from sqljury.benchmarks.rows import cases_of_rows
from sqljury.benchmarks.shared_ids import check_shared_ids
from sqljury.benchmarks.signing import check_signatures, signed
from sqljury.benchmarks.trustsql import read_gate
from sqljury.benchmarks.write import write_cases

__all__ = [
    "AS_WRITTEN",
    "Cases",
    "Correction",
    "Format",
    "Options",
    "Overlay",
    "OverlayDecision",
    "ProverAnswer",
    "RecordedJudgement",
    "RecordedResult",
    "RecordedRun",
    "RefuterAnswer",
    "Source",
    "Token",
    "as_object",
    "cases_of_rows",
    "check_shared_ids",
    "check_signatures",
    "find_rose_outputs",
    "fingerprint",
    "fingerprint_of",
    "formats",
    "is_rose_output",
    "overlay_of",
    "parse_mapping",
    "read_cases",
    "read_decisions",
    "read_gate",
    "read_labels",
    "read_logprobs",
    "read_overlay",
    "read_probabilities",
    "read_reasons",
    "read_results",
    "read_rose_output",
    "recorded_result",
    "recorded_verdict",
    "recording_fingerprint",
    "register",
    "signed",
    "without_prose",
    "write_cases",
    "write_overlay",
    "write_rose_output",
]
