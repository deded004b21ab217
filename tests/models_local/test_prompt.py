"""Messages as prompts. No engine is needed."""

from __future__ import annotations

from typing import Any

import pytest

from stead import BinaryContent, ImageUrl, UserError
from stead.messages import (
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from stead.models import ModelRequestParameters
from stead.models.llamacpp._prompt import (
    EXAMPLE,
    OPENING,
    as_chat,
    as_questions,
    conversation_turns,
    describe,
    system_of,
)
from stead.models.llamacpp._response_format import response_format_of
from stead.settings import ToolOrOutput

from .kit import asking, tool

CITY = {'type': 'object', 'properties': {'city': {'type': 'string'}}, 'required': ['city']}
WEATHER = tool('weather', CITY, description='Tell the\n weather.')
PLAIN = response_format_of(ModelRequestParameters(), {}, 'm')
HISTORY: list[Any] = [
    ModelRequest([SystemPromptPart('Be kind.'), UserPromptPart('Is it "hot" in Rome?')], instructions='Be brief.'),
    ModelResponse([ThinkingPart('Hm.'), ToolCallPart('weather', '{"city":"Rome"}', 'c1')]),
    ModelRequest([ToolReturnPart('weather', {'hot': True}, 'c1')], instructions='Be brief.'),
    ModelResponse([TextPart('Yes,\nit is "hot".')]),
    ModelRequest([UserPromptPart(['And', TextContent('in Oslo?')])], instructions='Be brief.'),
]


def test_examples_stand_in_the_form_that_the_decoder_writes() -> None:
    params = asking(WEATHER)
    form = response_format_of(params, {}, 'm')
    text = as_questions(system_of(HISTORY, params, form), conversation_turns(HISTORY, form, 'm'), form)
    assert text == (
        'Be kind.\n\nBe brief.\n\nTools:\n- weather(city: string): Tell the weather.\n\n'
        'Write JSON: {"tool": "...", "arguments": {...}} to call a tool, or {"answer": "..."} to answer.\n\n'
        'Question: Is it "hot" in Rome?\n'
        'Answer: {"tool": "weather", "arguments": {"city": "Rome"}}\n'
        'Result: {"hot":true}\n'
        'Answer: {"answer": "Yes,\\nit is \\"hot\\"."}\n\n'
        'Question: And\nin Oslo?\n'
        'Answer:'
    )


def test_without_tools_an_answer_is_text() -> None:
    text = as_questions('', conversation_turns(HISTORY[3:], PLAIN, 'm'), PLAIN)
    assert text == f'{OPENING}\nAnswer: Yes,\nit is "hot".\n\nQuestion: And\nin Oslo?\nAnswer:'


def test_without_a_system_prompt_a_base_model_reads_how_questions_are_answered() -> None:
    turns = conversation_turns([ModelRequest.user_text_prompt('Hi')], PLAIN, 'm')
    assert as_questions('', turns, PLAIN) == f'{OPENING}\n\nQuestion: Hi\nAnswer:'
    assert as_questions('Be kind.', turns, PLAIN) == 'Be kind.\n\nQuestion: Hi\nAnswer:'


def test_there_is_an_example_only_where_the_history_has_none() -> None:
    form = response_format_of(asking(WEATHER), {}, 'm')
    assert EXAMPLE in as_questions('', conversation_turns(HISTORY[:3], form, 'm'), form)
    assert EXAMPLE not in as_questions('', conversation_turns(HISTORY, form, 'm'), form)


def test_roles_take_turns_in_a_chat() -> None:
    form = response_format_of(asking(WEATHER), {}, 'm')
    messages = as_chat('System', conversation_turns([*HISTORY, ModelRequest([UserPromptPart('?')])], form, 'm'))
    assert [message['role'] for message in messages] == ['system', 'user', 'assistant', 'user', 'assistant', 'user']
    assert messages[3]['content'] == 'Result: {"hot":true}'
    assert messages[5]['content'] == 'And\nin Oslo?\n\n?'


def test_retries_are_results_of_calls_or_questions() -> None:
    retry = ModelRequest([RetryPromptPart('no', tool_name='a'), RetryPromptPart('better')])
    assert [(turn.role, turn.text.partition('\n')[0]) for turn in conversation_turns([retry], PLAIN, 'm')] == [
        ('result', 'no'),
        ('user', 'Validation feedback:'),
    ]


def test_several_calls_are_a_list() -> None:
    response = ModelResponse([TextPart('Look:'), ToolCallPart('a', {}), ToolCallPart('b', {'x': 1})])
    turns = conversation_turns([response], response_format_of(asking(WEATHER), {}, 'm'), 'm')
    assert [turn.text for turn in turns] == [
        '{"answer": "Look:"}',
        '[{"tool": "a", "arguments": {}}, {"tool": "b", "arguments": {"x": 1}}]',
    ]


@pytest.mark.parametrize('item', [ImageUrl('https://x.org/a.png'), BinaryContent(b'a', media_type='image/png')])
def test_files_are_an_error_that_says_so(item: Any) -> None:
    with pytest.raises(UserError, match=rf"{type(item).__name__} in a user prompt, but the local model 'm' reads text"):
        conversation_turns([ModelRequest([UserPromptPart(['What is this?', item])])], PLAIN, 'm')
    with pytest.raises(UserError, match="what the tool 'camera' returned"):
        conversation_turns([ModelRequest([ToolReturnPart('camera', [item], 'c')])], PLAIN, 'm')


def test_tools_are_described_in_a_line() -> None:
    schema = {
        'type': 'object',
        'properties': {
            'kind': {'enum': ['a', 'b'], 'description': 'which one'},
            'when': {'anyOf': [{'type': 'string', 'format': 'date'}, {'type': 'null'}]},
            'items': {'type': 'array', 'items': {'$ref': '#/$defs/Item'}},
        },
        'required': ['kind'],
        '$defs': {'Item': {'type': 'object', 'properties': {'id': {'type': 'integer'}}}},
    }
    assert (
        describe(tool('find', schema)) == '- find(kind: "a"|"b" (which one), when?: date|null, items?: [{id: integer}])'
    )


OUTPUT = tool('final', CITY, kind='output')


@pytest.mark.parametrize(
    ('params', 'choice', 'tools', 'answers'),
    [
        (asking(WEATHER), None, ['weather'], True),
        (asking(WEATHER), 'required', ['weather'], False),
        (asking(WEATHER), 'none', [], True),
        (asking(WEATHER, tool('b')), ['b'], ['b'], False),
        (asking(WEATHER, output_tools=[OUTPUT], allow_text_output=False), None, ['weather', 'final'], False),
        (asking(WEATHER, output_tools=[OUTPUT], allow_text_output=False), 'none', ['final'], False),
        (asking(WEATHER, tool('b'), output_tools=[OUTPUT]), ToolOrOutput(['b']), ['b', 'final'], True),
    ],
)
def test_what_may_be_written(params: ModelRequestParameters, choice: Any, tools: list[str], answers: bool) -> None:
    form = response_format_of(params, {'tool_choice': choice}, 'm')
    assert ([definition.name for definition in form.tools], form.answers) == (tools, answers)


def test_several_calls_at_once_only_if_they_are_wanted() -> None:
    def kinds(**settings: Any) -> list[str]:
        schema = response_format_of(asking(WEATHER), settings, 'm').schema or {}
        return [option['type'] for option in schema['anyOf']]

    assert kinds() == ['object', 'object']
    assert kinds(parallel_tool_calls=True) == ['object', 'array', 'object']
    assert kinds(parallel_tool_calls=True, llamacpp_max_calls=1) == ['object', 'object']


def test_a_tool_that_cannot_be_called_is_an_error() -> None:
    impossible = {'type': 'object', 'properties': {'a': False}, 'required': ['a']}
    with pytest.raises(UserError, match="The tool 'never' cannot be used by a local model"):
        response_format_of(asking(tool('never', impossible)), {}, 'm')


def test_a_request_that_allows_nothing_is_an_error() -> None:
    with pytest.raises(UserError, match='this request allows none of these'):
        response_format_of(ModelRequestParameters(allow_text_output=False, allow_image_output=True), {}, 'm')
