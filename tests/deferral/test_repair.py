"""Histories that no model would take: repaired in what is sent, or refused with the place of the fault."""

from __future__ import annotations

from typing import Any

import pytest

from stead import Agent
from stead._loop.repair import is_sound
from stead.capabilities import ProcessHistory
from stead.exceptions import UserError
from stead.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
    repair_messages,
)

from .kit import function, scripted

NOT_EXECUTED = 'Tool not executed - the run was interrupted.'


def prompt(text: str) -> ModelRequest:
    return ModelRequest(parts=[UserPromptPart(text)])


def calls(*ids: str) -> ModelResponse:
    return ModelResponse(parts=[ToolCallPart('plain', {'x': 1}, call_id) for call_id in ids])


def returns(*ids: str) -> ModelRequest:
    return ModelRequest(parts=[ToolReturnPart('plain', f'came to {call_id}', call_id) for call_id in ids])


def answer(text: str) -> ModelResponse:
    return ModelResponse(parts=[TextPart(text)])


def sent(history: list[Any], **options: Any) -> list[list[Any]]:
    """Return what the model is sent of a history: the content of each part, with the id of the call it answers."""
    agent, script = scripted(tools=[function('plain')], **options)
    before = [list(message.parts) for message in history]
    result = agent.run_sync('next', message_history=history)
    assert [list(message.parts) for message in history] == before, 'the history of the caller stays as it was'
    assert result.all_messages()[: len(history)] == history
    return [
        [getattr(part, 'content', getattr(part, 'tool_call_id', None)) for part in message.parts]
        for message in script.messages[0]
    ]


def test_a_sound_history_is_sent_as_it_is() -> None:
    history: list[ModelMessage] = [prompt('a'), calls('1', '2'), returns('2', '1'), answer('done')]
    assert sent(history) == [['a'], ['1', '2'], ['came to 2', 'came to 1'], ['done'], ['next']]


def test_calls_without_results_are_answered() -> None:
    history = [prompt('a'), calls('1', '2'), returns('2'), answer('done')]
    assert sent(history) == [['a'], ['1', '2'], [NOT_EXECUTED, 'came to 2'], ['done'], ['next']]
    history = [prompt('a'), calls('1'), prompt('b'), answer('done')]
    assert sent(history) == [['a'], ['1'], [NOT_EXECUTED, 'b'], ['done'], ['next']]


def test_a_response_after_calls_gets_the_answers_before_it() -> None:
    named = answer('done')
    named.model_name = 'another'
    assert sent([prompt('a'), calls('1'), named]) == [['a'], ['1'], [NOT_EXECUTED], ['done'], ['next']]


def test_results_without_calls_become_text() -> None:
    history = [returns('1'), answer('done')]
    [[text], *rest] = sent(history)
    assert text == "The conversation so far no longer holds the call of 'plain' that came to this result: came to 1"
    assert rest == [['done'], ['next']]
    retry = ModelRequest(parts=[RetryPromptPart('no', tool_name='plain', tool_call_id='1')])
    [[text], *_] = sent([retry, answer('done')])
    assert text.endswith('no\n\nFix the errors and try again.')


def test_a_result_that_comes_too_late_or_twice_is_text() -> None:
    [_, _, first, _, second, *_] = sent([prompt('a'), calls('1'), prompt('b'), answer('c'), returns('1'), answer('d')])
    assert first == [NOT_EXECUTED, 'b']
    assert second[0].startswith('The conversation so far')
    [_, _, both, *_] = sent([prompt('a'), calls('1'), returns('1', '1'), answer('d')])
    assert both[0] == 'came to 1'
    assert both[1].startswith('The conversation so far')


def test_retries_that_are_no_answers_to_calls_stay() -> None:
    history = [prompt('a'), answer('b'), ModelRequest(parts=[RetryPromptPart('Please call a tool.')]), answer('c')]
    assert sent(history)[2] == ['Please call a tool.']


def test_system_prompts_of_joined_histories_come_once() -> None:
    one = [ModelRequest(parts=[SystemPromptPart('Be brief.'), UserPromptPart('a')]), answer('b')]
    other = [ModelRequest(parts=[SystemPromptPart('Be brief.'), UserPromptPart('c')]), answer('d')]
    assert sent([*one, *other]) == [['Be brief.', 'a'], ['b'], ['c'], ['d'], ['next']]


