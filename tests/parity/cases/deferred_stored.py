"""A conversation that continues in another process: nothing passes but JSON."""

from _common import call, run
from _deferred import agent_of, external, need
from pydantic import TypeAdapter
from pydantic_ai import DeferredToolRequests, DeferredToolResults
from pydantic_ai.messages import ModelMessagesTypeAdapter, TextPart

STEPS = [
    [call('need', {'x': 1}), call('ask', {'q': 'é'}), call('ok', {})],
    [call('need', {'x': 2}, 'second')],
    [TextPart('done')],
]


def build():
    agent = need(agent_of(*STEPS, toolsets=[external('ask')]))

    @agent.tool_plain
    def ok():
        return {'fine': [1, None]}

    return agent


def stored(result):
    requests = (
        TypeAdapter(DeferredToolRequests).dump_json(result.output).decode()
        if isinstance(result.output, DeferredToolRequests)
        else None
    )
    return result.all_messages_json(), requests


def resumed(title, messages, results):
    history = ModelMessagesTypeAdapter.validate_json(messages)
    return run(
        title,
        build(),
        message_history=history,
        deferred_tool_results=TypeAdapter(DeferredToolResults).validate_json(results),
    )


first = run('first process', build(), 'q')
messages, requests = stored(first)
print(requests)
second = resumed(
    'second process',
    messages,
    '{"calls": {"id_ask": {"answer": "é"}},'
    ' "approvals": {"id_need": {"kind": "tool-approved", "override_args": {"x": 5}}},'
    ' "metadata": {"id_need": {"by": "me"}}}',
)
messages, requests = stored(second)
print(requests)
resumed('third process', messages, '{"approvals": {"second": {"kind": "tool-denied", "message": "Enough."}}}')
