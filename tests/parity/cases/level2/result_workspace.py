"""The workspace of a run as its result has it, and as an `override` sets it; the name that a model was found by."""

import asyncio
import tempfile
from pathlib import Path

from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import ResolveModelId, SelectModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.workspaces.local import LocalWorkspaceBackend


def named(ctx, name):
    """Return the model of a name of the program."""
    return TestModel(model_name='resolved') if name in ('mine', 'fast') else None


async def shown(agent, what, **options):
    """Run an agent, and print what its result says of the workspace."""
    try:
        result = await agent.run('q', **options)
    except Exception as error:
        print(what, type(error).__name__)
        return
    ref = result.workspace.ref
    print(what, result.output, None if ref is None else Path(ref.id).name)


async def main(first, second):
    """Run agents with workspaces, and with models that are found by name."""
    agent = Agent(TestModel())

    @agent.tool
    async def look(ctx: RunContext[None]) -> bool:
        return ctx.workspace.ref is not None and await ctx.workspace.exists('x')

    await shown(agent, 'none')
    await shown(agent, 'of the run', workspace=LocalWorkspaceBackend(first))
    with agent.override(workspace=LocalWorkspaceBackend(first)):
        await shown(agent, 'of the override')
        await shown(agent, 'of the override', workspace=LocalWorkspaceBackend(second))
    with agent.override(workspace=None):
        await shown(agent, 'overridden by none', workspace=LocalWorkspaceBackend(first))
    with agent.override(workspace='new'):
        await shown(agent, 'overridden by a new one', workspace=LocalWorkspaceBackend(first))
    with agent.override(workspace=3):
        await shown(agent, 'overridden by a number')
    async with agent.run_stream('q', workspace=LocalWorkspaceBackend(first)) as stream:
        await stream.get_output()
        print('streamed', Path(stream.workspace.ref.id).name)

    for name, capabilities in (
        ('mine', [ResolveModelId(named)]),
        ('test', [SelectModel(lambda ctx: 'test')]),
        (None, [SelectModel(lambda ctx: 'fast'), ResolveModelId(named)]),
    ):
        found = Agent(name, capabilities=capabilities)

        @found.tool
        def which(ctx: RunContext[None]) -> str:
            print(ctx.model_id, ctx.model.model_name)
            return 'x'

        await found.run('q')
        if name == 'mine':
            await found.run('q', model='fast')
            with found.override(model='fast'):
                await found.run('q')


with tempfile.TemporaryDirectory() as parent:
    for each in ('first', 'second'):
        (Path(parent) / each).mkdir()
    (Path(parent) / 'first' / 'x').touch()
    asyncio.run(main(Path(parent) / 'first', Path(parent) / 'second'))
