"""The workspace of a run: from a capability, passed to the run, shared with runs inside of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, RunContext, UserError
from stead.capabilities import AbstractCapability, LocalWorkspace
from stead.messages import WorkspaceRef
from stead.models.test import TestModel
from stead.workspaces import LocalWorkspaceBackend, ReadOnlyWorkspace, Workspace, WorkspaceUnavailableError


def reader(*capabilities: AbstractCapability[Any]) -> Agent[None, str]:
    agent = Agent(TestModel(), capabilities=capabilities)

    @agent.tool
    async def read(ctx: RunContext[None]) -> str:
        """Read the file."""
        try:
            return await ctx.workspace.read_text('file')
        except WorkspaceUnavailableError as error:
            return str(error)

    return agent


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, Path]:
    for name in 'ab':
        (tmp_path / name).mkdir()
        (tmp_path / name / 'file').write_text(f'of {name}')
    return {name: tmp_path / name for name in 'ab'}


def test_a_capability_gives_it_and_the_run_may_have_another(folders: dict[str, Path]) -> None:
    agent = reader(LocalWorkspace(folders['a']), LocalWorkspace(folders['b'], id='b'))
    b = LocalWorkspaceBackend(folders['b'])
    assert agent.run_sync('Hi').output == '{"read":"of a"}'
    for one in (b, Workspace(b), ReadOnlyWorkspace(b), b.ref):
        assert agent.run_sync('Hi', workspace=one).output == '{"read":"of b"}'
    assert agent.run_sync('Hi', workspace='new').output == '{"read":"of a"}'


def test_a_run_without_one_says_how_to_have_one() -> None:
    assert 'LocalWorkspace' in reader().run_sync('Hi').output
    with pytest.raises(UserError, match='LocalWorkspace'):
        reader().run_sync('Hi', workspace='new')
    with pytest.raises(UserError, match='local:/nowhere'):
        reader().run_sync('Hi', workspace=WorkspaceRef(provider='local', id='/nowhere'))
    with pytest.raises(TypeError, match='LocalWorkspaceBackend'):
        reader().run_sync('Hi', workspace='/tmp')  # type: ignore[arg-type]


def test_a_capability_that_returns_something_else_is_named() -> None:
    class Wrong(AbstractCapability[None]):
        def get_workspace(self, ctx: RunContext[None], *, ref: WorkspaceRef | None) -> Any:
            return '/tmp'

    with pytest.raises(UserError, match="`get_workspace` returned '/tmp'"):
        reader(Wrong()).run_sync('Hi')


def test_runs_at_once_and_runs_inside_have_their_own(folders: dict[str, Path]) -> None:
    inner = reader()
    outer = Agent(TestModel())

    @outer.tool
    async def ask(ctx: RunContext[None]) -> str:
        """Ask the inner agent, once with the workspace of this run and once without."""
        with_it = await inner.run('x', workspace=ctx.workspace)
        without = await inner.run('x')
        return f'{with_it.output} {"no workspace" in without.output}'

    async def both() -> list[str]:
        runs = [outer.run('x', workspace=LocalWorkspaceBackend(folder)) for folder in folders.values()]
        return [result.output for result in await asyncio.gather(*runs)]

    assert asyncio.run(both()) == [
        r'{"ask":"{\"read\":\"of a\"} True"}',
        r'{"ask":"{\"read\":\"of b\"} True"}',
    ]


def test_it_is_there_in_streams_threads_and_hooks(folders: dict[str, Path]) -> None:
    seen: list[str] = []
    agent = Agent(TestModel(), capabilities=[LocalWorkspace(folders['a'])])

    @agent.instructions
    def here(ctx: RunContext[None]) -> str:
        seen.append(str(ctx.workspace.ref))
        return 'Read.'

    @agent.tool
    def in_thread(ctx: RunContext[None]) -> str:
        """Look."""
        seen.append(str(ctx.workspace.ref))
        return 'seen'

    async def stream() -> None:
        async with agent.run_stream('x') as result:
            await result.get_output()

    asyncio.run(stream())
    assert len(set(seen)) == 1 and len(seen) == 3 and str(folders['a']) in seen[0]


def test_a_spec_can_ask_for_it(folders: dict[str, Path]) -> None:
    spec = {
        'model': 'test',
        'capabilities': [{'LocalWorkspace': {'working_dir': str(folders['a']), 'read_only': True}}],
    }
    agent = Agent.from_spec(spec)

    @agent.tool
    def kind(ctx: RunContext[None]) -> bool:
        """Return whether it is read-only."""
        return ctx.workspace.read_only

    assert agent.run_sync('x').output == '{"kind":true}'


def test_variables_of_commands_are_not_shown() -> None:
    assert 'sk-1' not in repr(LocalWorkspace('.', env={'KEY': 'sk-1'}))
