"""Settings of local models."""

from __future__ import annotations

from ...settings import ModelSettings


class LlamaCppModelSettings(ModelSettings, total=False):
    """Settings of requests to local models.

    Bounds hold where a schema has none of its own: a decoder that may go on for ever sometimes does.
    """

    llamacpp_max_string: int
    """The most characters of a string in arguments and outputs; 512 by default. Plain answers may have four times as many."""
    llamacpp_max_items: int
    """The most items of an array or keys of a mapping; 8 by default, and fewer for arrays inside of arrays."""
    llamacpp_max_calls: int
    """The most calls in a response when the setting `parallel_tool_calls` is true; 4 by default."""
    llamacpp_repeat_penalty: float
    """How much less likely what was just said becomes; 1 for not at all, which is the default."""
    llamacpp_cache_prompt: bool
    """Whether what the decoder knows of the last prompts is used again; true by default."""


__all__ = ('LlamaCppModelSettings',)
