"""A shop that three front ends talk to, each in its own protocol: `python -m examples.front_ends`."""
