"""Cases recorded with the reference implementation."""
