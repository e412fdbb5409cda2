"""Warpgrade: CUDA labs that grade themselves, with a GPU or without one."""
