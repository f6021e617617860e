"""Train: makes data from verdicts, and trains models on them that judge or generate."""
