"""What instructors write: lab.toml, policies, reviews, files of questions; the lectures' arithmetic."""
