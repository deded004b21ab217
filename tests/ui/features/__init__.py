"""What each protocol of user interfaces can do, found out by asking: the rows of the table in the documentation."""
