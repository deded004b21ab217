"""The interface of toolsets, at its public path."""

from __future__ import annotations

from .._contracts.toolset import AbstractToolset, SchemaValidatorProt, ToolsetTool

__all__ = ('AbstractToolset', 'SchemaValidatorProt', 'ToolsetTool')
