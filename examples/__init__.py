"""Examples that run without a key: `python -m examples.support_desk`."""
