"""What students use: one file for each command."""

SECTION = "Labs"
POSITION = 1
