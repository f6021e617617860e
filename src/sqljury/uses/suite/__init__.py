"""Test suites built from a benchmark's own databases and references."""

from sqljury.uses.suite.build import SuiteOptions, SuiteReport, build_suites

__all__ = ["SuiteOptions", "SuiteReport", "build_suites"]
