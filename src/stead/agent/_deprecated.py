"""Old arguments of `Agent`: they still work, with a warning that names the replacement."""

from __future__ import annotations

from typing import Any

from .. import capabilities as all_capabilities
from .._contracts.capability import AbstractCapability
from .._kit import deprecated
from .._kit.deprecated import warn_deprecated
from ..exceptions import PydanticAIDeprecationWarning
from . import _rare_options as rare
from ._checks import check_names, check_old_values

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


def translate_legacy_arguments(options: dict[str, Any], legacy: dict[str, Any]) -> None:
    """Translate old arguments of `Agent` to current ones, in place, with a warning about each.

    Args:
        options: The current arguments, all of them. `event_stream_handler` and `instrument` are added where they are set.
        legacy: The keyword arguments that are not parameters of `Agent`.

    Raises:
        UserError: There is no such argument, or one has a wrong value.
    """
    if unknown := legacy.keys() - (_REPLACEMENTS if deprecated.OLD_NAMES_WORK else ()):
        check_names('`Agent` has no argument', unknown, rare.AGENT_OPTIONS)
    check_old_values(legacy)
    for name, value in legacy.items():
        if name == 'mcp_servers' and not value:
            continue  # an empty list is what programs pass that have no servers
        category = DeprecationWarning if name == 'mcp_servers' else PydanticAIDeprecationWarning
        warn_deprecated(f'`Agent({name}=...)` is an old name; use `{_REPLACEMENTS[name]}`.', category, stacklevel=4)
        if name == 'instrument':
            options['instrument'] = value
        elif value is None or value is False:
            continue
        elif name in ('output_retries', 'tool_retries'):
            # A number for both is split, so that the old argument replaces only its half of it.
            both = options['retries']
            counts = {'tools': both, 'output': both} if isinstance(both, int) else (both or {})
            options['retries'] = {**counts, 'tools' if name == 'tool_retries' else 'output': value}
        elif name == 'mcp_servers':
            options['toolsets'] = [*(options['toolsets'] or ()), *value]
        elif name == 'event_stream_handler':
            options['event_stream_handler'] = value
        else:
            options['capabilities'] = [*(options['capabilities'] or ()), *_capabilities_for(name, value)]


def _capabilities_for(name: str, value: Any) -> list[AbstractCapability[Any]]:
    if name == 'history_processors':
        return [all_capabilities.ProcessHistory(processor) for processor in value]
    if name == 'builtin_tools':
        return [all_capabilities.NativeTool(tool) for tool in value]
    if name == 'prepare_tools':
        return [all_capabilities.PrepareTools(value)]
    return [all_capabilities.PrepareOutputTools(value)]
