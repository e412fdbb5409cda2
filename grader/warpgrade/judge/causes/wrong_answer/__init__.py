"""Causes of a wrong answer that its pattern does not show."""
