"""Labs of questions: draw a student's values, compute the key, mark a TOML file of answers."""
