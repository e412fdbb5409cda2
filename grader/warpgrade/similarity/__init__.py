"""Which hand-ins are too much alike: fingerprints of PTX and source, pairs, clusters, a page."""
