"""Retries as 2.x writes them: of a tool a return with the outcome `retried`, of an output and an empty response feedback."""

from __future__ import annotations

import asyncio
import json
import warnings
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry, PromptedOutput, RunContext, ToolOutput, messages as m
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import ModelMessagesTypeAdapter, RetryPromptPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel

warnings.simplefilter('ignore')
TIMES = {
    'timestamp',
    'run_id',
    'conversation_id',
    'usage',
    'model_name',
    'provider_url',
    'instructions',
    'content_file_digests',
}


def model(*steps: list[Any]) -> FunctionModel:
    responses = iter(steps)
    return FunctionModel(lambda messages, info: m.ModelResponse(parts=next(responses)))


def call(name: str, id: str, **args: Any) -> m.ToolCallPart:
    return m.ToolCallPart(name, args, tool_call_id=id)


def show(messages: list[m.ModelMessage]) -> None:
    for message in messages:
        for part in message.parts:
            if isinstance(message, m.ModelRequest):
                plain = json.loads(ModelMessagesTypeAdapter.dump_json([m.ModelRequest(parts=[part])]))[0]['parts'][0]
                print('  ', type(part).__name__, {key: value for key, value in plain.items() if key not in TIMES})
                if isinstance(part, (m.RetryFeedbackPart, m.BaseToolReturnPart)):
                    read = part.model_response() if isinstance(part, m.RetryFeedbackPart) else part.model_response_str()
                    print('    ', repr(read))


class Answer(BaseModel):
    x: int


DONE = [m.TextPart('done')]


def of_tools() -> Agent:
    agent = Agent(
        model(
            [call('t', 'c1', x=1)],
            [call('t', 'c2', x='no'), call('fails', 'c7'), call('nope', 'c3')],
            [m.ToolCallPart('t', '{"x', tool_call_id='c4')],
            [call('checked', 'c5', x=1)],
            [call('t', 'c6', x=3)],
            DONE,
        ),
        retries=5,
    )

    @agent.tool
    def t(ctx: RunContext, x: int) -> int:
        if x == 1:
            raise ModelRetry('not 1')
        return x

    @agent.tool_plain
    def fails() -> None:
        raise ToolFailed('broken')

    def check(ctx: RunContext, x: int) -> None:
        raise ModelRetry('checked')

    @agent.tool_plain(args_validator=check)
    def checked(x: int) -> int:
        return x

    return agent


def of_outputs() -> Agent:
    steps = [call('final_result', 'c1', x='a')], DONE, [], [m.ThinkingPart('hm')], [call('final_result', 'c2', x=1)]
    return Agent(model(*steps), output_type=ToolOutput(Answer), retries=9)


def of_text() -> Agent:
    agent = Agent(model([m.TextPart('bad')], [], [m.ThinkingPart('hm')], DONE), retries=9)

    @agent.output_validator
    def validate(ctx: RunContext, output: str) -> str:
        if output == 'bad':
            raise ModelRetry(f'not so {ctx.retry}')
        return output

    return agent


def of_prompted() -> Agent:
    texts = [m.TextPart('{"x":"a"}')], [m.TextPart('no')], [m.TextPart('{"x":2}')]
    return Agent(model(*texts), output_type=PromptedOutput(Answer), retries=3)


def of_functions() -> Agent:
    def final(x: int) -> int:
        if x == 1:
            raise ModelRetry('not 1')
        return x

    steps = [call('final_result', 'c1', x=1), call('t', 'c2')], [call('final_result', 'c3', x=2)]
    agent = Agent(model(*steps), output_type=final, retries=3)

    @agent.tool_plain
    def t() -> str:
        return 'ran'

    return agent


AGENTS: tuple[Callable[[], Agent], ...] = (of_tools, of_outputs, of_text, of_prompted, of_functions)


async def main() -> None:
    for build in AGENTS:
        print(build.__name__)
        result = await build().run('q')
        print('  ', result.output)
        show(result.all_messages())
    agent = of_tools()
    async with agent.iter('q') as run:
        async for node in run:
            if Agent.is_call_tools_node(node):
                async with node.stream(run.ctx) as events:
                    async for event in events:
                        if isinstance(event, (m.FunctionToolResultEvent, m.OutputToolResultEvent)):
                            part = event.part
                            print(
                                '   event', type(event).__name__, type(part).__name__, part.tool_call_id, part.outcome
                            )
    stored = (
        '[{"kind":"request","parts":[{"part_kind":"user-prompt","content":"q"}]},'
        '{"kind":"response","parts":[{"part_kind":"tool-call","tool_name":"t","args":{},"tool_call_id":"c"}]},'
        '{"kind":"request","parts":[{"part_kind":"retry-prompt","tool_name":"t","tool_call_id":"c","content":"again"}]},'
        '{"kind":"response","parts":[{"part_kind":"text","content":"x"}]},'
        '{"kind":"request","parts":[{"part_kind":"retry-prompt","content":[{"type":"missing","loc":["x"],"msg":"m","input":1}]}]}]'
    )
    loaded = ModelMessagesTypeAdapter.validate_json(stored)
    print('stored by 1.x')
    show(loaded)
    for part in (
        RetryPromptPart('why', tool_name='t', tool_call_id='c'),
        RetryPromptPart('why', tool_call_id='c'),
    ):
        print(type(part).__name__, part.part_kind, repr(part.model_response()))
        [message] = ModelMessagesTypeAdapter.validate_json(
            ModelMessagesTypeAdapter.dump_json([m.ModelRequest(parts=[part])])
        )
        print(type(message.parts[0]).__name__)
    result = await Agent(TestModel(), retries=2).run(
        'q',
        message_history=[
            m.ModelRequest(parts=[m.UserPromptPart('q')]),
            m.ModelResponse(parts=[call('t', 'c')]),
            m.ModelRequest(parts=[RetryPromptPart('why', tool_name='t', tool_call_id='c')]),
        ],
    )
    print([type(part).__name__ for message in result.all_messages() for part in message.parts])


asyncio.run(main())
