"""The support desk on Temporal and on DBOS: its worker is killed while it pays an order back, and replaced."""
