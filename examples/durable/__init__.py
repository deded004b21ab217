"""The support desk on Temporal and on DBOS: its worker is killed while it refunds an order, and replaced."""
