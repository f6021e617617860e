"""When two queries are equal: canonical trees, the rules that make them, proofs of the rest."""
