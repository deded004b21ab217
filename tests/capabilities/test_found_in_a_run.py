"""A capability that finds its parts when a run starts, and has none before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from stead import Agent, RunContext
from stead.capabilities import AbstractCapability, Capability
from stead.models.test import TestModel

pytestmark = pytest.mark.anyio


class Found(AbstractCapability[Any]):
    """A container of what it finds."""

    parts: tuple[AbstractCapability[Any], ...] = ()

    def apply(self, visitor: Callable[[AbstractCapability[Any]], None]) -> None:
        for part in self.parts:
            part.apply(visitor)

    async def for_run(self, ctx: RunContext[Any]) -> Found:
        own = Found()
        own.parts = (Capability(instructions='Be brief.'), Capability(instructions='Be kind.'))
        return own


async def test_the_parts_that_a_capability_finds_are_those_of_the_run() -> None:
    agent = Agent(TestModel(), capabilities=[Found()])
    for _ in range(2):
        (request, _) = (await agent.run('q')).all_messages()
        assert request.kind == 'request' and request.instructions == 'Be brief.\nBe kind.'
