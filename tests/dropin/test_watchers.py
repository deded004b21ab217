"""Methods that programs replace in order to watch runs are passed by every call, as Sentry, MLflow, Datadog and Braintrust do it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterable, Callable
from typing import Any

import pytest

from stead import Agent, CallToolsNode, RunContext, ToolDenied, direct
from stead.capabilities import Journal
from stead.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from stead.models import Model
from stead.models.function import FunctionModel
from stead.models.test import TestModel
from stead.models.wrapper import WrapperModel
from stead.tool_manager import ToolManager
from stead.tools import DeferredToolRequests, DeferredToolResults
from stead.toolsets import CombinedToolset

pytestmark = pytest.mark.anyio
Seen = list[str]


@pytest.fixture
def anyio_backend() -> str:
    return 'asyncio'


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, str], Seen]:
    """Replace a method by one that notes its calls."""

    def replace(owner: Any, name: str) -> Seen:
        original, seen = getattr(owner, name), Seen()

        def note(args: tuple[Any, ...]) -> None:
            call = args[1] if len(args) > 1 else None
            seen.append(getattr(getattr(call, 'call', call), 'tool_name', name))

        if inspect.iscoroutinefunction(original):

            @functools.wraps(original)
            async def watched(*args: Any, **kwargs: Any) -> Any:
                note(args)
                return await original(*args, **kwargs)
        else:

            @functools.wraps(original)
            def watched(*args: Any, **kwargs: Any) -> Any:
                note(args)
                return original(*args, **kwargs)

        monkeypatch.setattr(owner, name, watched)
        return seen

    return replace


def add(x: int) -> int:
    """Add one."""
    return x + 1


def an_agent(**options: Any) -> Agent[None, str]:
    return Agent(TestModel(), tools=[add], name='watched', **options)


async def run(agent: Agent[None, Any]) -> Any:
    return (await agent.run('hi')).output


async def run_stream(agent: Agent[None, Any]) -> Any:
    async with agent.run_stream('hi') as result:
        return await result.get_output()


async def run_events(agent: Agent[None, Any]) -> Any:
    async with agent.run_stream_events('hi') as events:
        return [event async for event in events][-1].result.output  # type: ignore[union-attr]


async def run_iter(agent: Agent[None, Any]) -> Any:
    async with agent.iter('hi') as steps:
        async for _ in steps:
            pass
    assert steps.result is not None
    return steps.result.output


async def run_handled(agent: Agent[None, Any]) -> Any:
    async def read(ctx: RunContext[None], events: AsyncIterable[Any]) -> None:
        async for _ in events:
            pass

    return (await agent.run('hi', event_stream_handler=read)).output


WAYS = [run, run_stream, run_events, run_iter, run_handled]


@pytest.mark.parametrize('way', WAYS)
@pytest.mark.parametrize('journal', [False, True], ids=['plain', 'journal'])
async def test_a_call_passes_the_methods_of_the_manager(
    way: Callable[[Agent[None, Any]], Any], journal: bool, watch: Callable[[Any, str], Seen]
) -> None:
    validated, executed = watch(ToolManager, 'validate_tool_call'), watch(ToolManager, 'execute_tool_call')
    agent = an_agent(capabilities=[Journal()] if journal else [])
    assert await way(agent) == '{"add":1}'
    assert (validated, executed) == (['add'], ['add'])


@pytest.mark.parametrize('way', WAYS)
async def test_the_toolset_of_all_tools_is_called(
    way: Callable[[Agent[None, Any]], Any], watch: Callable[[Any, str], Seen]
) -> None:
    called = watch(CombinedToolset, 'call_tool')
    assert await way(an_agent()) == '{"add":1}'
    assert called == ['call_tool']


async def test_events_of_calls_are_read_though_the_caller_reads_none(watch: Callable[[Any, str], Seen]) -> None:
    streamed = watch(CallToolsNode, 'stream')
    assert await run(an_agent()) == '{"add":1}'
    assert len(streamed) == 2
    streamed.clear()
    assert await run_iter(an_agent()) == '{"add":1}'
    assert len(streamed) == 2


async def test_an_error_of_a_tool_is_that_of_the_run(watch: Callable[[Any, str], Seen]) -> None:
    agent = Agent(TestModel())

    @agent.tool_plain
    def fail(x: int) -> int:
        raise OSError('no disk')

    watch(CallToolsNode, 'stream')
    executed = watch(ToolManager, 'execute_tool_call')
    with pytest.raises(OSError, match='no disk'):
        await agent.run('hi')
    assert executed == ['fail']


async def test_consent_is_asked_for_as_ever(watch: Callable[[Any, str], Seen]) -> None:
    ran: list[int] = []
    agent = Agent(TestModel(), output_type=[str, DeferredToolRequests])

    @agent.tool_plain(requires_approval=True)
    def wipe(x: int) -> str:
        ran.append(x)
        return 'wiped'

    executed = watch(ToolManager, 'execute_tool_call')
    first = await agent.run('hi')
    assert isinstance(first.output, DeferredToolRequests)
    assert (executed, ran) == ([], [])
    (call,) = first.output.approvals
    denied = DeferredToolResults(approvals={call.tool_call_id: ToolDenied()})
    await agent.run(message_history=first.all_messages(), deferred_tool_results=denied)
    assert (executed, ran) == ([], [])
    approved = DeferredToolResults(approvals={call.tool_call_id: True})
    await agent.run(message_history=first.all_messages(), deferred_tool_results=approved)
    assert (executed, ran) == (['wipe'], [0])


async def test_calls_that_a_tool_makes_pass_them_too(watch: Callable[[Any, str], Seen]) -> None:
    def model(messages: list[Any], info: Any) -> ModelResponse:
        last = messages[-1].parts[-1]
        if isinstance(last, ToolReturnPart):
            return ModelResponse(parts=[TextPart(str(last.content))])
        return ModelResponse(parts=[ToolCallPart('outer', {}, tool_call_id='o')])

    journal = Journal()
    agent = Agent(FunctionModel(model), tools=[add], capabilities=[journal])

    @agent.tool
    async def outer(ctx: RunContext[None]) -> str:
        assert ctx.tool_manager is not None
        calls = [ToolCallPart('add', {'x': number}, tool_call_id=f'c{number}') for number in (1, 2)]
        return str([await ctx.tool_manager.handle_call(call) for call in calls])

    executed = watch(ToolManager, 'execute_tool_call')
    assert await run(agent) == '[2, 3]'
    assert executed == ['outer', 'add', 'add']
    (recorded,) = await journal.runs()
    records = await journal.records(recorded.run_id)
    assert sum(record.kind == 'calling' for record in records) == 3


async def test_models_that_a_program_puts_around_those_of_agents_and_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    class Watched(WrapperModel):
        async def request(self, *args: Any, **kwargs: Any) -> ModelResponse:
            asked.append(self.model_name)
            return await super().request(*args, **kwargs)

    def around(choose: Callable[..., Model]) -> Callable[..., Model]:
        return lambda *args, **kwargs: Watched(choose(*args, **kwargs))

    monkeypatch.setattr(Agent, '_get_model', around(Agent._get_model))  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(direct, '_prepare_model', around(direct._prepare_model))  # pyright: ignore[reportPrivateUsage]
    assert await run(an_agent()) == '{"add":1}'
    assert asked == ['test', 'test']
    await direct.model_request('test', [ModelRequest.user_text_prompt('hi')])
    assert asked == ['test', 'test', 'test']


def test_the_thread_that_reads_a_stream_can_be_given_the_context_of_its_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    original = direct.StreamedResponseSync._start_producer  # pyright: ignore[reportPrivateUsage]

    def watched(self: Any) -> None:
        read = self._async_producer
        self._async_producer = lambda: (started.append('in the thread'), read())[1]
        original(self)

    monkeypatch.setattr(direct.StreamedResponseSync, '_start_producer', watched)
    with direct.model_request_stream_sync('test', [ModelRequest.user_text_prompt('hi')]) as stream:
        assert list(stream)
    assert started == ['in the thread']
