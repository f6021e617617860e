"""Readers and writers of real text-to-SQL files."""

from typing import TYPE_CHECKING

from sqljury.benchmarks.formats import Format, Options, formats, register, write_cases
from sqljury.rooms import lazily

if TYPE_CHECKING:
    from sqljury.benchmarks.fields import as_object
    from sqljury.benchmarks.files import Source, fingerprint
    from sqljury.benchmarks.names import parse_mapping
    from sqljury.benchmarks.overlay import (
        Correction,
        Overlay,
        OverlayDecision,
        check_signatures,
        fingerprint_of,
        overlay_of,
        read_overlay,
        signed,
        write_overlay,
    )
    from sqljury.benchmarks.pools import RecordedResult, recorded_result, recorded_verdict
    from sqljury.benchmarks.read import (
        AS_WRITTEN,
        Cases,
        cases_of_rows,
        check_shared_ids,
        read_cases,
        without_prose,
    )
    from sqljury.benchmarks.results import (
        Token,
        read_decisions,
        read_gate,
        read_labels,
        read_logprobs,
        read_probabilities,
        read_reasons,
        read_results,
    )
    from sqljury.benchmarks.rose_recordings import (
        ProverAnswer,
        RecordedJudgement,
        RecordedRun,
        RefuterAnswer,
        find_rose_outputs,
        is_rose_output,
        read_rose_output,
        recording_fingerprint,
        write_rose_output,
    )
else:
    __getattr__ = lazily(__name__)

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
