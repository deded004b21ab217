"""Streamed responses: their events, the parts that events build, and the base classes of vendors' streams."""
