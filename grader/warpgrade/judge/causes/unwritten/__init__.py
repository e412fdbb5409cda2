"""Reads of what nobody has written: who should have, and the advice that follows."""
