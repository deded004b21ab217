"""How runs look as text."""
