"""Arguments of the loader: as an object, as JSON text, and without an id."""

from _disclosure import LOCAL, capability, model, run
from pydantic_ai import Agent
from pydantic_ai.messages import ToolCallPart

agent = Agent(
    model([ToolCallPart('load_capability', '{"id": "a"}', tool_call_id='c1')], **LOCAL),
    capabilities=[capability('a', 'one')],
)
run(agent)
agent = Agent(
    model(
        [ToolCallPart('load_capability', '{}', tool_call_id='c1')],
        [ToolCallPart('load_capability', {'id': 'a'}, tool_call_id='c2')],
        **LOCAL,
    ),
    capabilities=[capability('a', 'one')],
)
run(agent)
