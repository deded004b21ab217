"""How streams are read is written once; what programs read are faces of it."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from stead import Agent
from stead.result import AgentStream, StreamedRunResult
from stead.run import AgentRun, AgentRunResult

from ..source import nodes
from .kit import script

FACES = {
    '_streams/reading.py::Readable',
    'result.py::StreamedRunResultSync',
}
READ = {'stream_text', 'stream_output', 'stream_response', 'get_output', 'validate_response_output'}
FACTS = {'usage', 'metadata', 'run_id', 'conversation_id'}


def places_of(names: set[str], *rooms: str) -> set[str]:
    """Return the classes in some rooms that define all of some members."""
    return {
        f'{file}::{node.name}'
        for file, node in nodes()
        if isinstance(node, ast.ClassDef)
        and file.startswith(rooms)
        and names <= {item.name for item in node.body if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef))}
    }


def test_how_a_response_is_read_is_written_once() -> None:
    assert places_of(READ, '') == FACES


def test_what_is_told_of_a_run_is_written_once() -> None:
    assert places_of(FACTS, '_streams/', 'run.py', 'result.py') == {'_streams/views.py::RunFacts'}


@pytest.mark.anyio
async def test_all_that_tells_of_a_run_tells_the_same():
    agent: Agent[None, str] = Agent(script(['a', 'b']), metadata={'tenant': 't'})
    seen: list[Any] = []
    async with agent.iter('q') as run:
        seen += [run]
        async for node in run:
            if Agent.is_model_request_node(node):
                async with node.stream(run.ctx) as stream:
                    await stream.drain()
                    seen += [stream]
    seen += [run.result]
    assert [type(each) for each in seen] == [AgentRun, AgentStream, AgentRunResult]
    facts = [(each.run_id, each.conversation_id, each.metadata, each.usage.output_tokens) for each in seen]
    assert facts == [(run.run_id, run.conversation_id, {'tenant': 't'}, run.usage.output_tokens)] * 3
    async with agent.run_stream('q', until='end') as result:
        assert await result.get_output() == 'ab'
    assert (type(result), result.metadata) == (StreamedRunResult, {'tenant': 't'})
