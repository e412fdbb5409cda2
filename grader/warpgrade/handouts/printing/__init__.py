"""Pages as PDF, by headless Chromium, with references to numbers of pages."""
