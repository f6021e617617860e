"""Rules of expressions and conditions."""
