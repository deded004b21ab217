"""The workspace of a run is known when its capabilities are made for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stead import Agent, RunContext
from stead.capabilities import AbstractCapability, LocalWorkspace
from stead.models.test import TestModel
from stead.workspaces import LocalWorkspaceBackend

pytestmark = pytest.mark.anyio


class Reads(AbstractCapability[Any]):
    """A capability that reads a file when it is made for a run."""

    text = ''

    async def for_run(self, ctx: RunContext[Any]) -> Reads:
        own = Reads()
        own.text = (await ctx.workspace.read_bytes('a.txt')).decode()
        return own

    def get_instructions(self) -> str:
        return self.text


@pytest.mark.parametrize('of_run', [False, True])
@pytest.mark.parametrize('first', [False, True])
async def test_a_capability_that_is_made_for_a_run_reads_its_workspace(
    tmp_path: Path, first: bool, of_run: bool
) -> None:
    (tmp_path / 'a.txt').write_text('Be brief.')
    more: list[AbstractCapability[Any]] = [] if of_run else [LocalWorkspace(tmp_path)]
    capabilities = [Reads(), *more] if first else [*more, Reads()]
    options: Any = {'workspace': LocalWorkspaceBackend(tmp_path)} if of_run else {}
    result = await Agent(TestModel(), capabilities=capabilities).run('q', **options)
    (request, _) = result.all_messages()
    assert request.kind == 'request' and request.instructions == 'Be brief.'
