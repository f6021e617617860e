"""Training of a sequence-to-sequence model that writes SQL."""
