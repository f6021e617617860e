"""How similar two queries are: partial matches, graphs, differences in words."""
