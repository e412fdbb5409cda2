"""The cause of a finding or of a wrong answer, and the advice that follows: one module for each kind."""
