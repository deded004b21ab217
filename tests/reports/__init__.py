"""What people reported of libraries of this kind, each a test that says what should hold."""
