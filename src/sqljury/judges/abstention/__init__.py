"""Judges that say whether to answer: before there is SQL, or with it. They ask for no reference."""
