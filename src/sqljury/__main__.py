"""``python -m sqljury``."""

from sqljury.cli import main

if __name__ == "__main__":
    main()
