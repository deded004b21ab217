"""How a run looks as text: a tree of what happened in it, printed plainly or with the package rich, and what it cost."""
