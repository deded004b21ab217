"""What hooks are told about the output they see."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from stead import DeferredToolRequests, NativeOutput, PromptedOutput, TextOutput, ToolOutput
from stead.capabilities import Hooks
from stead.messages import BinaryImage, FilePart, ModelResponse

from .kit import IMAGES, NATIVE, PROMPTED, run

IMAGE = ModelResponse(parts=[FilePart(BinaryImage(b'1', media_type='image/png'))])
EMPTY = ModelResponse(parts=[])


class Row(BaseModel):
    n: int


def upper(text: str) -> str:
    return text.upper()


def row(n: int) -> Row:
    return Row(n=n)


TOOL = ('final_result', {'n': 1})
CASES: list[tuple[Any, Any, Any, dict[str, Any]]] = [
    (str, 'hi', None, {'mode': 'text', 'output_type': str, 'allows_text': True}),
    (
        TextOutput(upper),
        'hi',
        None,
        {'mode': 'text', 'has_function': True, 'function_name': 'upper', 'allows_text': True},
    ),
    (
        ToolOutput(Row),
        TOOL,
        None,
        {'mode': 'tool', 'output_type': Row, 'tool_call': 'final_result', 'tool_def': 'final_result'},
    ),
    (
        ToolOutput(row),
        TOOL,
        None,
        {
            'mode': 'tool',
            'has_function': True,
            'function_name': 'row',
            'tool_call': 'final_result',
            'tool_def': 'final_result',
        },
    ),
    (
        [ToolOutput(Row), str],
        TOOL,
        None,
        {'mode': 'tool', 'allows_text': True, 'tool_call': 'final_result', 'tool_def': 'final_result'},
    ),
    (
        [ToolOutput(Row), BinaryImage],
        TOOL,
        IMAGES,
        {'mode': 'tool', 'allows_image': True, 'tool_call': 'final_result', 'tool_def': 'final_result'},
    ),
    (
        [ToolOutput(Row), DeferredToolRequests],
        TOOL,
        None,
        {'mode': 'tool', 'allows_deferred_tools': True, 'tool_call': 'final_result', 'tool_def': 'final_result'},
    ),
    (
        NativeOutput(Row),
        '{"n": 1}',
        NATIVE,
        {'mode': 'native', 'output_type': Row, 'object_def': 'Row', 'allows_text': True},
    ),
    (
        PromptedOutput(Row),
        '{"n": 1}',
        PROMPTED,
        {'mode': 'prompted', 'output_type': Row, 'object_def': 'Row', 'allows_text': True},
    ),
]
REST: dict[str, Any] = {
    'has_function': False, 'function_name': None, 'tool_call': None, 'tool_def': None,
    'allows_text': False, 'allows_image': False, 'allows_deferred_tools': False,
}  # fmt: skip


@pytest.mark.parametrize(('output_type', 'answer', 'profile', 'expected'), CASES)
def test_hooks_know_what_output_it_is(output_type: Any, answer: Any, profile: Any, expected: dict[str, Any]) -> None:
    hooks = Hooks[Any]()
    seen: list[Any] = []

    @hooks.on.before_output_process
    async def note(ctx: Any, *, output_context: Any, output: Any) -> Any:
        seen.append(output_context)
        return output

    run(output_type, answer, profile=profile, capabilities=[hooks])
    [context] = seen
    found = {name: getattr(context, name) for name in {**REST, **expected}}
    for name, attribute in (('tool_call', 'tool_name'), ('tool_def', 'name'), ('object_def', 'name')):
        if found.get(name) is not None:
            found[name] = getattr(found[name], attribute)
    assert found == {**REST, **expected}


def test_hooks_see_a_call_without_arguments_as_an_object() -> None:
    hooks = Hooks[Any]()
    seen: list[Any] = []

    @hooks.on.before_output_validate
    async def note(ctx: Any, *, output_context: Any, output: Any) -> Any:
        seen.append(output)
        return {'n': 1}

    assert run(ToolOutput(Row), ('final_result', None), capabilities=[hooks]).output == Row(n=1)
    assert seen == [{}]


@pytest.mark.parametrize('answer', [IMAGE, EMPTY])
def test_hooks_see_output_that_needs_no_processing(answer: ModelResponse) -> None:
    hooks = Hooks[Any]()

    @hooks.on.after_output_process
    async def name(ctx: Any, *, output_context: Any, output: Any) -> Any:
        return f'{output_context.mode} {type(output).__name__}'

    expected = 'image BinaryImage' if answer is IMAGE else 'text NoneType'
    assert run([BinaryImage, type(None)], answer, profile=IMAGES, capabilities=[hooks]).output == expected
