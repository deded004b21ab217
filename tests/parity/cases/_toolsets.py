"""What the cases on toolsets share: contexts, wrappers that write down what they are asked, and ways to print a toolset."""

import asyncio
from dataclasses import dataclass

from _common import error_text, script
from pydantic_ai import FunctionToolset, RunContext, Tool
from pydantic_ai.messages import TextPart
from pydantic_ai.models.test import TestModel
from pydantic_ai.toolsets import WrapperToolset
from pydantic_ai.usage import RunUsage


def context(**fields):
    """A run context, with these fields."""
    return RunContext(deps=fields.pop('deps', None), model=TestModel(), usage=RunUsage(), **fields)


def ask(coroutine):
    """What a coroutine comes to, or the type of its error."""
    try:
        return asyncio.run(coroutine)
    except Exception as error:
        return f'! {type(error).__name__}'


def listing(toolset, *fields, **context_fields):
    """The tools of a toolset by name, with some fields of their definitions; or the type of the error."""
    tools = ask(toolset.get_tools(context(**context_fields)))
    if isinstance(tools, str):
        return tools
    if not fields:
        return {name: tool.tool_def.name for name, tool in tools.items()}
    return {name: {field: getattr(tool.tool_def, field) for field in fields} for name, tool in tools.items()}


def instructions(toolset, **context_fields):
    """The instructions of a toolset, or the type of the error."""
    return ask(toolset.get_instructions(context(**context_fields)))


def leaves(toolset):
    """The labels of the toolsets that others are built of."""
    labels = []
    toolset.apply(lambda leaf: labels.append(leaf.label))
    return labels


def offered(agent, **options):
    """The names of the function tools that a run sends to the model, or the type of the error."""
    seen = []
    try:
        with agent.override(model=script([TextPart('done')], seen=seen)):
            agent.run_sync('q', **options)
    except Exception as error:
        return f'! {type(error).__name__}'
    return [tool.name for tool in seen[0][1].function_tools]


LOG = []


@dataclass
class Watched(WrapperToolset):
    """Writes down what it is asked."""

    tag: str = 'w'
    fail: str = ''

    def note(self, what):
        LOG.append(f'{self.tag}.{what}')
        if self.fail == what.split()[0]:
            raise RuntimeError(f'{self.tag}.{what}')

    async def for_run(self, ctx):
        self.note(f'for_run {ctx.run_step}')
        return await super().for_run(ctx)

    async def for_run_step(self, ctx):
        self.note(f'for_run_step {ctx.run_step}')
        return await super().for_run_step(ctx)

    async def __aenter__(self):
        self.note('enter')
        await super().__aenter__()
        return self

    async def __aexit__(self, *args):
        self.note(f'exit {args[0].__name__ if args and args[0] else None}')
        return await super().__aexit__(*args)

    async def get_tools(self, ctx):
        self.note('tools')
        return await super().get_tools(ctx)

    async def get_instructions(self, ctx):
        self.note('instructions')
        return await super().get_instructions(ctx)

    async def call_tool(self, name, tool_args, ctx, tool):
        self.note(f'call {name} ctx={ctx.tool_name} def={tool.tool_def.name} {tool_args} {tool.tool_def.metadata}')
        return await super().call_tool(name, tool_args, ctx, tool)


def logged(title, agent, **options):
    """Run an agent, and print what the watched toolsets were asked."""
    LOG.clear()
    try:
        outcome = repr(agent.run_sync('q', **options).output)
    except Exception as error:
        outcome = error_text(error)
    print('==', title, '|', outcome)
    for line in LOG:
        print('  ', line)


# The tools of these functions have their names, in every record that lists them.
def f(a: int = 0) -> int:
    """Do f."""
    return a


def g(b: str = '') -> str:
    return b


def h():
    return 'h'


def named(*names, **options):
    """A toolset with a tool of each name, which returns its name."""

    def tool(name):
        return Tool(lambda: name, name=name)

    return FunctionToolset([tool(name) for name in names], **options)
