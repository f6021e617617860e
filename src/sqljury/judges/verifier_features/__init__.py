"""What the embedded verifier looks at: a question, a schema, a query, its rows, as numbers."""

from sqljury.judges.verifier_features.observer import Observer

__all__ = ["Observer"]
