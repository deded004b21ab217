"""Message histories: what goes in, what comes out, and what can be done with both."""

from __future__ import annotations

from typing import Any

import pytest

from stead import Agent, UserError
from stead.capabilities import ProcessHistory
from stead.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextPart,
    ToolReturnPart,
    UserPromptPart,
)

from .kit import call, calling, kinds, outline, script, text


def exchange(question: str, answer: str) -> list[ModelMessage]:
    return [ModelRequest(parts=[UserPromptPart(question)]), ModelResponse(parts=[TextPart(answer)])]


def test_a_conversation_goes_on():
    seen: Any = []
    agent = Agent(script(text('one'), text('two'), text('three'), seen=seen), system_prompt='be brief')
    first = agent.run_sync('1')
    second = agent.run_sync('2', message_history=first.all_messages())
    third = agent.run_sync('3', message_history=second.all_messages())
    assert outline(seen[2][0]) == [
        [('system-prompt', 'be brief'), ('user-prompt', '1')],
        [('text', 'one')],
        [('user-prompt', '2')],
        [('text', 'two')],
        [('user-prompt', '3')],
    ]
    assert outline(third.new_messages()) == [[('user-prompt', '3')], [('text', 'three')]]
    assert outline(third.all_messages())[:4] == outline(second.all_messages())


def test_the_history_of_the_caller_is_not_changed():
    agent = calling(call('t'), then='ok', instructions='new instructions', system_prompt='new prompt')
    agent.tool_plain(name='t')(lambda: 'x')
    history = tuple(exchange('a', 'b'))
    before = ModelMessagesTypeAdapter.dump_json(list(history))
    agent.run_sync('go', message_history=history)
    assert ModelMessagesTypeAdapter.dump_json(list(history)) == before


def test_results_of_one_run_do_not_grow_with_the_next():
    agent = Agent(script(text('ok')))
    first = agent.run_sync('1')
    messages = first.all_messages()
    agent.run_sync('2', message_history=messages)
    assert len(messages) == len(first.all_messages()) == 2


def test_a_history_survives_json():
    agent = calling(call('t', {'n': 1}), then='ok', instructions='be brief')
    agent.tool_plain(name='t')(lambda n: {'n': n})
    first = agent.run_sync('go')
    stored = first.all_messages_json()
    history = ModelMessagesTypeAdapter.validate_json(stored)
    assert history == first.all_messages()
    assert ModelMessagesTypeAdapter.dump_json(history) == stored
    second = Agent(script(text('again'))).run_sync('more', message_history=history)
    assert second.output == 'again'
    assert second.all_messages_json().startswith(stored[:-1])
    assert ModelMessagesTypeAdapter.validate_json(second.new_messages_json()) == second.new_messages()


def test_system_prompts_are_for_new_conversations():
    agent = Agent(script(text('ok')), system_prompt='be brief')
    assert kinds(agent.run_sync('go', message_history=[]).all_messages()) == ['system-prompt', 'user-prompt', 'text']
    result = agent.run_sync('go', message_history=exchange('a', 'b'))
    assert 'system-prompt' not in kinds(result.all_messages())


def test_dynamic_system_prompts_are_renewed_and_others_are_not():
    day = ['Monday']
    agent = Agent(script(text('ok')))

    @agent.system_prompt(dynamic=True)
    def today() -> str:
        return f'it is {day[0]}'

    @agent.system_prompt
    def begun() -> str:
        return f'begun on {day[0]}'

    first = agent.run_sync('1').all_messages()
    day[0] = 'Tuesday'
    second = agent.run_sync('2', message_history=first).all_messages()
    assert outline(first)[0][:2] == [('system-prompt', 'it is Monday'), ('system-prompt', 'begun on Monday')]
    assert outline(second)[0][:2] == [('system-prompt', 'it is Tuesday'), ('system-prompt', 'begun on Monday')]


def test_without_a_prompt_the_last_request_is_sent_again():
    seen: Any = []
    history = [*exchange('a', 'b'), ModelRequest(parts=[UserPromptPart('c')])]
    result = Agent(script(text('d'), seen=seen)).run_sync(message_history=history)
    assert outline(seen[0][0]) == outline(history)
    assert outline(result.new_messages()) == [[('text', 'd')]], 'the request was there before'
    assert len(result.all_messages()) == 4 and len(history) == 3


def test_without_a_prompt_open_calls_are_made():
    history = [ModelRequest(parts=[UserPromptPart('a')]), ModelResponse(parts=[call('t', {'n': 2})])]
    agent = Agent(script(text('done')))
    agent.tool_plain(name='t')(lambda n: n * 21)
    result = agent.run_sync(message_history=history)
    assert result.output == 'done'
    assert outline(result.new_messages()) == [[('tool-return', 42)], [('text', 'done')]]


