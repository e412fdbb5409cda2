"""Results for other programs: gradebook, results.json, learning management systems, JUnit."""
