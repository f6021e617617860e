"""Judges that decide whether to answer or abstain, from the question or its SQL; no reference."""
