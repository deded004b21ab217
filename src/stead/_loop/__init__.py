"""The agent loop: three nodes, what a response leads to, history, streaming, and how a run finishes."""
