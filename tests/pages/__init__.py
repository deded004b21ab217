"""Tests of what `make docs` makes, and of the README on an index page."""
