"""Rewrite rules that give equal queries equal trees; one file for each clause."""
