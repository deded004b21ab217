"""`Choices`, `Choice` and `BoolCriteria`: what the model is shown, what the program gets, what is refused; outputs that were cut."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, TypeAdapter
from pydantic_ai import Agent, ModelRetry, PromptedOutput, ToolOutput
from pydantic_ai.messages import ModelMessage, ModelResponse, ModelResponsePart, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.output import BoolCriteria, Choice, Choices

VALUES: Any = Choices({'a': Choice('first', value=1), 'b': 'second', 'c': Choice(value=[2])})
NAMED: Any = Choices(['u', 'v'], name='Pick', description='Pick one')


def act() -> int:
    return 5


async def act_later(word: str = 'w') -> str:
    return word


def refuse() -> str:
    raise ModelRetry('no')


class Thing(BaseModel):
    kind: VALUES = 1  # type: ignore[valid-type]
    new: Annotated[bool, BoolCriteria(true='T', false='F')] = False


def facts(name: str, function: Callable[[], object]) -> None:
    try:
        print(name, function())
    except Exception as error:
        print(name, type(error).__name__)


def run(output_type: Any, args: Any = 'a', *, text: str | None = None) -> Any:
    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) == 1:
            for tool in info.output_tools:
                print('  ', tool.name, tool.description, tool.parameters_json_schema, tool.sequential)
            print('  ', info.model_request_parameters.output_object)
        if text is not None:
            return ModelResponse(parts=[TextPart(text)])
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, {'response': args})])

    return Agent(FunctionModel(respond), output_type=output_type).run_sync('q').output


def cut(output_type: Any, *parts: ModelResponsePart) -> tuple[int, object]:
    asked: list[int] = []

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        asked.append(1)
        return ModelResponse(parts=list(parts), finish_reason='length')

    agent = Agent(FunctionModel(respond), output_type=output_type, retries=2)

    @agent.tool_plain
    def tool(x: int) -> int:
        return x

    try:
        result: object = agent.run_sync('q').output
    except Exception as error:
        result = f'{type(error).__name__}: {error}'
    return len(asked), result


for output_type in (Choices(['a', 'b']), VALUES, NAMED, [NAMED, Choices(['w'])], ToolOutput(VALUES, sequential=True)):
    facts('output', lambda: run(output_type, 'u' if output_type in (NAMED,) or isinstance(output_type, list) else 'a'))
facts('unknown', lambda: run(VALUES, 'z'))
facts('prompted', lambda: run(PromptedOutput(VALUES), text='{"response": "c"}'))
facts('list', lambda: run(list[VALUES], ['a', 'b']))
facts('bool', lambda: run(Annotated[bool, BoolCriteria(true='T', false='F')], True))
for action in (act, act_later, refuse, functools.partial(act_later, 'p'), lambda word: word):  # type: ignore[misc]
    facts('action', lambda: run(Choices({'a': Choice('x', value=action), 'b': 'y'})))
facts('no action', lambda: run(Choices({'b': Choice('x', value=act), 'a': Choice(value=3)})))
for form in (VALUES, NAMED, Choices({'a': ''}), Thing, Annotated[Literal['u'], Choices({'u': Choice('x', value=5)})]):
    facts('schema', lambda: TypeAdapter(form).json_schema())
for value in ('a', 'b', 'z', 1):
    facts('value', lambda: TypeAdapter(VALUES).validate_python(value))
facts('dumped', lambda: (TypeAdapter(VALUES).dump_json(1), Thing.model_validate({'kind': 'a'}).model_dump_json()))
facts('in a field', lambda: TypeAdapter(Choices({'a': Choice(value=act)})))
facts('none', lambda: Choices([]))
facts('a text', lambda: Choices('abc'))
facts('not a bool', lambda: TypeAdapter(Annotated[str, BoolCriteria(true='T', false='F')]).json_schema())
print(BoolCriteria(true='T', false='F'), NAMED.__name__, ToolOutput(int))
for cut_parts in (
    (str,),
    (str, ThinkingPart('t')),
    (int, TextPart('cut')),
    (PromptedOutput(int), TextPart('{"response": 1')),
    (PromptedOutput(int), TextPart('{"response": 1}')),
    (str, TextPart('cut')),
    (str, ToolCallPart('tool', '{"x": ')),
    (int, ToolCallPart('final_result', '{"response": ')),
):
    print('cut', *cut(*cut_parts))
