"""Read first: the interfaces and records that agents, tools, toolsets, models and capabilities share; no behaviour."""
