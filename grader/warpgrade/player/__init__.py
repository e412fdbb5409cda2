"""One recorded block as a page to step through, or in words."""
