"""What a result means to its student and to the class; what of hidden cases may be shown."""
