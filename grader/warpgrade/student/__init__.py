"""What students use beside `check`: hints, explanations, predictions, handing in, progress, editor set-up."""
