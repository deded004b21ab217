"""Agents as data: specs in YAML and JSON, their schema, and templates over dependencies."""
