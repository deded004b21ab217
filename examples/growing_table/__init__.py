"""A table of typed rows that grows in the terminal while the model writes it."""
