"""A history that ends with a call of the loader, or with its result."""

from _disclosure import LOCAL, capability, history, model, run, show
from pydantic_ai import Agent
from pydantic_ai.messages import LoadCapabilityCallPart, LoadCapabilityReturnPart

loading = ['x', [LoadCapabilityCallPart(args={'id': 'a'}, tool_call_id='1')]]
result = run(Agent(model(**LOCAL), capabilities=[capability('a', 'one')]), None, message_history=history(*loading))
show('new', len(result.new_messages()))
result = run(
    Agent(model(**LOCAL), capabilities=[capability('a', 'one')]),
    None,
    message_history=history(*loading, (LoadCapabilityReturnPart(content={}, tool_call_id='1'),)),
)
show('new', len(result.new_messages()))
