"""Two accesses to one place with nothing between them: what the two sides do, and the advice that follows."""
