"""Models behind OpenRouter, for its cases."""

from __future__ import annotations

OPUS, GEMINI = 'anthropic/claude-opus-4.5', 'google/gemini-2.5-pro'
