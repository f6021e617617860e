"""Rules about queries inside expressions, set operations and extremes."""
