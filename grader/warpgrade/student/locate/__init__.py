"""Mutation-based fault localisation: which small edit of a kernel makes its cases right?"""
