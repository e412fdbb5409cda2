"""What instructors write: lab.toml, a solution's markers and planted bugs, the lectures' arithmetic."""
