"""Templates to Markdown, HTML and PDF."""
