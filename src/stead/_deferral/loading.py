"""The tool `load_capability`, and settings and native tools that take effect when it is called."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from .._contracts.call_policy import CallPolicy
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import ToolsetTool
from ..exceptions import UserError
from ..messages import LOAD_CAPABILITY, LoadCapabilityArgs
from ..native_tools import AbstractNativeTool
from ..settings import ModelSettings
from ..tools import AgentNativeTool, NativeToolFunc
from ..toolsets import Listing, WrapperToolset
from .catalog import DeferredCapabilities

_TOOL_DESCRIPTION = 'Load a capability to access its full instructions and tools.'
_SCHEMA = {
    'description': 'Typed arguments for a `load_capability` tool call.',
    'properties': {'id': {'description': 'The id of the capability to load.', 'title': 'Id', 'type': 'string'}},
    'required': ['id'],
    'title': 'LoadCapabilityArgs',
    'type': 'object',
}


@cache
def _validator() -> Any:
    # See `_validator` in `search`.
    return TypeAdapter(LoadCapabilityArgs).validator


@dataclass(kw_only=True)
class _LoadTool(ToolsetTool[AgentDepsT]):
    """The tool that loads capabilities."""

    plain_copies = True


@dataclass
class CapabilityLoaderToolset(WrapperToolset[AgentDepsT]):
    """The tools of another toolset, preceded by the tool that loads deferred capabilities."""

    deferred: DeferredCapabilities
    """The deferred capabilities."""

    def map_tools(self, listing: Listing[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools of the wrapped toolset and the tool that loads capabilities.

        Raises:
            UserError: Another tool is named `load_capability`.
        """
        tools = listing.tools
        if (other := tools.get(LOAD_CAPABILITY)) is not None:
            raise UserError(
                f'The tool name {LOAD_CAPABILITY!r} is reserved while there are deferred capabilities, but '
                f'{other.toolset.label} has a tool of that name. Rename it.'
            )
        definition = ToolDefinition(
            name=LOAD_CAPABILITY,
            description=_TOOL_DESCRIPTION,
            parameters_json_schema=_SCHEMA,
            tool_kind='capability-load',
        )
        load = _LoadTool(
            toolset=self,
            tool_def=definition,
            max_retries=1,
            args_validator=_validator(),
            policy=CallPolicy(effect='read'),
        )
        return {LOAD_CAPABILITY: load, **tools}

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Load a capability, or call the tool of the wrapped toolset.

        Raises:
            ModelRetry: There is no such capability, or it is already available.
        """
        if isinstance(tool, _LoadTool):
            return await self.deferred.load(tool_args['id'], ctx)
        return await self.wrapped.call_tool(name, tool_args, ctx, tool)


def deferred_settings(
    layer: ModelSettings | Callable[[RunContext[AgentDepsT]], ModelSettings | None], name: str
) -> Callable[[RunContext[AgentDepsT]], ModelSettings | None]:
    """Return a layer of model settings that is empty until a capability is loaded."""

    def evaluate(ctx: RunContext[AgentDepsT]) -> ModelSettings | None:
        if name not in ctx.loaded_capability_ids:
            return None
        return layer(ctx) if callable(layer) else layer

    return evaluate


def deferred_native_tool(tool: AgentNativeTool[AgentDepsT], name: str) -> NativeToolFunc[AgentDepsT]:
    """Return a function that returns a native tool, or `None` until a capability is loaded."""

    def evaluate(
        ctx: RunContext[AgentDepsT],
    ) -> AbstractNativeTool | None | Awaitable[AbstractNativeTool | None]:
        if name not in ctx.loaded_capability_ids:
            return None
        return tool(ctx) if callable(tool) else tool

    return evaluate
