"""Accesses outside an array: what led there, and the advice that follows."""
