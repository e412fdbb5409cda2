"""A session's tools and references; a class over cores; resuming and regrading."""
