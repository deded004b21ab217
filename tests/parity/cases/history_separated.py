"""A history processor separates a call from its result."""

from __future__ import annotations

from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel


def call(id: str) -> ToolCallPart:
    return ToolCallPart('t', {}, id)


def result(id: str) -> ToolReturnPart:
    return ToolReturnPart('t', 'ok', id)


def shown(messages: list[ModelMessage]) -> list[str]:
    return [
        f'{message.kind}: '
        + ', '.join(
            f'{part.part_kind} {getattr(part, "tool_call_id", "")} {str(getattr(part, "content", ""))[:80]}'
            for part in message.parts
        )
        for message in messages
    ]


def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    for line in shown(messages):
        print('   ', line)
    return ModelResponse(parts=[TextPart('done')])


def ask(text: str) -> ModelRequest:
    return ModelRequest(parts=[UserPromptPart(text)])


WHOLE: list[ModelMessage] = [
    ask('q'),
    ModelResponse(parts=[call('a'), call('b')]),
    ModelRequest(parts=[result('a'), result('b')]),
    ModelResponse(parts=[TextPart('x')]),
]
BROKEN: dict[str, list[ModelMessage]] = {
    'without the call': [ask('q'), WHOLE[2], WHOLE[3]],
    'without the response before': WHOLE[2:],
    'without the result': [WHOLE[0], WHOLE[1], WHOLE[3]],
    'without one result': [WHOLE[0], WHOLE[1], ModelRequest(parts=[result('a')]), WHOLE[3]],
    'apart': [WHOLE[0], WHOLE[1], ask('z'), WHOLE[3], WHOLE[2], WHOLE[3]],
}
for name, history in BROKEN.items():

    def process(messages: list[ModelMessage]) -> list[ModelMessage]:
        return [*history, messages[-1]]  # noqa: B023

    print(name)
    agent = Agent(FunctionModel(answer), capabilities=[ProcessHistory(process)])
    done = agent.run_sync('go on', message_history=list(WHOLE))
    print('  all:', *shown(done.all_messages()), sep='\n    ')