def test_calls_that_are_answered_already_are_not_made_again():
    ran: list[str] = []
    agent = Agent(script(text('done')))
    agent.tool_plain(name='t')(lambda name: ran.append(name) or name)  # type: ignore[func-returns-value]
    history: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart('a')]),
        ModelResponse(parts=[call('t', {'name': 'one'}, 'c1'), call('t', {'name': 'two'}, 'c2')]),
        ModelRequest(parts=[ToolReturnPart('t', 'one', 'c1')]),
    ]
    result = agent.run_sync(message_history=history)
    assert (result.output, ran) == ('done', ['two'])
    returned = [
        part.tool_call_id
        for message in result.all_messages()
        for part in message.parts
        if part.part_kind == 'tool-return'
    ]
    assert sorted(returned) == ['c1', 'c2']


def test_a_prompt_after_open_calls_needs_their_results():
    history = [ModelRequest(parts=[UserPromptPart('a')]), ModelResponse(parts=[call('t')])]
    with pytest.raises(UserError, match=r'tool calls that have no results.*`deferred_tool_results`'):
        Agent(script(text('x'))).run_sync('more', message_history=history)


def test_a_history_may_end_with_a_response():
    history = exchange('a', 'b')
    result = Agent(script(text('c'))).run_sync('go', message_history=history)
    assert outline(result.all_messages())[2] == [('user-prompt', 'go')]


def test_there_must_be_something_to_send():
    for history in (None, []):
        with pytest.raises(UserError, match='pass a user prompt or a message history'):
            Agent(script(text('x'))).run_sync(message_history=history)
    assert Agent(script(text('x')), instructions='do it').run_sync().output == 'x'
    assert Agent(script(text('x')), system_prompt='do it').run_sync().output == 'x'


def test_neighbours_of_one_kind_are_sent_as_one():
    seen: Any = []
    history: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart('a')]),
        ModelRequest(parts=[UserPromptPart('b')]),
        ModelResponse(parts=[TextPart('c')]),
        ModelResponse(parts=[TextPart('d')]),
    ]
    Agent(script(text('ok'), seen=seen)).run_sync('e', message_history=history)
    assert outline(seen[0][0]) == [
        [('user-prompt', 'a'), ('user-prompt', 'b')],
        [('text', 'c'), ('text', 'd')],
        [('user-prompt', 'e')],
    ]
    assert len(history) == 4 and len(history[0].parts) == 1


def test_returns_come_before_prompts_in_a_merged_request():
    seen: Any = []
    history: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart('a')]),
        ModelResponse(parts=[call('t')]),
        ModelRequest(parts=[UserPromptPart('meanwhile')]),
        ModelRequest(parts=[ToolReturnPart('t', 'x', 'id_t')]),
        ModelResponse(parts=[TextPart('c')]),
    ]
    Agent(script(text('ok'), seen=seen)).run_sync('e', message_history=history)
    assert outline(seen[0][0])[2] == [('tool-return', 'x'), ('user-prompt', 'meanwhile')]


def test_messages_know_their_run_and_conversation():
    agent = Agent(script(text('one'), text('two')))
    first = agent.run_sync('1')
    second = agent.run_sync('2', message_history=first.all_messages())
    assert {message.run_id for message in second.new_messages()} == {second.run_id} != {first.run_id}
    assert {message.run_id for message in second.all_messages()} == {first.run_id, second.run_id}
    assert {message.conversation_id for message in second.all_messages()} == {first.conversation_id}
    assert all(message.timestamp is not None for message in second.all_messages())


def test_instructions_stay_with_the_request_they_were_sent_with():
    first = Agent(script(text('one')), instructions='as a pirate').run_sync('1')
    second = Agent(script(text('two')), instructions='as a judge').run_sync('2', message_history=first.all_messages())
    instructions = [m.instructions for m in second.all_messages() if isinstance(m, ModelRequest)]
    assert instructions == ['as a pirate', 'as a judge']
    third = Agent(script(text('three'))).run_sync('3', message_history=second.all_messages())
    assert [m.instructions for m in third.all_messages() if isinstance(m, ModelRequest)][-1] is None


def test_what_the_model_is_told_about_the_output_can_be_changed():
    agent = Agent(script([call('final_result', {'response': 5})]), output_type=int)
    result = agent.run_sync('go')
    changed = result.all_messages(output_tool_return_content='the user liked it')
    assert outline(changed)[-1] == [('tool-return', 'the user liked it')]
    assert outline(result.new_messages(output_tool_return_content='x'))[-1] == [('tool-return', 'x')]
    assert b'"the user liked it"' in result.all_messages_json(output_tool_return_content='the user liked it')
    assert b'"yes"' in result.new_messages_json(output_tool_return_content='yes')
    assert outline(result.all_messages())[-1] == [('tool-return', 'Final result processed.')]
    with pytest.raises(ValueError, match='the output came as text'):
        Agent(script(text('x'))).run_sync('go').all_messages(output_tool_return_content='y')


# What no one can vouch for

BROKEN_ARGS = [
    '{bad',
    '',
    '[1]',
    'null',
    '"x"',
    '{"n": 1}{',
    '{' * 5000,
    '\x00\ud800'.encode('utf-8', 'replace').decode(),
]


