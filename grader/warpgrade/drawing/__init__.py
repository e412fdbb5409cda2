"""Drawings as SVG, each with a table that says the same."""
