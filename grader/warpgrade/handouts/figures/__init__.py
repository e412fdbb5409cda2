"""Figures that need a run or a measurement, and files of all figures."""
