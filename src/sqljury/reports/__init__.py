"""Reports: documents and records, and one renderer a file: terminal, page, export, markup."""
