"""Test suites built from a benchmark's own databases and references."""

from sqljury.uses.suite.build import SuiteReport, build_suites

__all__ = ["SuiteReport", "build_suites"]
