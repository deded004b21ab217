"""Deferred tools and capabilities, which the model sees only when it needs them: how they are searched and loaded."""
