"""What is measured: each row is work for an agent, and the same work by hand, without the framework.

The work by hand is in plain Python: the same messages, validators, tools and model functions, and an `await` where the
framework has to await. It keeps a history, and has no hooks, limits, retries,
events, approvals or errors that say what to do.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NamedTuple

from pydantic import BaseModel
from pydantic_core import SchemaValidator, core_schema, from_json

from stead import (
    Agent,
    Budget,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    UsageLimits,
    UserPromptPart,
)
from stead.capabilities import AbstractCapability, KeepLast, OffloadToolResults
from stead.messages import ModelMessagesTypeAdapter, PartDeltaEvent, TextPartDelta, ToolReturnPart
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel
from stead.toolsets import FunctionToolset

NO_LIMIT = UsageLimits(request_limit=None)
_FIELD = core_schema.typed_dict_field(core_schema.int_schema())
_ARGS = SchemaValidator(core_schema.typed_dict_schema({'a': _FIELD, 'b': _FIELD}))


class Row(NamedTuple):
    """One thing to measure."""

    name: str
    unit: str
    """What the figures are for one of."""
    count: int
    """How many of these one call does."""
    ours: Callable[[], Awaitable[object]]
    by_hand: Callable[[], Awaitable[object]]


async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def other_tool(number: int) -> Callable[..., Any]:
    async def other(x: int, y: str = 'a') -> str:
        """Do something else."""
        return y

    other.__name__ = f'other_{number}'
    return other


def stepper(steps: int) -> Callable[[list[ModelMessage], Any], ModelResponse]:
    def reply(messages: list[ModelMessage], info: AgentInfo | None) -> ModelResponse:
        step = len(messages) // 2
        if step >= steps:
            return ModelResponse([TextPart('done')])
        return ModelResponse([ToolCallPart('add', {'a': step, 'b': 1})])

    return reply


def adder(steps: int) -> Callable[[list[ModelMessage], Any], ModelResponse]:
    """Return a model that knows from the last result alone at which step it is, however few messages it reads."""

    def reply(messages: list[ModelMessage], info: AgentInfo | None) -> ModelResponse:
        part = messages[-1].parts[-1]
        step = int(part.content) if isinstance(part, ToolReturnPart) else 0
        if step >= steps:
            return ModelResponse([TextPart('done')])
        return ModelResponse([ToolCallPart('add', {'a': step, 'b': 1})])

    return reply


def running(agent: Agent[None, str], history: list[ModelMessage] | None = None) -> Callable[[], Awaitable[object]]:
    async def run() -> None:
        result = await agent.run('go', usage_limits=NO_LIMIT, message_history=history)
        assert result.output == 'done'

    return run


def loop_by_hand(
    reply: Callable[[list[ModelMessage], Any], ModelResponse], history: list[ModelMessage] | None = None
) -> Callable[[], Awaitable[object]]:
    tools = {'add': (_ARGS, add)}

    async def call(part: ToolCallPart) -> ToolReturnPart:
        validator, function = tools[part.tool_name]
        return ToolReturnPart(part.tool_name, await function(**validator.validate_python(part.args)), part.tool_call_id)

    async def run() -> None:
        messages: list[ModelMessage] = [*(history or ()), ModelRequest([UserPromptPart('go')])]
        while True:
            response = reply(list(messages), None)
            messages.append(response)
            calls = response.tool_calls
            if not calls:
                assert response.text == 'done'
                return
            if len(calls) == 1:
                answers = [await call(calls[0])]
            else:
                answers = await asyncio.gather(*map(call, calls))
            messages.append(ModelRequest(answers))

    return run


class Middleware(AbstractCapability[Any]):
    """A capability that looks at requests and calls, and changes nothing."""

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        return request_context

    async def wrap_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
        return await handler(args)


def loop(name: str, steps: int, tools: int = 1, **options: Any) -> Row:
    functions = [add, *(other_tool(number) for number in range(tools - 1))]
    agent = Agent(FunctionModel(stepper(steps)), tools=functions, name='bench', **options)
    return Row(name, 'step', steps + 1, running(agent), loop_by_hand(stepper(steps)))


def shortened(name: str, steps: int, capability: AbstractCapability[Any]) -> Row:
    agent = Agent(FunctionModel(adder(steps)), tools=[add], name='bench', capabilities=[capability])
    return Row(name, 'step', steps + 1, running(agent), loop_by_hand(adder(steps)))


def wrapped(steps: int) -> Row:
    toolset: FunctionToolset[None] = FunctionToolset([add])
    around = toolset.prefixed('x').filtered(lambda ctx, definition: True).renamed({'add': 'x_add'})
    agent = Agent(FunctionModel(stepper(steps)), toolsets=[around], name='bench')
    return Row('wrapped toolsets', 'step', steps + 1, running(agent), loop_by_hand(stepper(steps)))


def parallel(calls: int) -> Row:
    def reply(messages: list[ModelMessage], info: AgentInfo | None) -> ModelResponse:
        if len(messages) > 1:
            return ModelResponse([TextPart('done')])
        return ModelResponse([ToolCallPart('add', {'a': number, 'b': 1}) for number in range(calls)])

    agent = Agent(FunctionModel(reply), tools=[add], name='bench')
    return Row(f'{calls} calls at once', 'call', calls, running(agent), loop_by_hand(reply))


def long_history(messages: int) -> Row:
    def reply(messages: list[ModelMessage], info: AgentInfo | None) -> ModelResponse:
        return ModelResponse([TextPart('done')])

    history = talk(messages)
    agent = Agent(FunctionModel(reply), name='bench')
    return Row(f'{messages} messages', 'run', 1, running(agent, history), loop_by_hand(reply, history))


def talk(messages: int) -> list[ModelMessage]:
    history: list[ModelMessage] = []
    for number in range(messages // 2):
        history.append(ModelRequest([UserPromptPart(f'hello {number}')]))
        history.append(ModelResponse([TextPart('hi ' * 20)]))
    return history


def text_stream(chunks: int) -> Row:
    async def reply(messages: list[ModelMessage], info: AgentInfo | None) -> AsyncIterator[str]:
        for _ in range(chunks):
            yield 'word '

    agent = Agent(FunctionModel(stream_function=reply), name='bench')

    async def run() -> None:
        async with agent.run_stream('go') as result:
            pieces = [piece async for piece in result.stream_text(delta=True, debounce_by=None)]
        assert len(pieces) == chunks

    async def by_hand() -> None:
        pieces: list[str] = []
        async for piece in reply([], None):
            event = PartDeltaEvent(index=0, delta=TextPartDelta(piece))
            assert isinstance(event.delta, TextPartDelta)
            pieces.append(event.delta.content_delta)
        assert ModelResponse([TextPart(''.join(pieces))]).text == 'word ' * chunks

    return Row('text, in pieces', 'chunk', chunks, run, by_hand)


class TableRow(BaseModel):
    """A row of the output that is streamed."""

    a: int
    b: str


class Table(BaseModel):
    """The output that is streamed."""

    rows: list[TableRow]


def output_stream(rows: int) -> Row:
    text = Table(rows=[TableRow(a=number, b='xyz') for number in range(rows)]).model_dump_json()
    pieces = [text[start : start + 8] for start in range(0, len(text), 8)]

    async def reply(messages: list[ModelMessage], info: AgentInfo | None) -> AsyncIterator[dict[int, DeltaToolCall]]:
        yield {0: DeltaToolCall(name='final_result', json_args='')}
        for piece in pieces:
            yield {0: DeltaToolCall(json_args=piece)}

    agent = Agent(FunctionModel(stream_function=reply), output_type=Table, name='bench')

    async def run() -> None:
        async with agent.run_stream('go') as result:
            outputs = [len(output.rows) async for output in result.stream_output(debounce_by=None)]
        assert outputs[-1] == rows

    async def by_hand() -> None:
        whole, parsed_rows, begin = '', 0, text.index('[') + 1
        async for piece in reply([], None):
            whole += piece[0].json_args or ''
            while parsed_rows < rows and (end := whole.find('}', begin)) >= 0:  # each row once, as soon as it is there
                TableRow.__pydantic_validator__.validate_json(whole[begin : end + 1])
                parsed_rows, begin = parsed_rows + 1, end + 2
        assert len(Table.model_validate(from_json(whole)).rows) == parsed_rows == rows

    return Row('output that grows', 'chunk', len(pieces), run, by_hand)


def stored(messages: int) -> list[Row]:
    history = talk(messages)
    text = ModelMessagesTypeAdapter.dump_json(history)
    plain: list[Any] = from_json(text)

    async def dump() -> None:
        assert len(ModelMessagesTypeAdapter.dump_json(history)) == len(text)

    async def dump_by_hand() -> None:
        assert json.dumps(plain)

    async def load() -> None:
        assert len(ModelMessagesTypeAdapter.validate_json(text)) == messages

    async def load_by_hand() -> None:
        loaded: list[ModelMessage] = []
        for message in from_json(text):
            if message['kind'] == 'request':
                loaded.append(ModelRequest([UserPromptPart(part['content']) for part in message['parts']]))
            else:
                loaded.append(ModelResponse([TextPart(part['content']) for part in message['parts']]))
        assert len(loaded) == messages

    return [
        Row('write a history', 'message', messages, dump, dump_by_hand),
        Row('read a history', 'message', messages, load, load_by_hand),
    ]


def rows() -> list[Row]:
    """Return all rows."""
    return [
        loop('plain run', 0),
        loop('10 steps', 10),
        loop('100 steps', 100),
        loop('a budget', 100, budget=Budget(tokens=10**9, requests=10**6)),
        loop('100 tools', 20, 100),
        shortened('the latest messages', 100, KeepLast(messages=20)),
        shortened('offloaded results', 100, OffloadToolResults()),
        loop('10 capabilities', 20, capabilities=[Middleware() for _ in range(10)]),
        wrapped(20),
        parallel(500),
        text_stream(2000),
        output_stream(200),
        long_history(4000),
        *stored(1000),
    ]
