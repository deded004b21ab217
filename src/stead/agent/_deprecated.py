"""Old arguments of `Agent`: they still work, with a warning that names the replacement."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .._contracts.capability import AbstractCapability
from .._kit.deprecated import warn_deprecated
from ..exceptions import PydanticAIDeprecationWarning
from ..toolsets import AbstractToolset
from . import _rare_options as rare, _tracing as tracing
from ._checks import check_old_values
from ._options import AgentRetries, EventStreamHandler, check_names


@dataclass
class TranslatedArguments:
    """The current arguments and attributes of an agent that old arguments stand for."""

    retries: int | AgentRetries | None
    capabilities: list[AbstractCapability[Any]] = field(default_factory=lambda: [])
    toolsets: list[AbstractToolset[Any]] = field(default_factory=lambda: [])
    event_stream_handler: EventStreamHandler[Any] | None = None
    instrument: tracing.InstrumentationSettings | bool | None = None


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


def translate_legacy_arguments(arguments: dict[str, Any], retries: int | AgentRetries | None) -> TranslatedArguments:
    """Translate old arguments of `Agent`, with a warning about each.

    Args:
        arguments: The keyword arguments that are not parameters of `Agent`.
        retries: The argument `retries`, which some old arguments are merged into.

    Raises:
        UserError: There is no such argument, or one has a wrong value.
    """
    if not arguments.keys() <= _REPLACEMENTS.keys():
        check_names('`Agent` has no argument', arguments.keys() - _REPLACEMENTS.keys(), rare.AGENT_OPTIONS)
    check_old_values(arguments)
    translated = TranslatedArguments(retries)
    for name, value in arguments.items():
        if name == 'mcp_servers' and not value:
            continue  # an empty list is what programs pass that have no servers
        category = DeprecationWarning if name == 'mcp_servers' else PydanticAIDeprecationWarning
        warn_deprecated(f'`Agent({name}=...)` is an old name; use `{_REPLACEMENTS[name]}`.', category, stacklevel=4)
        if name == 'instrument':
            translated.instrument = value
        elif value is None or value is False:
            continue
        elif name in ('output_retries', 'tool_retries'):
            # A number for both is split, so that the old argument replaces only its half of it.
            both = translated.retries
            counts: AgentRetries = {'tools': both, 'output': both} if isinstance(both, int) else {**(both or {})}
            counts['tools' if name == 'tool_retries' else 'output'] = value
            translated.retries = counts
        elif name == 'mcp_servers':
            translated.toolsets = list(value)
        elif name == 'event_stream_handler':
            translated.event_stream_handler = value
        else:
            translated.capabilities.extend(_capabilities_for(name, value))
    return translated


def _capabilities_for(name: str, value: Any) -> list[AbstractCapability[Any]]:
    from .. import capabilities

    if name == 'history_processors':
        return [capabilities.ProcessHistory(processor) for processor in value]
    if name == 'builtin_tools':
        return [capabilities.NativeTool(tool) for tool in value]
    if name == 'prepare_tools':
        return [capabilities.PrepareTools(value)]
    return [capabilities.PrepareOutputTools(value)]
