"""From a download or folder to one lab's files of each student. Hostile archives end here."""
