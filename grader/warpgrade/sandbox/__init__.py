"""Start a process, boxed in and within limits. The only package that starts processes."""
