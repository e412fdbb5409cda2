"""The command line. The only package that prints and that turns an error into an exit code."""
