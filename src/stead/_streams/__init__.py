"""One response of a model as it comes in, up to its end."""
