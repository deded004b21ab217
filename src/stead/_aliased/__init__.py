"""Additions of the alias to the modules of stead: homes of names, private modules, and a few names that only extensions use."""
