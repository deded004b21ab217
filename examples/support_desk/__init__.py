"""A support desk: an agent that answers questions about orders in a database, and changes them."""
