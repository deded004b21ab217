"""`stead.testing`: scripts, assertions and faults."""
