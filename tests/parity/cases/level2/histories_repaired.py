"""What is sent of histories that break off: results without a call are left out in 2.x, and retries have one form."""

from __future__ import annotations

from pydantic_ai import Agent
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel


def ask(*parts: ModelRequestPart) -> ModelRequest:
    return ModelRequest(parts=[*parts])


def answer(id: str) -> ToolReturnPart:
    return ToolReturnPart('t', 'x', id)


def retry(tool_name: str | None, id: str = 'c1') -> RetryPromptPart:
    return RetryPromptPart('again', tool_name=tool_name, tool_call_id=id)


prompt, later = ask(UserPromptPart('a')), ask(UserPromptPart('c'))
text, call = ModelResponse(parts=[TextPart('b')]), ModelResponse(parts=[ToolCallPart('t', {}, 'c0')])
HISTORIES: dict[str, list[ModelMessage]] = {
    'a result alone': [ask(answer('c1'))],
    'after a text': [prompt, text, ask(answer('c1'))],
    'two': [prompt, text, ask(answer('c1')), ask(answer('c2'))],
    'with a prompt': [prompt, text, ask(answer('c1'), UserPromptPart('c'))],
    'with a system prompt': [ask(SystemPromptPart('s'), answer('c1')), text],
    'first': [ask(answer('c1')), text],
    'between two texts': [prompt, text, ask(answer('c1')), text],
    'with another one': [prompt, call, ask(answer('c0'), answer('c1'))],
    'of another call': [prompt, call, ask(answer('c1'))],
    'a retry': [prompt, text, ask(retry('t'))],
    'a retry of an output': [prompt, text, ask(retry(None))],
    'a retry of a call': [prompt, call, ask(retry('t', 'c0'))],
    'a call without a result': [prompt, call, later],
    'an empty request': [ask()],
}


def show(name: str, history: list[ModelMessage], prompt: str | None) -> None:
    sent: list[object] = []

    def answers(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        sent.extend([f'{part.part_kind} {getattr(part, "content", "")}' for part in m.parts] for m in messages)
        return ModelResponse(parts=[TextPart('done')])

    try:
        result = Agent(FunctionModel(answers)).run_sync(prompt, message_history=history)
    except UserError:
        print(f'{name}: UserError')
        return
    print(f'{name}:', *sent, sep='\n  ')
    if name == 'after a text':
        print('  it keeps', [[part.part_kind for part in message.parts] for message in result.all_messages()])


for name, history in HISTORIES.items():
    show(name, history, 'p')
for name in ('a result alone', 'after a text', 'an empty request'):
    show(f'{name}, no prompt', HISTORIES[name], None)
