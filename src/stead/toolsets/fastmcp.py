"""What tools of servers behind a FastMCP client return, and what is done when they fail."""

from __future__ import annotations

from typing import Any, Literal, Union

from typing_extensions import TypeAlias

from ..messages import BinaryContent

FastMCPToolResult: TypeAlias = Union[BinaryContent, dict[str, Any], str, None]
"""What a call comes to."""
ToolErrorBehavior: TypeAlias = Literal['model_retry', 'error']
"""What an error of a tool leads to: another try of the model, or an exception."""
UNKNOWN_BINARY_MEDIA_TYPE = 'application/octet-stream'
"""The media type of binary content that a server does not name."""

__all__ = ('UNKNOWN_BINARY_MEDIA_TYPE', 'FastMCPToolResult', 'ToolErrorBehavior')
