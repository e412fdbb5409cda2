"""Small edits of a kernel's text, one module for each kind, and all of them in the order of trial."""
