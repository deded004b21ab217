"""Synchronous code in a loop that only its host can run."""

from __future__ import annotations

import asyncio
from asyncio import _set_running_loop  # pyright: ignore[reportPrivateUsage]
from collections.abc import Callable, Iterator

import pytest

from stead import Agent, UserError
from stead.graph import GraphBuilder
from stead.graph.exceptions import UnsupportedEventLoopError
from stead.graph.step import StepContext


class HostLoop(asyncio.AbstractEventLoop):
    """A loop like that of a workflow: it cannot be run from inside."""


@pytest.fixture
def in_host_loop() -> Iterator[None]:
    _set_running_loop(HostLoop())
    yield
    _set_running_loop(None)


def run_agent() -> object:
    return Agent('test').run_sync('hi')


def run_graph() -> object:
    builder = GraphBuilder(output_type=int)

    @builder.step
    async def one(ctx: StepContext[None, None, None]) -> int:
        return 1

    builder.add(builder.edge_from(builder.start_node).to(one), builder.edge_from(one).to(builder.end_node))
    return builder.build().run_sync()


@pytest.mark.usefixtures('in_host_loop')
@pytest.mark.parametrize('run', [run_agent, run_graph])
def test_it_is_refused_rather_than_waited_for(run: Callable[[], object]):
    with pytest.raises(UserError, match='HostLoop.*Await `run`') as caught:
        run()
    assert isinstance(caught.value, UnsupportedEventLoopError)
