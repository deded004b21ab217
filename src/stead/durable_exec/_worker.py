"""What a worker does with the steps of an agent that are sent to it: the same work, from data alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, cast

from pydantic_core import from_json

from .._contracts.call_policy import CallPolicy
from ..agent import AbstractAgent
from ..exceptions import UserError
from ..models import Model, infer_model
from ..providers import Provider
from ..toolsets import FunctionToolset
from . import _steps as steps
from ._capability import show_event
from ._engine import AnyContext, AnyTool, AnyToolset

ProviderFactory = Callable[[AnyContext, str], Provider[Any]]
"""Returns the provider of a model that a run names, for the run context and the name of the provider."""


@dataclass
class AgentParts:
    """The parts of an agent that its steps need."""

    agent: AbstractAgent[Any, Any]
    """The agent."""
    models: Mapping[str, Model]
    """Its models, by what they are known by."""
    leaves: Mapping[str, AnyToolset]
    """Its toolsets by id."""
    handler: Any = None
    """Its handler of events."""
    provider_factory: ProviderFactory | None = None
    """Makes providers for models that are only known by name."""

    async def perform(
        self, kind: str, toolset: str | None, messages: list[bytes], values: Mapping[str, bytes], ctx: AnyContext
    ) -> bytes:
        """Do the work of a step, and return its outcome as JSON.

        Args:
            kind: What the step does.
            toolset: The id of the toolset, for steps of toolsets.
            messages: The messages of a request as JSON.
            values: The other arguments as JSON.
            ctx: The run context.

        Raises:
            Exception: What a model or a tool raised.
        """
        if kind == 'event_stream_handler':
            return await show_event(self.handler, ctx, steps.stream_events.validate_json(values['event']))
        if toolset is None:
            return await self._ask_model(kind, messages, values, ctx)
        leaf = self.leaves[toolset]
        if kind == 'reconcile':
            return await steps.reconcile(await self._policy(leaf, ctx), from_json(values['args']), ctx)
        async with steps.opened(leaf, ctx) as opened:
            if kind == 'get_tools':
                return await steps.list_tools(opened, ctx)
            if kind == 'get_instructions':
                return await steps.list_instructions(opened, ctx)
            return await self._call(opened, values, ctx)

    async def _ask_model(self, kind: str, messages: list[bytes], values: Mapping[str, bytes], ctx: AnyContext) -> bytes:
        model = self._model(from_json(values['model']), ctx)
        args = (
            steps.messages_from(messages),
            from_json(values['settings']),
            steps.parameters.validate_json(values['parameters']),
        )
        if kind == 'count_tokens':
            return await steps.count_tokens(model, *args)
        if kind == 'model_request_stream':
            return await steps.request_stream(model, *args, ctx, self.handler)
        return await steps.request(model, *args)

    def _model(self, key: str, ctx: AnyContext) -> Model:
        if key in self.models:
            return self.models[key]
        make = self.provider_factory
        return infer_model(key, None if make is None else lambda provider: make(ctx, provider))

    async def _policy(self, leaf: AnyToolset, ctx: AnyContext) -> CallPolicy | None:
        """Return the policy of the tool that a call is of, with what the wrappers around its toolset add."""
        for toolset in self.agent.toolsets:
            inside: list[AnyToolset] = []
            toolset.apply(inside.append)
            if any(one is leaf for one in inside):
                tool = (await toolset.get_tools(ctx)).get(ctx.tool_name or '')
                if tool is not None:
                    return tool.policy
        return None

    async def _call(self, toolset: AnyToolset, values: Mapping[str, bytes], ctx: AnyContext) -> bytes:
        name, args = from_json(values['name']), from_json(values['args'])
        tool = await self._tool(toolset, name, ctx)
        if tool is None:
            raise UserError(
                f'{toolset.label} has no tool {name!r} here. Start the worker with the agent that the run has.'
            )
        valid = steps.validated(tool, args, ctx)
        if isinstance(valid, bytes):
            return valid
        return await steps.call_tool(toolset, name, valid, ctx, tool, values['keep_errors'] == b'true')

    async def _tool(self, toolset: AnyToolset, name: str, ctx: AnyContext) -> AnyTool | None:
        """Return a tool; functions are listed without their `prepare`, which has run where the run is."""
        if isinstance(toolset, FunctionToolset):
            functions = cast('FunctionToolset[Any]', toolset)
            if name in functions.tools:
                return (await _alone(functions, name).get_tools(ctx)).get(name)
        return (await toolset.get_tools(ctx)).get(name)


def _alone(toolset: FunctionToolset[Any], name: str) -> FunctionToolset[Any]:
    """Return a toolset with one of the functions of another, which is listed as it is."""
    alone, tool = copy(toolset), copy(toolset.tools[name])
    tool.prepare = None
    alone.tools = {name: tool}
    return alone
