"""Toolsets and tools that a program changes during a run: the next step lists them as they are then."""

from dataclasses import replace

from pydantic_ai import Agent, FunctionToolset
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ExternalToolset

FIELDS = ('name', 'description', 'kind', 'metadata', 'strict', 'sequential', 'timeout', 'defer_loading')


def water() -> str:
    """Water the ferns."""
    return 'wet'


def sweep() -> str:
    return 'clean'


class OneDict(AbstractToolset):
    """A toolset that returns the same dict each time, and adds tools to it."""

    id = 'one-dict'

    def __init__(self) -> None:
        self.inner = FunctionToolset([water])
        self.tools = {}

    async def get_tools(self, ctx):
        self.tools.update(await self.inner.get_tools(ctx))
        return self.tools

    async def call_tool(self, name, tool_args, ctx, tool):
        return await self.inner.call_tool(name, tool_args, ctx, tool)


def functions():
    return FunctionToolset([water])


def external():
    return ExternalToolset([ToolDefinition(name='water', description='Water the ferns.')])


def base_of(toolset):
    """What is inside of all wrappers."""
    while hasattr(toolset, 'wrapped'):
        toolset = toolset.wrapped
    return toolset


def assigning(name, value):
    def change(toolset):
        setattr(base_of(toolset).tools['water'], name, value)

    return f'{name} of a tool', change


async def described(ctx, definition):
    return replace(definition, description='Prepared.')


WRAPPERS = {
    'plain': lambda toolset: toolset,
    'prefixed': lambda toolset: toolset.prefixed('shop'),
    'filtered': lambda toolset: toolset.filtered(lambda ctx, definition: True),
    'filtered and prefixed': lambda toolset: toolset.filtered(lambda ctx, definition: True).prefixed('shop'),
    'approval': lambda toolset: toolset.approval_required(lambda ctx, definition, arguments: False),
}

TOOL_CHANGES = [
    assigning('description', 'Water them well.'),
    assigning('metadata', {'room': 2}),
    assigning('requires_approval', True),
    assigning('strict', True),
    assigning('sequential', True),
    assigning('timeout', 5),
    assigning('prepare', described),
    ('a tool added', lambda toolset: base_of(toolset).add_function(sweep)),
    ('a tool taken out', lambda toolset: base_of(toolset).tools.pop('water')),
]

OTHER_CHANGES = [
    ('prefix', functions, 'prefixed', lambda toolset: setattr(toolset, 'prefix', 'garden')),
    (
        'filter',
        functions,
        'filtered and prefixed',
        lambda toolset: setattr(toolset.wrapped, 'filter_func', lambda ctx, definition: False),
    ),
    (
        'approval function',
        functions,
        'approval',
        lambda toolset: setattr(toolset, 'approval_required_func', lambda *arguments: True),
    ),
    ('what is wrapped', functions, 'prefixed', lambda toolset: setattr(toolset, 'wrapped', FunctionToolset([sweep]))),
    *(
        ('a dict that grows', OneDict, name, lambda toolset: base_of(toolset).inner.add_function(sweep))
        for name in WRAPPERS
    ),
    *(
        ('an external definition', external, name, lambda toolset: assign_description(base_of(toolset)))
        for name in WRAPPERS
    ),
    (
        'external definitions',
        external,
        'prefixed',
        lambda toolset: base_of(toolset).tool_defs.append(ToolDefinition(name='sweep')),
    ),
]


def assign_description(toolset):
    toolset.tool_defs[0].description = 'Water them well.'


def run(label, make, wrapper, change):
    toolset = WRAPPERS[wrapper](make())
    clerk = FunctionToolset()

    @clerk.tool_plain
    def rearrange() -> str:
        change(toolset)
        return 'done'

    steps = []

    def model(messages, info):
        tools = [tool for tool in info.function_tools if tool.name != 'rearrange']
        steps.append([{field: getattr(tool, field) for field in FIELDS} for tool in tools])
        return ModelResponse([TextPart('end')] if len(steps) > 1 else [ToolCallPart('rearrange')])

    Agent(FunctionModel(model), toolsets=[clerk, toolset]).run_sync('Go')
    print(f'{label}, {wrapper}:')
    first, second = steps
    names = [definition['name'] for definition in first], [definition['name'] for definition in second]
    print('  names', *names)
    for before, after in zip(first, second):
        print('  changed', {field: after[field] for field in FIELDS if before[field] != after[field]})


for label, change in TOOL_CHANGES:
    for wrapper in WRAPPERS:
        run(label, functions, wrapper, change)
for label, make, wrapper, change in OTHER_CHANGES:
    run(label, make, wrapper, change)
