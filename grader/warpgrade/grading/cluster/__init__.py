"""A class on a cluster that Slurm manages: what is submitted, what a task does, what its results say."""
