"""Which parts of a history count as loading: typed calls with typed returns of the same id."""

from _disclosure import LOCAL, capability, history, model, show
from pydantic_ai import Agent
from pydantic_ai.messages import (
    LoadCapabilityCallPart,
    LoadCapabilityReturnPart,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)


def typed(name, call_id):
    return LoadCapabilityCallPart(args={'id': name}, tool_call_id=call_id)


def answer(call_id):
    return LoadCapabilityReturnPart(content={'instructions': 'x'}, tool_call_id=call_id)


plain = ToolCallPart('load_capability', {'id': 'a'}, tool_call_id='1')
pasts = {
    'typed': history('x', [typed('a', '1')], (answer('1'),), [TextPart('t')]),
    'text of arguments': history(
        'x', [LoadCapabilityCallPart(args='{"id": "b"}', tool_call_id='1')], (answer('1'),), [TextPart('t')]
    ),
    'one of two': history(
        'x',
        [typed('a', '1'), typed('b', '2')],
        (answer('2'), RetryPromptPart('no', tool_name='load_capability', tool_call_id='1')),
        [TextPart('t')],
    ),
    'plain call': history('x', [plain], (answer('1'),), [TextPart('t')]),
    'plain return': history(
        'x',
        [typed('a', '1')],
        (ToolReturnPart('load_capability', {'instructions': 'x'}, tool_call_id='1'),),
        [TextPart('t')],
    ),
    'another id': history('x', [typed('a', '1')], (answer('2'),), [TextPart('t')]),
    'unknown': history('x', [typed('zz', '1')], (answer('1'),), [TextPart('t')]),
}
for label, past in pasts.items():
    show(label)
    Agent(model(**LOCAL), capabilities=[capability('a', 'one'), capability('b', 'two')]).run_sync(
        'more', message_history=past
    )
