"""Errors for users, as they cross the border between processes."""

from __future__ import annotations

from dataclasses import dataclass

from sqljury.errors import InfrastructureError, InputError, SqljuryError


@dataclass(frozen=True, slots=True)
class SentError:
    """A :class:`SqljuryError` as data."""

    is_infrastructure: bool
    code: str
    message: str
    where: str
    hint: str

    @classmethod
    def of(cls, error: SqljuryError) -> SentError:
        """What an error says."""
        infrastructure = isinstance(error, InfrastructureError)
        return cls(infrastructure, error.code, error.message, error.where, error.hint)

    def error(self) -> SqljuryError:
        """The error, to be raised where the user is."""
        kind = InfrastructureError if self.is_infrastructure else InputError
        return kind(self.code, self.message, where=self.where, hint=self.hint)
