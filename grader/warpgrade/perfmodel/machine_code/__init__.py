"""What warps executed of machine code: how often each part of it, how much in all, in which order."""
