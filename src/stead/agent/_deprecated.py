"""Arguments of `Agent` under their old names: they still work, with a warning that names the new one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from typing_extensions import TypedDict

from .._kit.deprecated import warn_deprecated
from ._options import AGENT_OPTIONS, check_names


class LegacyArguments(TypedDict, total=False):
    """Old arguments of `Agent`."""

    output_retries: int
    """Now `retries={'output': ...}`."""
    tool_retries: int
    """Now `retries={'tools': ...}`."""
    history_processors: Sequence[Any]
    """Now the capability `ProcessHistory`."""
    builtin_tools: Sequence[Any]
    """Now the capability `NativeTool`."""
    prepare_tools: Callable[..., Any] | None
    """Now the capability `PrepareTools`."""
    prepare_output_tools: Callable[..., Any] | None
    """Now the capability `PrepareOutputTools`."""
    event_stream_handler: Any
    """Now the capability `ProcessEventStream`, or an argument of the run."""
    instrument: Any
    """Now the capability `Instrumentation`."""
    mcp_servers: Sequence[Any]
    """Now `toolsets`."""


@dataclass
class TakenArguments:
    """What old arguments came to."""

    retries: Any
    capabilities: list[Any] = field(default_factory=lambda: [])
    native_tools: list[Any] = field(default_factory=lambda: [])
    toolsets: list[Any] = field(default_factory=lambda: [])
    event_stream_handler: Any = None
    instrument: Any = None


_REPLACEMENTS = {
    'output_retries': "retries={'output': ...}",
    'tool_retries': "retries={'tools': ...}",
    'history_processors': 'capabilities=[ProcessHistory(...)]',
    'builtin_tools': 'capabilities=[NativeTool(...)]',
    'prepare_tools': 'capabilities=[PrepareTools(...)]',
    'prepare_output_tools': 'capabilities=[PrepareOutputTools(...)]',
    'event_stream_handler': 'capabilities=[ProcessEventStream(...)]',
    'instrument': 'capabilities=[Instrumentation(...)]',
    'mcp_servers': 'toolsets=[...]',
}


def take_legacy_arguments(arguments: dict[str, Any], retries: Any) -> TakenArguments:
    """Translate old arguments of `Agent`.

    Args:
        arguments: The keyword arguments that are no current ones.
        retries: The current argument of that name.

    Raises:
        UserError: An argument was never one.
    """
    if not arguments.keys() <= _REPLACEMENTS.keys():
        check_names('`Agent` has no argument', arguments.keys() - _REPLACEMENTS.keys(), AGENT_OPTIONS)
    taken = TakenArguments(retries)
    for name, value in arguments.items():
        warn_deprecated(f'`Agent({name}=...)` is an old name; use `{_REPLACEMENTS[name]}`.', stacklevel=4)
        if name == 'instrument':
            taken.instrument = value
        elif value is None or value is False:
            continue
        elif name in ('output_retries', 'tool_retries'):
            counts = {'tools': retries, 'output': retries} if isinstance(retries, int) else dict(taken.retries or {})
            counts[name.split('_')[0].replace('tool', 'tools') if name == 'tool_retries' else 'output'] = value
            taken.retries = counts
        elif name == 'builtin_tools':
            taken.native_tools = list(value)
        elif name == 'mcp_servers':
            taken.toolsets = list(value)
        elif name == 'event_stream_handler':
            taken.event_stream_handler = value
        else:
            taken.capabilities.extend(_capabilities_for(name, value))
    return taken


def _capabilities_for(name: str, value: Any) -> list[Any]:
    from .. import capabilities

    if name == 'history_processors':
        return [capabilities.ProcessHistory(processor) for processor in value]
    if name == 'prepare_tools':
        return [capabilities.PrepareTools(value)]
    return [capabilities.PrepareOutputTools(value)]
