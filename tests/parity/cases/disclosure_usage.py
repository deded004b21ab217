"""Loading counts as a call of a tool; what announces tools counts as nothing."""

from _disclosure import LOCAL, call, capability, load, model, show
from pydantic_ai import Agent

result = Agent(
    model(load('a'), [call('one', x=1)], wire=None, **LOCAL), capabilities=[capability('a', 'one')]
).run_sync('go')
show('usage', [result.usage.requests, result.usage.tool_calls])
show('new', len(result.new_messages()))
