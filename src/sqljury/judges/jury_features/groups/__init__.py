"""Groups of features, one a file: found by the registry."""
