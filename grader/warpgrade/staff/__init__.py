"""What course staff use: release, new lab, calibration, the performance ladder, mutation testing."""
