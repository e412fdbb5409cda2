"""The commands of the command line: one file each, found by listing this folder."""
