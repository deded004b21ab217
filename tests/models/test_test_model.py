"""`TestModel`: which tools it calls, and what it answers."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from stead import Agent, ModelRetry, RunContext, UserError
from stead.messages import ModelResponse, PartDeltaEvent, RetryPromptPart, TextPart, ToolCallPart
from stead.models import ModelRequestParameters
from stead.models.test import TestModel
from stead.native_tools import CodeExecutionTool, WebSearchTool
from stead.profiles import ModelProfile

from .kit import do, streamed, tool, user


class City(BaseModel):
    name: str
    size: int


def calls(result: Any) -> list[str]:
    return [part.tool_name for m in result.all_messages() for part in m.parts if isinstance(part, ToolCallPart)]


def agent_with_tools(model: TestModel, **options: Any) -> Agent[Any, Any]:
    agent: Agent[Any, Any] = Agent(model, **options)

    @agent.tool_plain
    def add(a: int, b: float = 1.5) -> float:
        return a + b

    @agent.tool
    async def where(ctx: RunContext[Any], city: City) -> str:
        return f'{city.name} {ctx.tool_call_id}'

    return agent


def test_all_tools_are_called_once():
    result = agent_with_tools(TestModel()).run_sync('x')
    assert calls(result) == ['add', 'where']
    assert result.output == '{"add":1.5,"where":"a pyd_ai_tool_call_id__where"}'
    assert len(result.all_messages()) == 4


@pytest.mark.parametrize(('names', 'called'), [([], []), (['where'], ['where']), (['where', 'add'], ['where', 'add'])])
def test_some_tools_are_called(names: list[str], called: list[str]):
    assert calls(agent_with_tools(TestModel(call_tools=names)).run_sync('x')) == called


def test_a_tool_that_does_not_exist():
    with pytest.raises(UserError, match=r"names \['nope'\], but the tools of the request are \['add', 'where'\]"):
        agent_with_tools(TestModel(call_tools=['nope', 'add'])).run_sync('x')


def test_text_of_ones_own():
    result = agent_with_tools(TestModel(custom_output_text='mine')).run_sync('x')
    assert (result.output, calls(result)) == ('mine', ['add', 'where'])
    assert Agent(TestModel(custom_output_text='or not'), output_type=[str, City]).run_sync('x').output == 'or not'
    with pytest.raises(UserError, match='the output type does not allow text. Use `custom_output_args`'):
        Agent(TestModel(custom_output_text='mine'), output_type=City).run_sync('x')


@pytest.mark.parametrize('args', [{'name': 'x', 'size': 4}, City(name='x', size=4)])
def test_arguments_of_ones_own(args: Any):
    assert Agent(TestModel(custom_output_args=args), output_type=City).run_sync('x').output == City(name='x', size=4)
    with pytest.raises(UserError, match='the output type has no output tool. Use `custom_output_text`'):
        Agent(TestModel(custom_output_args=args)).run_sync('x')


def test_arguments_that_are_no_object():
    assert Agent(TestModel(custom_output_args=4), output_type=int).run_sync('x').output == 4
    assert Agent(TestModel(custom_output_args=[1, 2]), output_type=list[int]).run_sync('x').output == [1, 2]


def test_the_seed_chooses_among_outputs():
    outputs = [Agent(TestModel(seed=seed), output_type=[City, int]).run_sync('x').output for seed in range(3)]
    assert outputs == [City(name='a', size=0), 1, City(name='c', size=2)]


def test_a_tool_that_asks_again_is_called_again():
    agent = Agent(TestModel(), retries=2)
    seen: list[int] = []

    @agent.tool
    def picky(ctx: RunContext[None], n: int) -> int:
        seen.append(ctx.retry)
        if ctx.retry < 2:
            raise ModelRetry('again')
        return n

    assert agent.run_sync('x').output == '{"picky":0}'
    assert seen == [0, 1, 2]


def test_an_output_that_is_refused_is_sent_again():
    model = TestModel(custom_output_args={'name': 'x', 'size': 'big'})
    with pytest.raises(Exception, match='Exceeded maximum output retries'):
        Agent(model, output_type=City).run_sync('x')


def test_a_history_with_answers_has_had_its_calls():
    agent = agent_with_tools(TestModel())
    history = [user(), ModelResponse(parts=[TextPart('x')])]
    assert calls(agent.run_sync('more', message_history=history)) == []


def test_parameters_of_the_last_request_are_kept():
    model = TestModel(profile=ModelProfile(supports_thinking=True))
    assert model.last_model_request_parameters is None
    agent_with_tools(model, output_type=City).run_sync('x', model_settings={'thinking': 'high'})
    last = model.last_model_request_parameters
    assert last is not None
    assert [each.name for each in last.function_tools] == ['add', 'where']
    assert [each.name for each in last.output_tools] == ['final_result']
    assert (last.output_mode, last.allow_text_output, last.thinking) == ('tool', False, 'high')


@pytest.mark.parametrize('stream', [False, True])
def test_native_tools_are_refused(stream: bool):
    params = ModelRequestParameters(native_tools=[WebSearchTool(), CodeExecutionTool()])
    model = TestModel()
    with pytest.raises(UserError, match=r"\['WebSearchTool', 'CodeExecutionTool'\]. Use a `FunctionModel`"):
        do(streamed(model, params)) if stream else do(model.request([user()], None, params))
    assert model.last_model_request_parameters == params


def test_optional_native_tools_are_left_out_by_profile():
    none = ModelProfile(supported_native_tools=frozenset())
    params = ModelRequestParameters(native_tools=[WebSearchTool(optional=True)])
    assert do(TestModel(profile=none).request([user()], None, params)).parts == [TextPart('success (no tool calls)')]


def test_text_is_streamed_by_words():
    events, response = do(streamed(TestModel(custom_output_text='Two  words, or so')))
    deltas = [event.delta.content_delta for event in events if isinstance(event, PartDeltaEvent)]
    assert deltas == ['Two ', ' ', 'words, ', 'or ', 'so']
    assert response.get().parts == [TextPart('Two  words, or so')]
    assert (response.model_name, response.provider_name, response.provider_url) == ('test', 'test', None)
    assert response.get().state == 'complete'


@pytest.mark.parametrize(('text', 'halves'), [('word', ['wo', 'rd']), ('abc', ['a', 'bc']), ('x', ['x']), ('', [''])])
def test_a_single_word_comes_in_halves(text: str, halves: list[str]):
    events, _ = do(streamed(TestModel(custom_output_text=text)))
    assert [event.delta.content_delta for event in events if isinstance(event, PartDeltaEvent)] == halves


def test_calls_are_streamed():
    params = ModelRequestParameters(function_tools=[tool('f'), tool('g')])
    events, response = do(streamed(TestModel(), params))
    names = [event.part.tool_name for event in events if event.event_kind == 'part_start']
    assert names == ['f', 'g']
    assert response.get().parts == do(TestModel().request([user()], None, params)).parts


def test_a_retry_of_something_else_is_answered_with_nothing():
    history = [user(), ModelResponse(parts=[TextPart('x')])]
    request = user()
    request.parts = [RetryPromptPart('no', tool_name='other', tool_call_id='c')]
    assert do(TestModel().request([*history, request], None, ModelRequestParameters())).parts == []


def test_usage_grows_with_the_conversation():
    result = agent_with_tools(TestModel()).run_sync('four words to begin')
    assert result.usage.requests == 2
    first, second = [message.usage for message in result.all_messages() if isinstance(message, ModelResponse)]
    assert (first.input_tokens, first.output_tokens) == (54, 10)
    assert second.input_tokens > first.input_tokens
