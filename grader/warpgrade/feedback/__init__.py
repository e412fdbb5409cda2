"""What a result means to its student; what of hidden cases may be shown."""
