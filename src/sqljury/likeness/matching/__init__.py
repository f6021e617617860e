"""How similar two queries are by their trees and by their tokens. Pure functions."""
