"""Tools of the interface beside those of the agent: they take the place of none, and let a run wait for no others."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any, cast

from .._calls.approvals import check_deferral
from .._kit.short import short_repr
from ..exceptions import UserError
from ..output import OutputSchema, OutputSpec
from ..run import AgentRunResultEvent
from ..tools import DeferredToolRequests
from ..toolsets import AbstractToolset, ExternalToolset, PrefixedToolset, RenamedToolset
from ._event_stream import NativeEvent


async def with_tools_of_the_interface(
    toolset: AbstractToolset[Any],
    others: Sequence[AbstractToolset[Any]],
    own: OutputSpec[Any],
    events: AsyncIterator[NativeEvent],
) -> AsyncIterator[NativeEvent]:
    """Yield the events of a run whose interface offers tools.

    Args:
        toolset: The tools of the interface.
        others: The toolsets of the agent.
        own: The type of the output without these tools: only their calls may end the run because of them.
        events: The events of the run, which begins when the first one is wanted.

    Raises:
        UserError: A tool has the name of one that the agent has, though it may not list it now; or calls of tools of the agent
            wait, and the output type of the agent does not allow that.
    """
    async with aclosing(cast('AsyncGenerator[NativeEvent, None]', events)):
        names = set(names_of([toolset]))
        if taken := sorted(names & set(names_of(others))):
            raise UserError(
                f'{toolset.label} have a tool {short_repr(taken[0], 80)}, and so has the agent. Rename it: a tool of the '
                'interface cannot take the place of one of the agent.'
            )
        async for event in events:
            output: object = event.result.output if isinstance(event, AgentRunResultEvent) else None
            if isinstance(output, DeferredToolRequests):
                calls = [call for call in output.calls if call.tool_name not in names]
                if calls or output.approvals:
                    instead = 'the `HandleDeferredToolCalls` capability to the agent'
                    check_deferral(replace(output, calls=calls), OutputSchema[Any].build(own), instead)
            yield event


def names_of(toolsets: Iterable[AbstractToolset[Any]]) -> Iterable[str]:
    """Yield the names that tools of toolsets can have, those of tools too that a step does not list, as far as they are known."""
    for toolset in toolsets:
        if isinstance(toolset, ExternalToolset):
            yield from (definition.name for definition in toolset.tool_defs)
        elif isinstance(wrapped := getattr(toolset, 'wrapped', None), AbstractToolset):
            inner: Iterable[str] = names_of([cast('AbstractToolset[Any]', wrapped)])
            if isinstance(toolset, PrefixedToolset):
                yield from (f'{toolset.prefix}_{name}' for name in inner)
            elif isinstance(toolset, RenamedToolset):
                new = {old: name for name, old in toolset.name_map.items()}
                yield from (new.get(name, name) for name in inner)
            else:
                yield from inner
        elif isinstance(several := getattr(toolset, 'toolsets', None), (list, tuple)):
            yield from names_of(cast('Sequence[AbstractToolset[Any]]', several))
        elif isinstance(tools := getattr(toolset, 'tools', None), dict):
            yield from map(str, cast('dict[object, object]', tools))
