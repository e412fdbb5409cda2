"""Times that a GPU measures, and how far they can be trusted: one file for each command."""

SECTION = "Timing on a GPU"
POSITION = 4
