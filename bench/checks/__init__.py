"""What benchmarks and tests both need: public queries, small databases, rows that must agree."""
