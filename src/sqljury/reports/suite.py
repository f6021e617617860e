"""What building test suites found, in lines."""

from __future__ import annotations

from collections.abc import Sequence

from sqljury.uses.suite import SuiteReport


def report_text(report: SuiteReport) -> str:
    """One suite in a line."""
    if report.failure:
        return f"{report.db_id}: none: {report.failure}"
    left_out = f", {len(report.left_out)} references left out" if report.left_out else ""
    there = ", there already" if report.resumed else ""
    return (
        f"{report.db_id}: {len(report.databases)} of {report.tried} databases tell "
        f"{report.told_apart:,} of {report.neighbours:,} neighbours of {report.references} "
        f"references apart (the original alone {report.by_original:,}){left_out}{there}"
    )


def total_text(reports: Sequence[SuiteReport]) -> str:
    """All suites in a line."""
    built = [report for report in reports if not report.failure]
    return (
        f"{len(built)} suites with {sum(len(r.databases) for r in built):,} databases tell "
        f"{sum(r.told_apart for r in built):,} of {sum(r.neighbours for r in built):,} "
        f"neighbours apart; the originals alone {sum(r.by_original for r in built):,}"
    )
