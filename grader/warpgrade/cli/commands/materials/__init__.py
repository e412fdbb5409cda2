"""Writing a course, its labs and handouts: one file for each command, one folder for each group of them."""

SECTION = "Writing a course"
POSITION = 3
