"""Responses while they come in: the events of a stream, the parts they build, and what vendors' streams share."""
