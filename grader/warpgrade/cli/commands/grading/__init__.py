"""Grading a class: one file for each command, one folder for each group of commands."""

SECTION = "Grading a class"
POSITION = 2
