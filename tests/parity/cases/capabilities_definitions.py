"""Capabilities that change the definitions of tools: metadata, return schemas, prepare functions."""

from pydantic_ai import Agent, ToolDefinition
from pydantic_ai.capabilities import IncludeToolReturnSchemas, PrepareOutputTools, PrepareTools, SetToolMetadata
from pydantic_ai.models.test import TestModel
from pydantic_ai.tools import Tool


def a(x: int) -> int:
    return x


def b(x: int) -> str:
    return str(x)


def show(*capabilities, output_type=str):
    model = TestModel()
    tools = [
        Tool(a, metadata={'k': 0, 'm': {'n': 1, 'z': 2}, 'l': [1]}),
        Tool(b),
        Tool(b, name='c', include_return_schema=False),
    ]
    agent = Agent(model, tools=tools, capabilities=list(capabilities), output_type=output_type)
    try:
        output = agent.run_sync('x').output
    except Exception as error:
        print(type(error).__name__)
        return
    sent = model.last_model_request_parameters
    print(output)
    for tool in [*sent.function_tools, *sent.output_tools]:
        print('  ', tool.name, tool.description, tool.metadata, tool.include_return_schema, tool.return_schema)


async def by_name(ctx, tool_def):
    return tool_def.name == 'b'


show()
for tools in (
    'all',
    ['a', 'c'],
    ('b',),
    {'m': {'n': 1}},
    {'l': [1]},
    {'l': [2]},
    {},
    [],
    lambda ctx, definition: definition.name == 'c',
    by_name,
):
    show(SetToolMetadata(tools=tools, x=1, k=5))
    show(IncludeToolReturnSchemas(tools=tools))
show(SetToolMetadata(x=1), SetToolMetadata(tools={'x': 1}, y=2), SetToolMetadata(tools={'y': 2}, z=3))
show(SetToolMetadata(id='q', description='d'))
print(repr(SetToolMetadata.from_spec(tools=['a'], x=1)), repr(IncludeToolReturnSchemas.from_spec(['a'])))


def first(ctx, defs):
    return defs[:1]


async def nothing(ctx, defs):
    return []


def renamed(ctx, defs):
    return [
        ToolDefinition(name='other', parameters_json_schema=definition.parameters_json_schema) for definition in defs
    ]


def described(ctx, defs):
    from dataclasses import replace

    return [
        replace(definition, description=f'{definition.name} at {ctx.run_step}, {ctx.retry} of {ctx.max_retries}')
        for definition in defs
    ]


for func in (first, nothing, renamed, described, lambda ctx, defs: None):
    show(PrepareTools(func))
    show(PrepareOutputTools(func), output_type=[int, bool])
show(PrepareTools(described), PrepareTools(first), PrepareTools(lambda ctx, defs: [*defs][::-1]))
