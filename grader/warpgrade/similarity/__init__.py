"""Which hand-ins are alike: fingerprints of source and PTX, an index, pairs and clusters."""
