"""What course staff use: one file for each command, one folder for each group of commands."""

SECTION = "Course staff"
