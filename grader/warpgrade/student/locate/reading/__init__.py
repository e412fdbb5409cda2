"""A kernel's text as the search reads it: tokens, statements, expressions, names and calls."""
