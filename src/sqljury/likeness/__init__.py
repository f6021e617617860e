"""How far two queries are alike: partial matches, graphs, differences in words."""
