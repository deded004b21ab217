"""What packages that extend agents reach for apart from the documented names: it is there, and does what they count on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from types import GenericAlias
from typing import Any, Optional

import pytest

from stead import (
    Agent,
    AgentEventStream,
    CallToolsNode,
    FunctionToolset,
    ModelRequestNode,
    RunContext,
    UserPromptNode,
    capabilities as caps,
)
from stead._kit.peek import PeekableAsyncStream
from stead._kit.unset import UNSET, Unset, is_set
from stead._loop.nodes import AgentNode
from stead._loop.state import build_run_context
from stead.agent import AbstractAgent, EventStreamHandler, EventStreamProcessor
from stead.agent.abstract import AgentInstructions, AgentMetadata, AgentModelSettings, Instructions
from stead.capabilities import AbstractCapability, CombinedCapability
from stead.graph import End
from stead.messages import (
    InstructionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolReturnPart,
    UserPromptPart,
)
from stead.models import Model, ModelRequestParameters
from stead.models.test import TestModel
from stead.toolsets._capability_owned import CapabilityOwnedToolset


async def counted(count: int) -> AsyncIterator[int]:
    for number in range(count):
        yield number


def test_a_stream_can_be_looked_into() -> None:
    async def main() -> None:
        stream = PeekableAsyncStream[int](counted(3))
        assert (await stream.peek(), await stream.peek(), await stream.is_exhausted()) == (0, 0, False)
        assert await stream.__anext__() == 0
        assert [item async for item in stream] == [1, 2]
        assert await stream.is_exhausted()
        last = await stream.peek()
        assert (last is UNSET, isinstance(last, Unset), is_set(last), is_set(None)) == (True, True, False, True)

    asyncio.run(main())


def test_a_stream_that_is_looked_into_can_be_closed() -> None:
    async def main() -> None:
        source = counted(3)
        stream = PeekableAsyncStream[int](source)
        assert await stream.peek() == 0
        await stream.aclose()
        assert [item async for item in stream] == []
        assert [item async for item in source] == []
        await PeekableAsyncStream[int](_Plain()).aclose()  # nothing to close there

    asyncio.run(main())


class _Plain:
    def __aiter__(self) -> AsyncIterator[int]:
        return counted(1)


@pytest.mark.parametrize(
    'alias',
    [
        EventStreamHandler,
        EventStreamProcessor,
        AgentInstructions,
        AgentMetadata,
        AgentModelSettings,
        Instructions,
        caps.CapabilityDescription,
    ],
    ids=str,
)
def test_aliases_take_a_type_at_run_time(alias: Any) -> None:
    assert alias[int].__parameters__ == ()
    assert alias[int] is not alias
    assert Optional[alias[int]] is not None


@pytest.mark.parametrize(
    'alias', [caps.RawToolArgs, caps.RawOutput, caps.WrapToolValidateHandler, caps.WrapOutputValidateHandler], ids=str
)
def test_aliases_are_types_at_run_time(alias: Any) -> None:
    assert not isinstance(alias, str)
    assert Callable[[alias], None] is not None


@pytest.mark.parametrize('cls', [AgentNode, UserPromptNode, ModelRequestNode, CallToolsNode])
def test_nodes_take_types_at_run_time(cls: Any) -> None:
    alias = cls[int, str]
    assert (alias.__origin__, alias.__args__) == (cls, (int, str))
    assert not isinstance(cls, GenericAlias)
    assert AgentEventStream[str].__origin__ is AgentEventStream  # type: ignore[attr-defined]


class OwnAgent(AbstractAgent[None, Any]):
    """The least that an agent must define."""

    model = name = deps_type = None  # type: ignore[assignment]
    toolsets = ()

    def __init__(self, agent: Agent[None, Any]) -> None:
        self.agent = agent

    @property
    def output_type(self) -> Any:
        return self.agent.output_type

    def iter(self, *args: Any, **options: Any) -> Any:
        return self.agent.iter(*args, **options)

    def override(self, **values: Any) -> Any:
        return self.agent.override(**values)

    async def __aenter__(self) -> OwnAgent:
        return self

    async def __aexit__(self, *args: Any) -> None:
        return None


def test_an_agent_of_ones_own_knows_the_schema_of_its_output() -> None:
    own = OwnAgent(Agent(TestModel(), output_type=[int, bool]))
    assert own.output_json_schema() == {'anyOf': [{'type': 'integer'}, {'type': 'boolean'}]}
    assert own.output_json_schema(str) == {'type': 'string'}
    assert own.run_sync('go').output == 0


class Noting(AbstractCapability[None]):
    def __init__(self, log: list[str]) -> None:
        self.log = log

    async def before_node_run(self, ctx: Any, *, node: Any) -> Any:
        self.log.append(type(node).__name__)
        return node

    async def wrap_node_run(self, ctx: Any, *, node: Any, handler: Any) -> Any:
        if isinstance(node, UserPromptNode):
            self.log.append('wrapped')
        return await handler(node)

    def get_toolset(self) -> FunctionToolset[None]:
        return FunctionToolset(id='noting')


@pytest.mark.parametrize('noted', [False, True], ids=['plain', 'with hooks'])
def test_a_package_drives_a_run_itself(noted: bool) -> None:
    log: list[str] = []
    agent = Agent(TestModel(custom_output_text='hi'), capabilities=[Noting(log)] if noted else [])

    async def main() -> None:
        async with agent.iter('go') as run:

            async def step(node: Any) -> Any:
                if agent.is_model_request_node(node):
                    async with node.stream(run.ctx) as stream:
                        root: Any = run.ctx.deps.root_capability
                        events = root.wrap_run_event_stream(build_run_context(run.ctx), stream=stream)
                        assert [event async for event in events]
                return await run._advance_graph(node)

            node: Any = run.next_node
            while not isinstance(node, End):
                node = await run._run_node_with_hooks(node, step)
                assert run.next_node is node
            assert run.result is not None
            assert run.result.output == 'hi'

    asyncio.run(main())
    assert log == (['UserPromptNode', 'wrapped', 'ModelRequestNode', 'CallToolsNode'] if noted else [])


def test_a_node_that_ran_is_behind_the_run_even_if_a_hook_fails_then() -> None:
    class Failing(AbstractCapability[None]):
        async def after_node_run(self, ctx: Any, *, node: Any, result: Any) -> Any:
            raise ValueError('no')

    async def main() -> None:
        async with Agent(TestModel(), capabilities=[Failing()]).iter('go') as run:
            node: Any = run.next_node
            with pytest.raises(ValueError, match='no'):
                await run.next(node)
            assert isinstance(run.next_node, ModelRequestNode)

    asyncio.run(main())


def test_there_is_always_a_root_capability() -> None:
    roots: list[Any] = []
    agent = Agent(TestModel())

    @agent.tool
    def look(ctx: RunContext[None]) -> str:
        roots.append(ctx.tool_manager.root_capability)
        return ''

    agent.run_sync('go')
    assert isinstance(roots[0], CombinedCapability)
    assert agent._root_capability.capabilities == []


def test_toolsets_of_capabilities_are_told_apart() -> None:
    found: list[Any] = []
    for toolset in Agent(TestModel(), capabilities=[Noting([])]).toolsets:
        toolset.apply(found.append)
    assert [(isinstance(leaf, CapabilityOwnedToolset), leaf.id) for leaf in found] == [
        (False, '<agent>'),
        (True, None),
        (False, 'noting'),
    ]


def test_instructions_of_an_agent_are_a_list() -> None:
    def today() -> str:
        return 'It is Monday.'

    agent = Agent(TestModel(), instructions=['Be brief.', today])
    assert agent._instructions == ['Be brief.', today]
    assert Agent(TestModel())._instructions == []


def request(instructions: str | None, *parts: Any) -> ModelRequest:
    return ModelRequest(parts=list(parts) or [UserPromptPart('hi')], instructions=instructions)


ANSWER = ModelResponse(parts=[TextPart('hello')])
RETURN = ToolReturnPart('look', 'seen', tool_call_id='1')


@pytest.mark.parametrize(
    ('messages', 'expected'),
    [
        ([], None),
        ([request('A'), ANSWER], 'A'),
        ([request('A'), ANSWER, request('B')], 'B'),
        ([request('A'), ANSWER, request(None)], None),
        ([request('A'), ANSWER, request(None, RETURN)], 'A'),
        ([request('A'), ANSWER, request(None, RETURN, UserPromptPart('and'))], None),
        ([request('A'), ANSWER, request(None, RETURN), ANSWER, request(None, RETURN)], None),
    ],
)
def test_models_ask_for_the_instructions_of_a_request(messages: list[ModelMessage], expected: str | None) -> None:
    parts = Model._get_instruction_parts(messages, ModelRequestParameters())
    assert parts == (None if expected is None else [InstructionPart(content=expected)])
    named = [InstructionPart(content='C')]
    assert Model._get_instruction_parts(messages, ModelRequestParameters(instruction_parts=named)) == named
    assert Model._get_instruction_parts(messages, ModelRequestParameters(instruction_parts=[])) is None
