"""What a launch costs L1, L2, device memory and the data pipe, and how long a load takes."""
