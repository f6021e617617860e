"""Uses of verdicts, one room each: what it works out, and its document."""
