"""The ready-made capabilities, each by itself."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from stead import Agent, RunContext
from stead._kit.aio import run_in_executor
from stead.capabilities import (
    AbstractCapability,
    Capability,
    CombinedCapability,
    DynamicCapability,
    HistoryProcessor,
    IncludeToolReturnSchemas,
    NativeOrLocalTool,
    NativeTool,
    PrefixTools,
    PrepareTools,
    ProcessEventStream,
    ReinjectSystemPrompt,
    SetToolMetadata,
    Thinking,
    ThreadExecutor,
    Toolset,
    WrapperCapability,
)
from stead.capabilities._owned import capability_ids, snake_case
from stead.capabilities._registry import CAPABILITY_TYPES, capability_from_spec
from stead.exceptions import UserError
from stead.messages import ModelRequest, ModelResponse, SystemPromptPart, TextPart, UserPromptPart
from stead.models.test import TestModel
from stead.native_tools import CodeExecutionTool, WebSearchTool
from stead.tools import ToolDefinition
from stead.toolsets import AbstractToolset, FunctionToolset
from stead.usage import RunUsage

from .kit import Boom, context


def add(a: int, b: int) -> int:
    return a + b


def definitions(source: Any) -> dict[str, ToolDefinition]:
    toolset = source.get_toolset() if isinstance(source, AbstractCapability) else source
    assert isinstance(toolset, AbstractToolset)
    return {name: tool.tool_def for name, tool in asyncio.run(toolset.get_tools(context())).items()}


def sent(*capabilities: Any, tools: Any = (add,)) -> list[ToolDefinition]:
    model = TestModel(call_tools=[])
    Agent(model, tools=tools, capabilities=list(capabilities)).run_sync('x')
    assert model.last_model_request_parameters is not None
    return model.last_model_request_parameters.function_tools


# Who owns a tool.


@pytest.mark.parametrize(
    ('name', 'snake'),
    [('Thinking', 'thinking'), ('MyCap', 'my_cap'), ('XYZCap2', 'xyz_cap_2'), ('myCap', 'my_cap'), ('MCP', 'mcp')],
)
def test_names_of_classes_in_snake_case(name: str, snake: str) -> None:
    assert snake_case(name) == snake


def test_ids_are_names_of_classes_with_a_number_where_they_repeat() -> None:
    capabilities = [Thinking(), Thinking(), Thinking(id='thinking_2'), Thinking(id='x'), Thinking()]
    assert list(capability_ids(capabilities)) == ['thinking', 'thinking_3', 'thinking_2', 'x', 'thinking_4']
    with pytest.raises(UserError, match="'x'"):
        capability_ids([Thinking(id='x'), Capability[None](id='x')])
    with pytest.raises(UserError, match='Capability has'):
        capability_ids([Capability[None](defer_loading=True)])


def test_tools_know_their_capability() -> None:
    inner = Capability[None](id='mine', tools=[add])
    assert [(tool.name, tool.capability_id) for tool in sent(inner, tools=[])] == [('add', 'mine')]
    assert [tool.capability_id for tool in sent(lambda ctx: Capability(tools=[add]), tools=[])] == ['capability']
    assert definitions(CombinedCapability([inner]))['add'].capability_id == 'mine'


# Bundles and wrappers.


def test_tools_that_are_registered_later() -> None:
    bundle = Capability[None]()
    toolset = bundle.get_toolset()
    bundle.tool_plain(name='later')(add)
    assert list(definitions(toolset)) == ['later']


@pytest.mark.parametrize('source', ['', None, [], ()])
def test_empty_instructions_are_none(source: Any) -> None:
    assert Capability[None](instructions=source).get_instructions() is None


def test_a_prefix_is_set_before_the_tools_and_leaves_the_rest() -> None:
    assert list(definitions(Capability[None](tools=[add]).prefix_tools('p'))) == ['p_add']
    assert list(definitions(PrefixTools(PrefixTools(Toolset(FunctionToolset([add])), 'in'), 'out'))) == ['out_in_add']
    assert PrefixTools(Thinking(), 'p').get_toolset() is None
    assert PrefixTools(Thinking('low'), 'p').get_model_settings() == {'thinking': 'low'}


def test_wrapper_takes_over_deferral() -> None:
    deferred = Capability[None](id='d', description='what', defer_loading=True)
    wrapper = WrapperCapability(deferred)
    assert (wrapper.id, wrapper.defer_loading, wrapper.get_description()) == ('d', True, 'what')
    assert WrapperCapability(deferred, id='own').defer_loading is False


def test_wrapper_per_run() -> None:
    class Fresh(AbstractCapability[None]):
        async def for_run(self, ctx: Any) -> AbstractCapability[None]:
            return Thinking()

    of_run = asyncio.run(PrefixTools(Fresh(), 'p').for_run(context()))
    assert isinstance(of_run, PrefixTools) and isinstance(of_run.wrapped, Thinking) and of_run.prefix == 'p'


def test_what_a_dynamic_capability_cannot_be_is_an_error() -> None:
    with pytest.raises(UserError, match="'wrong'"):

        def wrong(ctx: Any) -> Any:
            return 5

        asyncio.run(DynamicCapability(wrong).for_run(context()))
    with pytest.raises(UserError, match='defer_loading'):
        DynamicCapability(lambda ctx: None, id='x', defer_loading=True)


# Definitions of tools.


def test_only_selected_tools_get_metadata_and_return_schemas() -> None:
    def minus(a: int) -> int:
        return -a

    tools = sent(
        SetToolMetadata(tools=['add'], risky=True), IncludeToolReturnSchemas(tools={'risky': True}), tools=[add, minus]
    )
    assert [(t.name, t.metadata, t.include_return_schema) for t in tools] == [
        ('add', {'risky': True}, None),  # the first capability is outermost: it comes last
        ('minus', None, None),
    ]
    tools = sent(
        IncludeToolReturnSchemas(tools={'risky': True}), SetToolMetadata(tools=['add'], risky=True), tools=[add, minus]
    )
    assert [t.include_return_schema for t in tools] == [True, None]


def test_all_tools_cost_nothing_per_step() -> None:
    def listed(capability: SetToolMetadata[Any]) -> tuple[bool, bool]:
        toolset = capability.get_wrapper_toolset(FunctionToolset([add]))
        assert toolset is not None
        first, second = (
            asyncio.run(toolset.tool_listing(RunContext(deps=None, model=TestModel(), usage=RunUsage())))
            for _ in range(2)
        )
        return first.is_static, first is second

    assert listed(SetToolMetadata(x=1)) == (True, True)
    assert listed(SetToolMetadata(tools=['add'], x=1)) == (False, False)


def test_prepare_none_hides_and_warns() -> None:
    def forgot(ctx: Any, tool_defs: Any) -> Any:
        return None

    with pytest.warns(UserWarning, match="'forgot'"):
        assert asyncio.run(PrepareTools(forgot).prepare_tools(context(), [ToolDefinition(name='x')])) == []


def test_none_of_a_hook_hides_and_warns() -> None:
    class Forgot(AbstractCapability[Any]):
        async def prepare_tools(self, ctx: Any, tool_defs: Any) -> Any:
            return None

    agent = Agent(TestModel(), tools=[one], capabilities=[Forgot()])
    with pytest.warns(UserWarning, match="'prepare_tools' returned `None`"):
        assert agent.run_sync('x').output == 'success (no tool calls)'


def one() -> int:
    return 1


def test_history_processor_is_an_old_name() -> None:
    with pytest.warns(DeprecationWarning, match='ProcessHistory'):
        HistoryProcessor(lambda messages: messages)


# Native tools.


class Code(NativeOrLocalTool[None]):
    def _default_native(self) -> Any:
        return CodeExecutionTool()

    def _default_local(self) -> Any:
        return add


@pytest.mark.parametrize(
    ('make', 'native', 'local'),
    [
        (lambda: Code(), ['code_execution'], {'add': 'code_execution'}),
        (lambda: Code(local=False), ['code_execution'], None),
        (lambda: Code(native=False), [], {'add': None}),
        (lambda: Code(native=WebSearchTool()), ['web_search'], {'add': 'web_search'}),
        (lambda: NativeOrLocalTool[None](native=CodeExecutionTool()), ['code_execution'], None),
        (
            lambda: NativeOrLocalTool[None](native=CodeExecutionTool(), local=FunctionToolset([add])),
            ['code_execution'],
            {'add': 'code_execution'},
        ),
    ],
)
def test_native_or_local(make: Any, native: list[str], local: dict[str, str | None] | None) -> None:
    capability = make()
    assert [tool.kind for tool in capability.get_native_tools()] == native
    if local is None:
        assert capability.get_toolset() is None
    else:
        assert {name: tool.unless_native for name, tool in definitions(capability).items()} == local


class NativeOnly(Code):
    def _requires_native(self) -> bool:
        return True


@pytest.mark.parametrize(
    'make',
    [
        lambda: NativeOrLocalTool[None](),
        lambda: Code(native=False, local=False),
        lambda: Code(local='somehow'),
        lambda: Code(local=True),
        lambda: NativeOnly(native=False),
        lambda: NativeOrLocalTool[None](native=lambda ctx: CodeExecutionTool(), local=add).get_toolset(),
    ],
)
def test_native_or_local_refuses(make: Any) -> None:
    with pytest.raises(UserError, match='NativeOrLocalTool|Code|NativeOnly'):
        make()


def test_settings_that_need_the_native_tool() -> None:
    assert NativeOnly().get_toolset() is None


# Specs.


@pytest.mark.parametrize(
    ('spec', 'expected'),
    [
        ('Thinking', Thinking()),
        ({'Thinking': 'high'}, Thinking('high')),
        ({'Thinking': {'effort': 'low', 'id': 't'}}, Thinking('low', id='t')),
        ({'NativeTool': {'kind': 'code_execution'}}, NativeTool(CodeExecutionTool())),
        ({'NativeTool': {'tool': {'kind': 'web_search', 'max_uses': 3}}}, NativeTool(WebSearchTool(max_uses=3))),
        ({'SetToolMetadata': {'tools': ['a'], 'x': 1}}, SetToolMetadata(tools=['a'], x=1)),
        ({'IncludeToolReturnSchemas': 'all'}, IncludeToolReturnSchemas()),
        ({'ReinjectSystemPrompt': {'replace_existing': True}}, ReinjectSystemPrompt(replace_existing=True)),
        ({'PrefixTools': {'prefix': 'p', 'capability': {'Thinking': True}}}, PrefixTools(Thinking(True), 'p')),
    ],
)
def test_a_spec_becomes_a_capability(spec: Any, expected: Any) -> None:
    assert capability_from_spec(spec) == expected


@pytest.mark.parametrize(
    'spec', ['Nope', {'Nope': {}}, {'Hooks': {}}, {}, {'Thinking': 1, 'NativeTool': 2}, 5, None, ['Thinking']]
)
def test_what_is_no_spec_of_a_capability_is_refused(spec: Any) -> None:
    with pytest.raises(ValueError, match='capability'):
        capability_from_spec(spec)


def test_the_registry_lists_each_type_under_its_serialization_name() -> None:
    assert all(cls.get_serialization_name() == name for name, cls in CAPABILITY_TYPES.items())
    with pytest.raises(UserError, match='code_execution'):
        NativeTool.from_spec(kind='nope')


# Runs.


def test_sync_tools_run_in_the_given_executor() -> None:
    names: list[str] = []

    def where() -> str:
        names.append(threading.current_thread().name)
        return 'x'

    async def outside() -> None:
        await Agent(TestModel(), tools=[where], capabilities=[ThreadExecutor(executor)]).run('x')
        await run_in_executor(where)

    with ThreadPoolExecutor(1, thread_name_prefix='mine') as executor:
        asyncio.run(outside())
    assert [name.startswith('mine') for name in names] == [True, False], 'the executor is for the run only'


HISTORY = [
    ModelRequest(parts=[SystemPromptPart('old'), UserPromptPart('hi')]),
    ModelResponse(parts=[TextPart('hello')]),
]


@pytest.mark.parametrize(('replace_existing', 'prompts'), [(False, ['old']), (True, ['mine'])])
def test_reinject_system_prompt(replace_existing: bool, prompts: list[str]) -> None:
    agent = Agent(TestModel(), system_prompt='mine', capabilities=[ReinjectSystemPrompt(replace_existing)])
    result = agent.run_sync('next', message_history=HISTORY)
    found = [p.content for m in result.all_messages() for p in m.parts if isinstance(p, SystemPromptPart)]
    assert found == prompts
    assert [type(p) for p in HISTORY[0].parts] == [SystemPromptPart, UserPromptPart], (
        'what was passed in stays as it was'
    )


# Event streams.


async def source(count: int = 4, fail: bool = False) -> Any:
    for number in range(count):
        yield number
    if fail:
        raise Boom('source')


def collect(handler: Any, **options: Any) -> list[Any]:
    async def go() -> list[Any]:
        stream = ProcessEventStream[None](handler).wrap_run_event_stream(context(), stream=source(**options))
        return [event async for event in stream]

    return asyncio.run(go())


class TestProcessEventStream:
    def test_reader_sees_everything(self) -> None:
        seen: list[Any] = []

        async def reader(ctx: Any, stream: Any) -> None:
            async for event in stream:
                seen.append(event)
                await asyncio.sleep(0.001)
            seen.append('end')

        assert collect(reader) == [0, 1, 2, 3]
        assert seen == [0, 1, 2, 3, 'end'], 'the run waits for a slow reader'

    @pytest.mark.parametrize('take', [0, 1])
    def test_reader_may_stop_early(self, take: int) -> None:
        async def reader(ctx: Any, stream: Any) -> None:
            if take:
                async for _ in stream:
                    return

        assert collect(reader) == [0, 1, 2, 3]

    def test_generator_replaces_events(self) -> None:
        async def odd(ctx: Any, stream: Any) -> Any:
            async for event in stream:
                if event % 2:
                    yield event * 10

        assert collect(odd) == [10, 30]
        assert collect(lambda ctx, stream: odd(ctx, stream)) == [10, 30]

    def test_error_of_the_reader_ends_the_run(self) -> None:
        async def reader(ctx: Any, stream: Any) -> None:
            async for event in stream:
                if event == 1:
                    raise Boom('reader')

        with pytest.raises(Boom, match='reader'):
            collect(reader)

    def test_error_of_the_source_stops_the_reader(self) -> None:
        stopped: list[bool] = []

        async def reader(ctx: Any, stream: Any) -> None:
            try:
                async for _ in stream:
                    pass
            except asyncio.CancelledError:
                stopped.append(True)
                raise

        with pytest.raises(Boom, match='source'):
            collect(reader, fail=True)
        assert stopped == [True]

    def test_leaving_early_stops_the_reader(self) -> None:
        async def reader(ctx: Any, stream: Any) -> None:
            async for _ in stream:
                pass

        async def go() -> int:
            stream: Any = ProcessEventStream[None](reader).wrap_run_event_stream(context(), stream=source())
            async for _ in stream:
                break
            await stream.aclose()
            return len(asyncio.all_tasks())

        assert asyncio.run(go()) == 1

    def test_neither_reader_nor_generator(self) -> None:
        with pytest.raises(UserError, match='wrong'):

            def wrong(ctx: Any, stream: Any) -> None:
                return None

            collect(wrong)
