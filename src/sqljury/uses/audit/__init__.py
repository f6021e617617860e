"""Judge a benchmark itself: are its references right?"""

from sqljury.uses.audit.audit import Audit, AuditFinding, audit_of, references_of

__all__ = ["Audit", "AuditFinding", "audit_of", "references_of"]
