"""Prepared toolsets: definitions hidden, changed, renamed, added and reordered."""

from dataclasses import replace

from _common import call, fact, run, script
from _toolsets import f, g, h, listing
from pydantic_ai import Agent
from pydantic_ai.messages import TextPart
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import FunctionToolset


def prepared(function, *fields):
    return listing(FunctionToolset([f, g, h]).prepared(function), *fields)


async def first(ctx, definitions):
    return definitions[:1]


def described(ctx, definitions):
    return [replace(definition, description=f'{definition.name} in step {ctx.run_step}') for definition in definitions]


def in_place(ctx, definitions):
    for definition in definitions:
        definition.description = f'{definition.description} {ctx.run_step}'
    return definitions


fact('same', prepared(lambda ctx, definitions: definitions))
fact('none', prepared(lambda ctx, definitions: None))
fact('empty', prepared(lambda ctx, definitions: []))
fact('async', prepared(first))
fact('order', prepared(lambda ctx, definitions: definitions[::-1]))
fact(
    'generator', prepared(lambda ctx, definitions: (definition for definition in definitions if definition.name != 'g'))
)
fact('described', prepared(described, 'description'))
fact(
    'renamed',
    prepared(lambda ctx, definitions: [replace(definition, name=f'x_{definition.name}') for definition in definitions]),
)
fact('added', prepared(lambda ctx, definitions: [*definitions, ToolDefinition(name='new')]))
fact(
    'twice',
    prepared(lambda ctx, definitions: [*definitions, replace(definitions[0], description='again')], 'description'),
)
fact('error', prepared(lambda ctx, definitions: 1 / 0))
fact(
    'schema',
    prepared(
        lambda ctx, definitions: [replace(definitions[0], parameters_json_schema={'type': 'object', 'properties': {}})],
        'parameters_json_schema',
    ),
)
toolset = FunctionToolset([f])
fact('in place', [listing(toolset.prepared(in_place), 'description', run_step=step) for step in (1, 2)])
fact('left alone', listing(toolset, 'description'))
fact(
    'stacked',
    listing(toolset.prepared(in_place).prepared(in_place).prefixed('p').prepared(described), 'description', run_step=3),
)
fact(
    'under a prefix',
    listing(toolset.prefixed('p').prepared(lambda ctx, definitions: [replace(definitions[0], name='f')])),
)
seen = []
agent = Agent(
    script([call('f', {'a': 1})], [TextPart('done')], seen=seen),
    toolsets=[
        toolset.prepared(described),
        FunctionToolset([g, h]).prepared(lambda ctx, definitions: definitions[: ctx.run_step - 1]),
    ],
)
run('in a run', agent, 'q')
for _, info in seen:
    fact('sent', [[tool.name, tool.description] for tool in info.function_tools])
