"""Discovered tools are known from a history: typed returns, native ones, and those of tools that are gone."""

from _disclosure import LOCAL, function, history, model, show
from pydantic_ai import Agent
from pydantic_ai.messages import (
    NativeToolSearchCallPart,
    NativeToolSearchReturnPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    ToolSearchCallPart,
    ToolSearchReturnPart,
)


def discovered(*names):
    return {'discovered_tools': [{'name': name, 'description': None} for name in names]}


search = ToolSearchCallPart(args={'queries': ['q']}, tool_call_id='1')
pasts = {
    'typed': history(
        'x',
        [search],
        (ToolSearchReturnPart(content=discovered('one', 'gone', 'plain'), tool_call_id='1'),),
        [TextPart('t')],
    ),
    'native': history(
        'x',
        [
            NativeToolSearchCallPart(args={'queries': ['q']}, tool_call_id='1'),
            NativeToolSearchReturnPart(content=discovered('two'), tool_call_id='1'),
            TextPart('t'),
        ],
    ),
    'plain': history(
        'x',
        [ToolCallPart('search_tools', {'queries': ['q']}, tool_call_id='1')],
        (ToolReturnPart('search_tools', discovered('one'), tool_call_id='1'),),
        [TextPart('t')],
    ),
    'none': history('x', [TextPart('t')]),
}
for label, past in pasts.items():
    for options in ({}, LOCAL):
        show(label)
        Agent(
            model(**options),
            tools=[function('one', defer_loading=True), function('two', defer_loading=True), function('plain')],
        ).run_sync('more', message_history=past)
