"""Capabilities that shorten what is sent of a conversation."""
