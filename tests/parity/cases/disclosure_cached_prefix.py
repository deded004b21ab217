"""Loading a capability that has instructions only leaves tools and instructions of the request as they were."""

from _disclosure import LOCAL, capability, definition, load, show
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel

seen = []


def reply(history, info):
    seen.append([info.instructions, [definition(tool) for tool in info.function_tools]])
    return ModelResponse(parts=load('a') if len(seen) == 1 else [TextPart('done')])


for options in ({}, LOCAL):
    seen.clear()
    Agent(
        FunctionModel(reply, **options), instructions='Base.', capabilities=[capability('a'), capability('b', 'one')]
    ).run_sync('go')
    show('same', seen[0] == seen[1])
