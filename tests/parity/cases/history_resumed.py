"""What counts as new in a run that answers the end of its history, when history processors return other messages."""

import asyncio
import copy
import dataclasses

from _common import fact
from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel


def history(run_id):
    return [
        ModelRequest(parts=[UserPromptPart('a')], run_id=run_id),
        ModelResponse(parts=[TextPart('b')], run_id=run_id),
        ModelRequest(parts=[UserPromptPart('c')], run_id=run_id),
    ]


def renamed_in_place(messages):
    for message in messages:
        message.run_id = 'x'
    return messages


PROCESSORS = {
    'same': lambda messages: messages,
    'list': lambda messages: [*messages],
    'copied': lambda messages: copy.deepcopy(messages),
    'replaced': lambda messages: [dataclasses.replace(message) for message in messages],
    'last': lambda messages: messages[-1:],
    'last copied': lambda messages: [copy.deepcopy(messages[-1])],
    'requests': lambda messages: [message for message in messages if message.kind == 'request'],
    'requests copied': lambda messages: [copy.deepcopy(message) for message in messages if message.kind == 'request'],
    'more before': lambda messages: [ModelRequest(parts=[UserPromptPart('zero')]), *copy.deepcopy(messages)],
    'more after': lambda messages: [*messages, ModelRequest(parts=[UserPromptPart('late')])],
    'other run': lambda messages: [dataclasses.replace(message, run_id='x') for message in messages],
    'other run in place': renamed_in_place,
    'no run': lambda messages: [dataclasses.replace(message, run_id=None) for message in messages],
}


def rows(messages):
    return [
        [message.kind, str(getattr(message.parts[0], 'content', message.parts[0].part_kind))] for message in messages
    ]


def agent(processor, with_tool):
    def calls(messages):
        return with_tool and not any(part.part_kind == 'tool-return' for message in messages for part in message.parts)

    def answer(messages, info):
        return ModelResponse(parts=[ToolCallPart('t', {}) if calls(messages) else TextPart('end')])

    async def stream(messages, info):
        yield {0: DeltaToolCall('t', '{}')} if calls(messages) else 'end'

    built = Agent(FunctionModel(answer, stream_function=stream), capabilities=[ProcessHistory(processor)])

    @built.tool_plain
    def t() -> str:
        return 'r'

    return built


async def main():
    for name, processor in PROCESSORS.items():
        for run_id in (None, 'old'):
            for with_tool in (False, True):
                for prompt in (None, 'new'):
                    title = f'{name} {run_id} {with_tool} {prompt}'
                    result = await agent(processor, with_tool).run(prompt, message_history=history(run_id))
                    fact(title, [rows(result.new_messages()), len(result.all_messages())])
                    opened = agent(processor, with_tool).run_stream(prompt, message_history=history(run_id))
                    async with opened as streamed:
                        await streamed.get_output()
                        fact('  streamed', rows(streamed.new_messages()) == rows(result.new_messages()))
                    async with agent(processor, with_tool).iter(prompt, message_history=history(run_id)) as run:
                        async for _ in run:
                            pass
                        fact('  iter', rows(run.new_messages()) == rows(result.new_messages()))


asyncio.run(main())
