"""`PrepareTools` and `PrepareOutputTools`: order, changes, `None`, errors; beside `prepare` of tools and toolsets."""

import asyncio
from dataclasses import replace

from _hooks import Boom, Out
from pydantic_ai import Agent, FunctionToolset, ModelRetry, ToolOutput
from pydantic_ai.capabilities import PrepareOutputTools, PrepareTools, Toolset
from pydantic_ai.models.test import TestModel

log = []


def noted(name, change=lambda definitions: definitions):
    def prepare(ctx, definitions):
        log.append(
            [
                name,
                ctx.run_step,
                [[definition.name, definition.kind, definition.description] for definition in definitions],
            ]
        )
        return change(definitions)

    return prepare


def later(function):
    async def prepare(ctx, definitions):
        await asyncio.sleep(0)
        return function(ctx, definitions)

    return prepare


def raising(error):
    def change(definitions):
        raise error

    return change


def show(label, *capabilities, toolset=None):
    log.clear()
    outputs = [ToolOutput(Out, name='give', description='Give'), ToolOutput(Out, name='also')]
    agent = Agent(
        TestModel(), output_type=outputs, capabilities=list(capabilities), toolsets=[toolset] if toolset else None
    )

    @agent.tool_plain(
        prepare=lambda ctx, definition: replace(definition, description='prepared') if ctx.run_step < 2 else None
    )
    def one() -> int:
        return 1

    @agent.tool_plain
    def two() -> int:
        """Two."""
        return 2

    try:
        result = agent.run_sync('hi')
        print(
            label,
            [
                [part.tool_name for part in message.parts if part.part_kind == 'tool-call']
                for message in result.all_messages()
                if message.kind == 'response'
            ],
        )
    except Exception as error:
        print(label, type(error).__name__)
    for line in log:
        print('   ', line)


def no_first(definitions):
    return definitions[1:]


def described(definitions):
    return [replace(definition, description='changed') for definition in definitions]


show('nothing changed', PrepareTools(noted('f')), PrepareOutputTools(noted('o')))
show('hidden', PrepareTools(noted('f', no_first)), PrepareTools(noted('g')))
show('described', PrepareTools(later(noted('f', described))), PrepareTools(noted('g')))
show('output hidden', PrepareOutputTools(noted('o', no_first)), PrepareOutputTools(later(noted('p', described))))
show('all hidden', PrepareTools(noted('f', lambda definitions: [])))
show('none', PrepareTools(noted('f', lambda definitions: None)))
show('raises', PrepareTools(noted('f', raising(Boom('no')))))
show('retry', PrepareTools(noted('f', raising(ModelRetry('no')))))
toolset = FunctionToolset()
toolset.add_function(lambda: 3, name='three')
show('of a toolset', Toolset(toolset.prepared(noted('t'))), PrepareTools(noted('f')))
