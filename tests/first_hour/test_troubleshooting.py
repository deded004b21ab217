"""Each text of `docs/troubleshooting.md` is one that stead, or Python with it, really says."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stead import (
    Agent,
    CancellationToken,
    ConcurrencyLimit,
    DeferredToolRequests,
    DeferredToolResults,
    ModelHTTPError,
    RunContext,
)
from stead.capabilities import NativeTool, Thinking
from stead.exceptions import ModelRetry
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models import override_allow_model_requests
from stead.models.function import AgentInfo, FunctionModel
from stead.native_tools import WebSearchTool

PAGE = Path(__file__).parent.parent.parent / 'docs' / 'troubleshooting.md'
agent: Any = Agent('test')
ERRORS: dict[str, Callable[[], object]] = {}


def error(text: str) -> Callable[[Callable[[], object]], Callable[[], object]]:
    """Register what makes the error that the page has under a text."""

    def register(make: Callable[[], object]) -> Callable[[], object]:
        ERRORS[text] = make
        return make

    return register


def answering(*parts: Any, **fields: Any) -> FunctionModel:
    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([*parts], **fields)

    return FunctionModel(respond)


def with_tool(tool: Callable[..., object], model: Any = 'test', **options: Any) -> Any:
    agent: Any = Agent(model)
    agent.tool_plain(**options)(tool)
    return agent


def find(order: str) -> str:
    """Look up an order."""
    return 'sent'


def pay() -> str:
    """Pay."""
    return 'paid'


def asking() -> tuple[Any, Any]:
    """An agent whose first run waits for an approval, and its result."""
    agent: Any = Agent('test', output_type=[str, DeferredToolRequests])
    agent.tool_plain(requires_approval=True)(pay)
    return agent, agent.run_sync('x')


def failing(status: int) -> FunctionModel:
    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise ModelHTTPError(status, 'gpt-5', {'message': 'no'})

    return FunctionModel(respond)


@dataclass
class Deps:
    user: str


class Connection:
    pass


error('There is no API key for …. Set the environment variable …')(lambda: Agent('openai:gpt-5'))
error('cannot import name … from … Did you mean …')(lambda: exec('from stead import TestModel'))
error('…__init__() got an unexpected keyword argument …')(lambda: Thinking(efort='high'))  # type: ignore[call-arg]
error('Unknown provider: … Did you mean …')(lambda: Agent('opnai:gpt-5'))
error('There is no model: pass …')(lambda: Agent().run_sync('x'))
error('status_code: 401, model_name: …')(lambda: Agent(failing(401)).run_sync('x'))
error('status_code: 429, model_name: …')(lambda: Agent(failing(429)).run_sync('x'))
error('Agent has no argument … Did you mean …')(lambda: Agent('test', result_type=int))  # type: ignore[call-arg]
error('There already is a tool named …')(lambda: Agent('test', tools=[find, find]).run_sync('x'))
error('Cannot make a tool of …: it is registered as a tool that takes the run context, …')(lambda: agent.tool(find))
error('A capability must be an AbstractCapability … Did you forget to call it?')(
    lambda: Agent('test', capabilities=[Thinking])  # type: ignore[list-item]
)
error('Agent(tools=...) must be a sequence of functions and Tool objects, …')(lambda: Agent('test', tools=find))  # type: ignore[arg-type]
error("'AgentRunResult' object has no attribute 'data'. …")(lambda: agent.run_sync('x').data)
error('agent.run(message_history=...) must be a sequence of ModelRequest and ModelResponse messages, …')(
    lambda: agent.run_sync('x', message_history=agent.run_sync('y').all_messages_json())
)
error('Exceeded maximum output retries (…)')(
    lambda: Agent(answering(TextPart('It depends.')), output_type=int).run_sync('x')
)
error('Tools … wait for an approval or an external result, but the output type of the run does not allow that. …')(
    lambda: with_tool(pay, requires_approval=True).run_sync('x')
)
error('The next request would exceed the request_limit of …')(
    lambda: with_tool(pay, answering(ToolCallPart('pay', {}))).run_sync('x')
)
error('Model token limit (…) exceeded while generating a tool call, …')(
    lambda: with_tool(find, answering(ToolCallPart('find', '{"order": "A'), finish_reason='length')).run_sync(
        'x', model_settings={'max_tokens': 10}
    )
)
error('Content filter triggered…')(lambda: Agent(answering(finish_reason='content_filter')).run_sync('x'))
error("A run cannot have tool_choice='required' for all of its steps: …")(
    lambda: agent.run_sync('x', model_settings={'tool_choice': 'required'})
)
error('agent.run(model_settings=...) has …, which no model knows. Did you mean …')(
    lambda: agent.run_sync('x', model_settings={'temprature': 0})
)


@error('The agent run was cancelled…')
def _() -> None:
    token = CancellationToken()
    token.cancel('The customer hung up.')
    agent.run_sync('x', cancellation_token=token)


@error('The provider … needs the package …. Install it with …')
def _() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, 'groq', None)
        Agent('groq:llama-3.3-70b-versatile')


@error('The connection to the provider of … failed: …')
def _() -> None:
    openai = pytest.importorskip('openai', reason='the SDK openai is not installed')
    import httpx

    from stead.models.openai import OpenAIChatModel
    from stead.providers.openai import OpenAIProvider

    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError('All connection attempts failed')

    async def main() -> None:
        async with httpx.AsyncClient(transport=httpx.MockTransport(refuse)) as http:
            client = openai.AsyncOpenAI(api_key='k', max_retries=0, http_client=http)
            await Agent(OpenAIChatModel('gpt-5', provider=OpenAIProvider(openai_client=client))).run('x')

    with override_allow_model_requests(True):
        asyncio.run(main())


@error('The model … does not support the native tools …')
def _() -> None:
    Agent(answering(), capabilities=[NativeTool(WebSearchTool())]).run_sync('x', model=without_native_tools())


def without_native_tools() -> Any:
    from stead import ModelProfile

    model = answering()
    return FunctionModel(model.function, profile=ModelProfile(supported_native_tools=frozenset()))


@error('The weights … cannot be loaded: …')
def _() -> None:
    pytest.importorskip('xllamacpp', reason='the extra "local" is not installed')
    Agent('local:there-is-no-such.gguf')


@error('Cannot make a tool of …: pydantic cannot validate parameter …')
def _() -> None:
    def look(connection: Connection) -> str:
        return ''

    agent.tool_plain(look)


@error("object AgentRunResult can't be used in 'await' expression")
def _() -> None:
    async def main() -> None:
        await agent.run_sync('x')

    asyncio.run(main())


@error("'coroutine' object has no attribute 'output'")
def _() -> None:
    coroutine = agent.run('x')
    try:
        coroutine.output
    finally:
        coroutine.close()


@error('This cannot be looped over with async for. Use …')
def _() -> None:
    async def main() -> None:
        async for _ in agent.run_stream('x'):
            pass

    asyncio.run(main())


@error("'NoneType' object has no attribute …")
def _() -> None:
    agent: Any = Agent('test', deps_type=Deps)

    @agent.tool
    def user(ctx: RunContext[Deps]) -> str:
        return ctx.deps.user

    agent.run_sync('x')


@error('Cannot add a user prompt: the message history ends with tool calls that have no results. …')
def _() -> None:
    agent, first = asking()
    agent.run_sync('And now?', message_history=first.all_messages())


@error('Tool call results need to be provided for all deferred tool calls. Missing: …')
def _() -> None:
    agent, first = asking()
    agent.run_sync(message_history=first.all_messages(), deferred_tool_results=DeferredToolResults())


@error('Model requests are not allowed, since ALLOW_MODEL_REQUESTS is False')
def _() -> None:
    pytest.importorskip('openai', reason='the SDK openai is not installed')
    from stead.models.openai import OpenAIChatModel
    from stead.providers.openai import OpenAIProvider

    with override_allow_model_requests(False):
        Agent(OpenAIChatModel('gpt-5', provider=OpenAIProvider(api_key='k'))).run_sync('x')


@error('Tool … exceeded max retries count of …')
def _() -> None:
    def search(order: str) -> str:
        raise ModelRetry('There is no such order.')

    with_tool(search).run_sync('x')


@error('… cannot start: the concurrency limit is full, …')
def _() -> None:
    async def slow(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        await asyncio.sleep(0)
        return ModelResponse([TextPart('x')])

    async def main() -> None:
        busy: Any = Agent(FunctionModel(slow), max_concurrency=ConcurrencyLimit(max_running=1, max_queued=0))
        results = await asyncio.gather(busy.run('x'), busy.run('x'), return_exceptions=True)
        raise next(result for result in results if isinstance(result, BaseException))

    asyncio.run(main())


@error('Reading the events of a run without a block is deprecated, …')
def _() -> None:
    async def main() -> None:
        async for _ in agent.run_stream_events('x'):
            pass

    asyncio.run(main())


SINCE_3_14 = {"object AgentRunResult can't be used in 'await' expression": "'AgentRunResult' object can't be awaited"}
"""Python's own words, which have changed."""


