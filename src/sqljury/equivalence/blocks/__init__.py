"""Tools shared by rules: joins as blocks, properties of expressions, selections, value sets."""
