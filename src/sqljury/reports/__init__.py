"""Reports: the document model and its renderers, a file each: terminal, page, export, markup."""
