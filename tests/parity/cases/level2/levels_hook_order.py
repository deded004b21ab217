"""The order of hooks in 2.x: wraps are around all others of their point, and see what these raise; also in streams and `async for`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import SkipModelRequest, SkipToolExecution, SkipToolValidation, ToolFailed
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.run import AgentRunResult

LOG: list[str] = []
VALUES = {
    'run': (None, 'result'),
    'node_run': ('node', 'result'),
    'model_request': ('request_context', 'response'),
    'tool_validate': ('args', 'args'),
    'tool_execute': ('args', 'result'),
    'output_validate': ('output', 'output'),
    'output_process': ('output', 'output'),
}
SKIPS: dict[str, Any] = {
    'model_request': (SkipModelRequest, ModelResponse(parts=[TextPart('skipped')])),
    'tool_validate': (SkipToolValidation, {'x': 9}),
    'tool_execute': (SkipToolExecution, 7),
}


def hooks_of(name: str, point: str, wrong: dict[str, Exception]) -> dict[str, Any]:
    value, result = VALUES[point]

    def note(what: str) -> None:
        LOG.append(f'{name}{what} {point}')
        if error := wrong.get(f'{what} {point}'):
            raise error

    def sent(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        return [] if value is None else [args[0] if args else kwargs[value]]

    async def before(self: Any, ctx: Any, *args: Any, **kwargs: Any) -> Any:
        note('b')
        return (sent(args, kwargs) or [None])[0]

    async def after(self: Any, ctx: Any, **kwargs: Any) -> Any:
        note('a')
        return kwargs[result]

    async def wrap(self: Any, ctx: Any, *args: Any, handler: Any, **kwargs: Any) -> Any:
        note('>')
        try:
            answered = await handler(*sent(args, kwargs))
        except Exception as error:
            LOG.append(f'{name}! {point} {type(error).__name__}')
            raise
        note('<')
        return answered

    async def on_error(self: Any, ctx: Any, *, error: Exception, **kwargs: Any) -> Any:
        LOG.append(f'{name}e {point} {type(error).__name__}')
        raise error

    names = f'before_{point}', f'after_{point}', f'wrap_{point}', f'on_{point}_error'
    return dict(zip(names, (before, after, wrap, on_error)))


def noting(name: str, **wrong: Exception) -> AbstractCapability[Any]:
    errors = {key.replace('_', ' ', 1): error for key, error in wrong.items()}
    hooks: dict[str, Any] = {}
    for point in VALUES:
        hooks |= hooks_of(name, point, errors)
    return type(name, (AbstractCapability,), hooks)()


def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return ModelResponse(parts=[TextPart('done') if len(messages) > 1 else ToolCallPart('t', {'x': 1}, 'c1')])


def no_answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    raise RuntimeError('no model')


async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
    if len(messages) == 1:
        yield {0: DeltaToolCall('t', '{"x":1}', tool_call_id='c1')}
    else:
        yield 'do'
        yield 'ne'


def agent_of(*capabilities: AbstractCapability[Any], model: Any = answer, error: Exception | None = None) -> Agent[Any]:
    LOG.clear()
    agent: Agent[Any] = Agent(FunctionModel(model, stream_function=stream), capabilities=capabilities)

    @agent.tool_plain
    def t(x: int) -> int:
        if error:
            raise error
        return x

    return agent


def show(title: str, point: str | None = None) -> None:
    words = [line.split() for line in LOG]
    print(
        f'{title}:', '; '.join(' '.join(word) for word in words if point in (None, word[1]) or word[0] in ('=', '!!'))
    )


def run(title: str, agent: Agent[Any], point: str | None = None) -> None:
    try:
        LOG.append(f'= {agent.run_sync("q").output}')
    except Exception as error:
        LOG.append(f'!! {type(error).__name__}')
    show(title, point)


for point in VALUES:
    run('plain', agent_of(noting('A'), noting('B')), point)
    for what in 'b>a<':
        wrong: dict[str, Any] = {f'{what}_{point}': RuntimeError(point)}
        run(f'error in {what}', agent_of(noting('A'), noting('B', **wrong), noting('C')), point)
        wrong = {f'{what}_{point}': ModelRetry('again')}
        if point in SKIPS:
            run(f'retry in {what}', agent_of(noting('A'), noting('B', **wrong), noting('C')), point)
            signal, value = SKIPS[point]
            wrong = {f'{what}_{point}': signal(value)}
            run(f'skip in {what}', agent_of(noting('A'), noting('B', **wrong), noting('C')), point)
for point in ('model_request', 'node_run', 'run'):
    run('the model fails', agent_of(noting('A'), noting('B'), model=no_answer), point)
for error in (ModelRetry('again'), ToolFailed('broken'), RuntimeError('wrong')):
    run(f'tool: {type(error).__name__}', agent_of(noting('A'), noting('B'), error=error), 'tool_execute')


class Recovers(AbstractCapability[Any]):
    async def on_model_request_error(self, ctx: Any, *, request_context: Any, error: Exception) -> ModelResponse:
        return ModelResponse(parts=[TextPart('recovered')])


class RecoversRun(AbstractCapability[Any]):
    async def on_run_error(self, ctx: Any, *, error: BaseException) -> AgentRunResult[Any]:
        return AgentRunResult('recovered')


run('recovered', agent_of(noting('A'), Recovers(), noting('C'), model=no_answer), 'model_request')
run('recovered run', agent_of(noting('A'), RecoversRun(), noting('C'), model=no_answer), 'run')


async def streams() -> None:
    agent = agent_of(noting('A'), noting('B'))
    async with agent.run_stream('q') as result:
        LOG.append('body of')
        LOG.extend([f'= {text}' async for text in result.stream_text(debounce_by=None)])
    for point in VALUES:
        show(f'run_stream {point}', point)
    agent = agent_of(noting('A'))
    async with agent.iter('q') as run:
        async for node in run:
            LOG.append(f'node {type(node).__name__}')
    show('async for')
    agent = agent_of(noting('A'))
    async with agent.iter('q') as run:
        async for node in run:
            LOG.append(f'node {type(node).__name__}')
            if Agent.is_model_request_node(node) or Agent.is_call_tools_node(node):
                async with node.stream(run.ctx) as events:
                    LOG.append('body of')
                    _ = [event async for event in events]
                LOG.append('left it')
    show('node.stream')


asyncio.run(streams())
