"""What students use beside `check`: hints, explanations, handing in, progress, editor set-up."""
