"""What the capabilities that shorten a conversation share: pins, sizes, the past that is left out, and `recall`."""

from __future__ import annotations

from functools import cache
from typing import Any

from ..._contracts.capability import AbstractCapability


@cache
def shortenings() -> tuple[type[AbstractCapability[Any]], ...]:
    """Return the capabilities that shorten a conversation, in the order in which they see a request."""
    from ..keep_last import KeepLast
    from ..offload_tool_results import OffloadToolResults
    from ..summarise import Summarise
    from ..truncate_tool_results import TruncateToolResults

    return (TruncateToolResults, OffloadToolResults, Summarise, KeepLast)
