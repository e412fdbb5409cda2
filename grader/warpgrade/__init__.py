"""Warpgrade: CUDA labs that grade themselves, with a GPU or without one."""

VERSION = "1.0"
