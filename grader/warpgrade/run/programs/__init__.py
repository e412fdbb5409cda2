"""Programs of students: their cases, runs, records of calls, and what these say."""
