"""Equality of queries: canonical trees, the rewrite rules that make them, and proofs with z3."""
