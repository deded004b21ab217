"""Tests of the messages room."""
