"""What the alias adds to the modules of stead: homes of names, private modules, and the few things that only extensions use."""
