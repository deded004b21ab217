"""Responses without calls: text, thinking, nothing at all, and those that were cut off."""

from __future__ import annotations

from typing import Any, Optional

import pytest
from pydantic import BaseModel

from stead import Agent, UnexpectedModelBehavior
from stead.exceptions import ContentFilterError, IncompleteToolCall
from stead.messages import ModelRequest, ModelResponse, TextPart, ThinkingPart, UserPromptPart

from .kit import call, kinds, outline, script, text


class City(BaseModel):
    name: str


def test_pieces_of_text_are_one_output():
    assert Agent(script([TextPart('a'), ThinkingPart('hm'), TextPart('b')])).run_sync('go').output == 'ab'


def test_text_beside_calls_is_no_output_yet():
    agent = Agent(script([TextPart('let me look'), call('t')], text('found')))
    agent.tool_plain(name='t')(lambda: 'x')
    assert agent.run_sync('go').output == 'found'


def test_an_empty_response_is_asked_again_with_an_empty_request():
    result = Agent(script([], text('ok'))).run_sync('go')
    assert result.output == 'ok'
    assert outline(result.all_messages()) == [[('user-prompt', 'go')], [], [], [('text', 'ok')]]


def test_empty_responses_use_up_the_tries_of_the_output():
    seen: Any = []
    with pytest.raises(UnexpectedModelBehavior, match=r'^Exceeded maximum output retries \(2\)$'):
        Agent(script([], seen=seen), retries=2).run_sync('go')
    assert len(seen) == 3


def test_an_empty_response_after_text_and_calls_means_that_text():
    agent = Agent(script([TextPart('the answer'), call('note')], []))
    agent.tool_plain(name='note')(lambda: 'noted')
    assert agent.run_sync('go').output == 'the answer'


def test_text_of_earlier_runs_is_not_taken_for_an_answer():
    history = [ModelRequest(parts=[UserPromptPart('a')]), ModelResponse(parts=[TextPart('old answer')])]
    assert Agent(script([], text('new'))).run_sync('b', message_history=history).output == 'new'


def test_an_empty_response_may_be_an_output():
    agent: Agent[Any, Any] = Agent(script([]), output_type=Optional[str])  # type: ignore[arg-type]
    assert agent.run_sync('go').output is None


def test_earlier_text_that_was_refused_does_not_stand_in_the_way_of_an_empty_answer():
    agent: Agent[Any, Any] = Agent(script(text('words'), []), output_type=[City, None])  # type: ignore[list-item]
    assert agent.run_sync('hi').output is None


def test_thinking_alone_is_no_answer():
    result = Agent(script([ThinkingPart('hm')], text('ok'))).run_sync('go')
    assert result.output == 'ok'
    assert kinds(result.all_messages()) == ['user-prompt', 'thinking', 'retry-prompt', 'text']


def test_empty_text_is_no_answer():
    assert Agent(script(text(''), text('ok'))).run_sync('go').output == 'ok'


def test_a_response_cut_off_before_its_first_word_says_what_to_do():
    response = ModelResponse(parts=[ThinkingPart('hm')], finish_reason='length')
    with pytest.raises(UnexpectedModelBehavior, match=r'Model token limit \(12\).*Increase the `max_tokens`'):
        Agent(script(response)).run_sync('go', model_settings={'max_tokens': 12})
    with pytest.raises(UnexpectedModelBehavior, match=r'Model token limit \(provider default\)'):
        Agent(script(response)).run_sync('go')


def test_text_that_was_cut_off_is_still_an_output():
    assert (
        Agent(script(ModelResponse(parts=[TextPart('half')], finish_reason='length'))).run_sync('go').output == 'half'
    )


@pytest.mark.parametrize('output_type', [City, str])
def test_a_call_that_was_cut_off_is_named(output_type: Any):
    name = 'final_result' if output_type is City else 't'
    response = ModelResponse(parts=[call(name, '{"name": "Ro')], finish_reason='length')
    agent = Agent(script(response), output_type=output_type, retries=0)
    agent.tool_plain(name='t')(lambda name: name)
    with pytest.raises(IncompleteToolCall, match=r'resulting in incomplete arguments'):
        agent.run_sync('go')


def test_a_filter_is_an_error_with_the_response_in_it():
    with pytest.raises(ContentFilterError, match=r'^Content filter triggered') as caught:
        Agent(script(ModelResponse(parts=[], finish_reason='content_filter'))).run_sync('go')
    assert '"finish_reason": "content_filter"' in (caught.value.body or '')


def test_text_with_a_filter_reason_is_still_an_output():
    assert (
        Agent(script(ModelResponse(parts=[TextPart('ok')], finish_reason='content_filter'))).run_sync('x').output
        == 'ok'
    )
