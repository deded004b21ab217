"""The tests of stead."""
