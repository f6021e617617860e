"""How much two queries have in common, by their trees and by their tokens. Pure functions."""
