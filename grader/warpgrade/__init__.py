"""Warpgrade: CUDA labs that grade themselves."""
