"""What instructors write: lab.toml, the markers in a solution, the arithmetic of the lectures."""
