"""Calls and returns of the search as typed parts: queries, tools, message; through JSON, too."""

from _disclosure import LOCAL, function, model, search, show
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessagesTypeAdapter


def tools():
    return [function('one', defer_loading=True), function('two', defer_loading=True)]


for query in ('one', 'zebra'):
    result = Agent(model(search(query), wire=None, **LOCAL), tools=tools()).run_sync('go')
    for history in (result.all_messages(), ModelMessagesTypeAdapter.validate_json(result.all_messages_json())):
        call, answer = history[1].parts[0], history[2].parts[0]
        show('call', [type(call).__name__, call.queries, call.typed_args, call.tool_kind, call.part_kind])
        show(
            'return',
            [type(answer).__name__, answer.discovered_tools, answer.message, answer.tool_kind, answer.part_kind],
        )
