"""The agent loop: three nodes, tool batches, outputs, history, streaming, and how a run finishes."""
