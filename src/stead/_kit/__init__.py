"""Helpers that know no agent word: async bridging, ids, JSON schema, docstrings, lazy exports."""
