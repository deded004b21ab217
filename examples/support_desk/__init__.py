"""A support desk: an agent that looks up, changes and explains orders in a database. Start reading at `desk.py`."""
