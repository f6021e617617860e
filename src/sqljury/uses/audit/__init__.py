"""Audit: finds wrong references in a benchmark."""

from sqljury.uses.audit.audit import Audit, AuditFinding, audit_of, references_of

__all__ = ["Audit", "AuditFinding", "audit_of", "references_of"]
