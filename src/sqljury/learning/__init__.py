"""Learning: models that are trained, kept in files, and score plain values. Knows no judge.

Training needs ``sqljury[learning]``; scoring with what is here needs the core only.
"""
