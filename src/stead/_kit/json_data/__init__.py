"""Data for JSON schemas: generated from a schema, and checked against one."""