def texts() -> list[str]:
    """The texts of errors on the page; headings in words are about something else."""
    return re.findall(r'^### `(.+)`$', PAGE.read_text(encoding='utf-8'), re.MULTILINE)


def test_the_page_has_each_of_these_errors_once() -> None:
    assert sorted(texts()) == sorted(ERRORS)


@pytest.mark.parametrize('text', ERRORS)
def test_it_says_so(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.endswith('_KEY')]:
        monkeypatch.delenv(name)
    with pytest.raises(BaseException) as caught:
        ERRORS[text]()
    if isinstance(caught.value, pytest.skip.Exception):
        raise caught.value
    message = str(caught.value).replace('`', '')
    if sys.version_info >= (3, 14):
        text = SINCE_3_14.get(text, text)
    pattern = '.*'.join(re.escape(piece.strip()) for piece in text.split('…'))
    assert re.match(pattern, message, re.DOTALL), message


def test_notes_of_the_page() -> None:
    """What else it quotes is said, too."""
    with pytest.raises(Exception, match='exceeded max retries') as caught:
        with_tool(find, answering(ToolCallPart('find', {}))).run_sync('x')
    assert "Tool 'find' was given up after 2 attempts: order: Field required" in caught.value.__notes__
    with pytest.raises(Exception, match='exceeded max retries') as caught:
        Agent(answering(ToolCallPart('fnid', {}))).run_sync('x')
    assert "Unknown tool name: 'fnid'" in caught.value.__notes__[0]
