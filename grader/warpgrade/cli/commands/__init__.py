"""The commands, one folder for each section of the help. command_groups.py finds them."""
