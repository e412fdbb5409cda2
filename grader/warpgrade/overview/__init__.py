"""What results mean to the staff: a class at a glance, common failures, changes, leaderboards."""
