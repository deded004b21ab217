"""Tools of a loaded capability that are missing from the history are announced: all of them, or those that came since."""

from _disclosure import LOCAL, capability, history, model, run, show
from pydantic_ai import Agent
from pydantic_ai.messages import (
    LoadCapabilityCallPart,
    LoadCapabilityReturnPart,
    TextPart,
    ToolSearchCallPart,
    ToolSearchReturnPart,
)

loading = [
    'x',
    [LoadCapabilityCallPart(args={'id': 'a'}, tool_call_id='1')],
    (LoadCapabilityReturnPart(content={}, tool_call_id='1'),),
]
content = {'discovered_tools': [{'name': 'one', 'description': None}]}
announced = [
    [ToolSearchCallPart(args={'queries': ['a']}, tool_call_id='2')],
    (ToolSearchReturnPart(content=content, tool_call_id='2'),),
]
for past in (history(*loading, [TextPart('t')]), history(*loading, *announced, [TextPart('t')])):
    result = run(
        Agent(model(**LOCAL), capabilities=[capability('a', 'three', 'one', 'two')]), 'more', message_history=past
    )
    show('new', len(result.new_messages()))
