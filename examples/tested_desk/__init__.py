"""The support desk, tested in every way that `stead.testing` has: `pytest examples/tested_desk`."""
