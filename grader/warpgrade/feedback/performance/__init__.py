"""What a student reads about times: roofline, rates, and the lines that the time goes to."""
