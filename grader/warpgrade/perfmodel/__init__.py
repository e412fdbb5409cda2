"""From counters and SASS to modelled time, what bounds it, and what would help."""
