"""What course staff use: release, new lab, calibration, mutation testing, prediction."""
