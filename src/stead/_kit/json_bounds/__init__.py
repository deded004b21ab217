"""JSON schemas that bound every value they allow, and grammars that hold a decoder to them."""
