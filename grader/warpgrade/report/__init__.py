"""Results as HTML pages and on the terminal."""