@pytest.mark.parametrize('args', BROKEN_ARGS)
def test_calls_with_broken_arguments_do_not_poison_later_runs(args: str):
    history: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart('a')]),
        ModelResponse(parts=[call('t', args, 'c1')]),
        ModelRequest(parts=[RetryPromptPart('no', tool_name='t', tool_call_id='c1')]),
        ModelResponse(parts=[TextPart('sorry')]),
    ]
    result = Agent('test').run_sync('go', message_history=history)
    assert result.output.startswith('success')
    again = ModelMessagesTypeAdapter.validate_json(result.all_messages_json())
    assert Agent('test').run_sync('more', message_history=again).output.startswith('success')


@pytest.mark.parametrize('args', ['{bad', '[1]', 'null', '"x"', 5, ['x']])
def test_open_calls_with_broken_arguments_are_sent_back_to_the_model(args: Any):
    ran: list[Any] = []
    history: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart('a')]),
        ModelResponse(parts=[call('t', args, 'c1')]),
    ]
    agent = Agent(script([call('t', {'n': 1}, 'c2')], text('ok')))
    agent.tool_plain(name='t')(lambda n: ran.append(n))
    result = agent.run_sync(message_history=history)
    assert (result.output, ran) == ('ok', [1])
    assert kinds(result.new_messages())[0] == 'retry-prompt'


def test_returns_without_calls_and_calls_without_returns_are_mended_in_what_is_sent():
    seen: Any = []
    history: list[ModelMessage] = [
        ModelRequest(parts=[ToolReturnPart('ghost', 'boo', 'nobody')]),
        ModelResponse(parts=[call('t', {}, 'lost')]),
        ModelRequest(parts=[UserPromptPart('are you there?')]),
        ModelResponse(parts=[TextPart('yes')]),
    ]
    result = Agent(script(text('ok'), seen=seen)).run_sync('go', message_history=history)
    assert result.output == 'ok'
    assert kinds(seen[0][0]) == ['user-prompt', 'tool-call', 'tool-return', 'user-prompt', 'text', 'user-prompt']
    assert result.all_messages()[:4] == history


def test_calls_of_tools_that_are_gone_are_answered():
    history: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart('a')]), ModelResponse(parts=[call('gone')])]
    result = Agent(script(text('ok'))).run_sync(message_history=history)
    assert result.output == 'ok'
    assert outline(result.new_messages())[0] == [('retry-prompt', "Unknown tool name: 'gone'. No tools available.")]


def test_the_same_call_id_twice_does_not_confuse_a_run():
    history: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart('a')]),
        ModelResponse(parts=[call('t', {'n': 1}, 'same'), call('t', {'n': 2}, 'same')]),
        ModelRequest(parts=[ToolReturnPart('t', 1, 'same'), ToolReturnPart('t', 2, 'same')]),
        ModelResponse(parts=[TextPart('ok')]),
    ]
    ran: list[int] = []
    agent = Agent(script([call('t', {'n': 3}, 'same'), call('t', {'n': 4}, 'same')], text('end')))
    agent.tool_plain(name='t')(lambda n: ran.append(n))
    assert agent.run_sync('go', message_history=history).output == 'end'
    assert sorted(ran) == [3, 4], 'calls of a new response are new, whatever their ids'


def test_unknown_messages_are_refused_when_they_are_read():
    for stored in (
        b'[{"kind": "rumour", "parts": []}]',
        b'[5]',
    ):
        with pytest.raises(ValueError, match='validation error'):
            ModelMessagesTypeAdapter.validate_json(stored)


def test_empty_messages_in_a_history_are_harmless():
    history: list[ModelMessage] = [ModelRequest(parts=[]), ModelResponse(parts=[]), ModelRequest(parts=[])]
    assert Agent(script(text('ok'))).run_sync('go', message_history=history).output == 'ok'
    assert (
        Agent(script(text('ok'))).run_sync(message_history=[ModelRequest(parts=[SystemPromptPart('s')])]).output == 'ok'
    )


@pytest.mark.parametrize('with_tool', [False, True])
def test_a_request_that_was_answered_is_old_even_if_a_processor_rebuilds_it(with_tool: bool):
    def rebuilt(messages: list[ModelMessage]) -> list[ModelMessage]:
        return [type(message)(parts=list(message.parts)) for message in messages]  # type: ignore[arg-type]

    responses: list[Any] = [*([[call('t')]] if with_tool else []), text('end')]
    agent = Agent(script(*responses), capabilities=[ProcessHistory(rebuilt)])

    @agent.tool_plain
    def t() -> str:
        return 'r'

    history = [*exchange('a', 'b'), ModelRequest(parts=[UserPromptPart('c')])]
    result = agent.run_sync(message_history=history)
    assert len(result.new_messages()) == 2 * len(responses) - 1
    assert result.all_messages()[: -len(result.new_messages())][-1].parts == history[-1].parts
