"""Datasets, the harness process, traces and compute-sanitizer: from a build to a `Run`."""