def test_other_system_prompts_stay() -> None:
    one = [ModelRequest(parts=[SystemPromptPart('Be brief.'), UserPromptPart('a')]), answer('b')]
    other = [ModelRequest(parts=[SystemPromptPart('Be kind.'), UserPromptPart('c')]), answer('d')]
    assert 'Be kind.' in sent([*one, *other])[2][0]
    reminder = [ModelRequest(parts=[UserPromptPart('c'), SystemPromptPart('Be brief.')]), answer('d')]
    assert 'Be brief.' in sent([*one, *reminder])[2][1]


APART = {
    'a result whose call was cut off': (
        [prompt('a'), returns('1'), answer('done')],
        "the result '1' of the tool 'plain' from its call, which is no longer in the history",
    ),
    'a call whose result was cut off': (
        [prompt('a'), calls('1', '2'), returns('1'), answer('done')],
        "the call '2' of the tool 'plain' from its result, which is no longer in the history",
    ),
    'something between them': (
        [prompt('a'), calls('1'), prompt('b'), answer('c'), returns('1'), answer('done')],
        "the call '1' of the tool 'plain' from its result, which does not stand right after it",
    ),
    'a retry whose call was cut off': (
        [ModelRequest(parts=[RetryPromptPart('No.', tool_name='plain', tool_call_id='1')]), answer('done')],
        "the result '1' of the tool 'plain' from its call, which is no longer in the history",
    ),
}


@pytest.mark.parametrize('case', APART)
def test_hooks_that_separate_a_call_from_its_result_are_refused(case: str) -> None:
    left, fault = APART[case]
    agent, script = scripted(capabilities=[ProcessHistory(lambda messages: [*left, messages[-1]])])
    with pytest.raises(UserError, match=fault):
        agent.run_sync('next', message_history=[prompt('a'), answer('b')])
    assert not script.messages
    if case == 'something between them':
        return
    agent, script = scripted(capabilities=[ProcessHistory(lambda messages: repair_messages([*left, messages[-1]]))])
    agent.run_sync('next', message_history=[prompt('a'), answer('b')])
    assert is_sound(script.messages[0])


def test_what_hooks_leave_of_a_history_that_was_broken_before_is_repaired() -> None:
    agent, script = scripted(capabilities=[ProcessHistory(lambda messages: messages[-2:])])
    agent.run_sync('next', message_history=[prompt('a'), returns('1')])
    assert is_sound(script.messages[0])


def test_several_calls_may_have_one_id() -> None:
    history = [prompt('a'), calls('1', '1'), returns('1', '1'), answer('done')]
    assert sent(history)[2] == ['came to 1', 'came to 1']
    assert sent([prompt('a'), calls('1', '1'), returns('1'), answer('done')])[2] == [NOT_EXECUTED, 'came to 1']


def test_open_calls_at_the_end_are_for_the_run_to_decide() -> None:
    agent, script = scripted(tools=[function('plain')])
    agent.run_sync(message_history=[prompt('a'), calls('1')])
    assert [part.content for part in script.messages[0][-1].parts if isinstance(part, ToolReturnPart)] == [1]


@pytest.mark.parametrize(
    ('history', 'fault'),
    [
        (
            [prompt('a'), {'kind': 'request'}],
            'Message 1 of .message_history. is a .dict., not a .ModelRequest. or .ModelResponse.',
        ),
        (
            [prompt('a'), answer('b'), 'c'],
            'Message 2 of .message_history. is a .str., not a .ModelRequest. or .ModelResponse.',
        ),
        ([ModelRequest(parts=[TextPart('a')])], 'Message 0 .* a `ModelRequest` with a `TextPart`'),  # type: ignore[list-item]
        (
            [prompt('a'), ModelResponse(parts=[UserPromptPart('b')])],
            'Message 1 .* a `ModelResponse` with a `UserPromptPart`',
        ),  # type: ignore[list-item]
        ([prompt('a'), ModelResponse(parts=['text'])], "Message 1 .* with str 'text'"),  # type: ignore[list-item]
        ([ModelRequest(parts=[{'part_kind': 'user-prompt'}])], 'Message 0 .* with dict'),  # type: ignore[list-item]
    ],
)
def test_what_cannot_be_mended_is_refused_with_its_place(history: list[Any], fault: str) -> None:
    with pytest.raises(UserError, match=fault):
        Agent('test').run_sync('go', message_history=history)
