"""Refunds that a person approves in the terminal: see `__main__.py`."""
