"""Threads: work in bounded numbers, repeated, watched, and its time by kind."""
