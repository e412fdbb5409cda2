"""Headers of nvcc, cut to what a submission uses."""
