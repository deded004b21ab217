"""One name as a selector of tools: it is that name, and not a part of it."""

from _common import fact
from pydantic_ai import Agent
from pydantic_ai.capabilities import IncludeToolReturnSchemas, SetToolMetadata
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel


def sent(capability):
    seen = []

    def model(messages, info):
        seen.append(
            [[tool.name, tool.metadata, tool.return_schema or tool.description] for tool in info.function_tools]
        )
        return ModelResponse(parts=[TextPart('x')])

    agent = Agent(FunctionModel(model), capabilities=[capability])

    @agent.tool_plain
    def read() -> int:
        return 1

    @agent.tool_plain
    def read_file() -> int:
        return 1

    agent.run_sync('x')
    return seen


for selector in ('read_file', 'read', 'file', '', 'all', ['read'], ('read',)):
    fact(f'metadata {selector!r}', sent(SetToolMetadata(tools=selector, x=1)))
    fact(f'return schema {selector!r}', sent(IncludeToolReturnSchemas(tools=selector)))
