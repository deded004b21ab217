"""Histories that end in the middle: what a run that continues makes of open calls, of half-answered ones and of prompts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from stead import (
    Agent,
    DeferredToolRequests,
    DeferredToolResults,
    ExternalToolset,
    ModelRequestNode,
    NativeOutput,
    RunContext,
    Tool,
    ToolDefinition,
    ToolOutput,
)
from stead.capabilities import Hooks
from stead.exceptions import IncompleteToolCall, UnexpectedModelBehavior
from stead.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolReturnPart,
    UserPromptPart,
)
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel

from .kit import Seen, call, kinds, script, text

PROMPT = ModelRequest(parts=[UserPromptPart('go')])


class Watched:
    """A tool that writes down for which calls it ran."""

    def __init__(self) -> None:
        self.ran: list[str | None] = []

    def look(self, ctx: RunContext[Any]) -> str:
        self.ran.append(ctx.tool_call_id)
        return 'looked'


def answer(call_id: str) -> ToolReturnPart:
    return ToolReturnPart('look', 'seen before', tool_call_id=call_id)


def ran_after(answers: list[ModelRequestPart], ids: tuple[str, ...] = ('a', 'b')) -> list[str | None]:
    """Return for which calls a tool runs when a run goes on after their response and these parts."""
    watched = Watched()
    response = ModelResponse(parts=[call('look', call_id=call_id) for call_id in ids])
    Agent(script(text('done')), tools=[watched.look]).run_sync(
        message_history=[PROMPT, response, ModelRequest(parts=answers)]
    )
    return watched.ran


def test_calls_without_an_answer_are_made_also_if_a_tool_has_added_to_the_conversation() -> None:
    assert ran_after([answer('a')]) == ['b']
    assert ran_after([answer('a'), UserPromptPart('see this')]) == ['b']


@pytest.mark.parametrize(
    'parts',
    [
        [UserPromptPart('never mind'), answer('a')],
        [answer('a'), SystemPromptPart('Be kind.')],
        [RetryPromptPart('say more')],
        [RetryPromptPart('say more'), UserPromptPart('please')],
    ],
)
def test_calls_are_not_made_once_the_conversation_has_gone_on(parts: list[ModelRequestPart]) -> None:
    assert ran_after(parts) == []


def test_of_calls_with_one_id_that_was_answered_none_is_made_again() -> None:
    assert ran_after([answer('a')], ('a', 'a', 'b')) == ['b']


def test_open_calls_with_one_id_get_ids_of_their_own_and_the_rest_of_the_history_stays() -> None:
    watched = Watched()
    response = ModelResponse(parts=[call('look', call_id='same'), call('look', call_id='same')])
    result = Agent(script(text('done')), tools=[watched.look]).run_sync(message_history=[PROMPT, response])
    assert len(set(watched.ran)) == 2
    assert kinds(result.all_messages()) == [
        'user-prompt',
        'tool-call',
        'tool-call',
        'tool-return',
        'tool-return',
        'text',
    ]
    assert len({part.tool_call_id for part in response.tool_calls}) == 1, 'the message of the caller is not changed'


def test_of_two_calls_only_the_one_that_was_begun_may_have_run() -> None:
    def fails() -> None:
        raise RuntimeError('boom')

    agent = Agent(
        script([call('fails'), call('later')]), tools=[Tool(fails, sequential=True), Tool(lambda: None, name='later')]
    )
    with pytest.raises(RuntimeError) as caught:
        agent.run_sync('go')
    messages: list[ModelMessage] = caught.value.messages  # type: ignore[attr-defined]
    request = Agent(script(text('done'))).run_sync('on', message_history=messages).all_messages()[-2]
    assert [part.tool_call_id for part in request.parts if 'may have run' in str(part.content)] == ['id_fails']
    assert [part.tool_call_id for part in request.parts if 'not executed' in str(part.content)] == ['id_later']


def test_a_response_whose_calls_are_made_later_still_says_that_it_was_interrupted() -> None:
    watched = Watched()
    response = ModelResponse(parts=[call('look')], state='interrupted')
    result = Agent(script(text('done')), tools=[watched.look]).run_sync(message_history=[PROMPT, response])
    assert watched.ran == ['id_look']
    assert response.state == 'interrupted'
    assert result.output == 'done'


def test_a_result_may_be_given_for_a_call_with_broken_arguments() -> None:
    outside = ExternalToolset[Any]([ToolDefinition(name='ask')])
    agent = Agent(script(text('done')), output_type=[str, DeferredToolRequests], toolsets=[outside])
    results = DeferredToolResults(calls={'id_ask': 'an answer'})
    history: list[ModelMessage] = [PROMPT, ModelResponse(parts=[call('ask', '{"n": ')])]
    result = agent.run_sync(message_history=history, deferred_tool_results=results)
    assert [part.content for part in result.all_messages()[2].parts] == ['an answer']  # type: ignore[union-attr]


def test_a_resumed_request_is_the_prompt_of_the_run() -> None:
    seen: Seen = []
    agent = Agent(script(text('done'), seen=seen))

    @agent.system_prompt(dynamic=True)
    def about(ctx: RunContext[None]) -> str:
        return f'It is about {ctx.prompt!r}.'

    first = agent.run_sync('trees').all_messages()
    for prompts in (['birds'], ['one', ['two', 'three']], []):
        parts = [UserPromptPart(prompt) for prompt in prompts]
        agent.run_sync(message_history=[replace(first[0], parts=[first[0].parts[0], *parts])])
    assert [messages[0].parts[0].content for messages, _ in seen] == [  # type: ignore[union-attr]
        "It is about 'trees'.",
        "It is about 'birds'.",
        "It is about ['one', 'two', 'three'].",
        'It is about None.',
    ]


def test_a_dynamic_prompt_of_another_agent_stays_as_it_was() -> None:
    seen: Seen = []
    agent = Agent(script(text('done'), seen=seen))
    agent.system_prompt(dynamic=True)(lambda: 'mine')
    old = ModelRequest(parts=[SystemPromptPart('theirs', dynamic_ref='of another agent'), UserPromptPart('go')])
    agent.run_sync('on', message_history=[old, ModelResponse(parts=[TextPart('ok')])])
    assert seen[0][0][0].parts[0].content == 'theirs'  # type: ignore[union-attr]


def test_what_is_repaired_keeps_its_time() -> None:
    seen: Seen = []
    orphan = answer('gone')
    history: list[ModelMessage] = [
        PROMPT,
        ModelResponse(parts=[call('look')]),
        ModelRequest(parts=[orphan, UserPromptPart('never mind')]),
        ModelResponse(parts=[TextPart('ok')]),
    ]
    Agent(script(text('done'), seen=seen)).run_sync('on', message_history=history)
    interrupted, result, _ = seen[0][0][2].parts
    assert (interrupted.part_kind, result.part_kind) == ('tool-return', 'user-prompt')
    assert result.timestamp == orphan.timestamp  # type: ignore[union-attr]
    assert interrupted.timestamp is not None  # type: ignore[union-attr]


@pytest.mark.parametrize('parts', [[ThinkingPart('hm')], [TextPart('')]])
def test_a_filtered_response_with_parts_is_asked_for_again(parts: Any) -> None:
    filtered = ModelResponse(parts=parts, finish_reason='content_filter')
    assert Agent(script(filtered, text('done'))).run_sync('go').output == 'done'


def test_a_cut_off_call_is_not_blamed_for_the_error_of_another() -> None:
    def misbehaves() -> None:
        raise UnexpectedModelBehavior('another model')

    response = ModelResponse(parts=[call('misbehaves'), call('misbehaves', '{"a": ', 'cut')], finish_reason='length')
    with pytest.raises(UnexpectedModelBehavior, match='another model') as caught:
        Agent(script(response), tools=[misbehaves]).run_sync('go')
    assert not isinstance(caught.value, IncompleteToolCall)


def test_a_hook_may_go_on_after_a_call_has_failed() -> None:
    seen: Seen = []
    hooks = Hooks[Any]()

    def fails() -> None:
        raise RuntimeError('boom')

    @hooks.on.node_run_error
    async def recover(ctx: Any, *, node: Any, error: Any) -> Any:
        return ModelRequestNode(ModelRequest(parts=[UserPromptPart('go on')]))

    model = script([call('fails')], text('done'), seen=seen)
    assert Agent(model, tools=[fails], capabilities=[hooks]).run_sync('go').output == 'done'
    assert kinds(seen[1][0]) == ['user-prompt', 'tool-call', 'tool-return', 'user-prompt']


def test_the_last_request_of_a_run_has_its_time() -> None:
    result = Agent(script([call('number', {'response': 1})]), output_type=ToolOutput(int, name='number')).run_sync('go')
    last = result.all_messages()[-1]
    assert isinstance(last, ModelRequest)
    assert last.timestamp is not None
    assert (last.run_id, last.conversation_id) == (result.run_id, result.conversation_id)


def test_the_content_of_the_output_is_put_into_the_return_and_not_into_a_retry() -> None:
    calls = [call('number', {'response': 'x'}, 'wrong'), call('number', {'response': 1}, 'right')]
    result = Agent(script(calls), output_type=ToolOutput(int, name='number')).run_sync('go')
    before, after = result.all_messages()[-1], result.all_messages(output_tool_return_content='kept')[-1]
    assert [part.part_kind for part in after.parts] == ['retry-prompt', 'tool-return']
    assert (after.parts[0], after.parts[1].content) == (before.parts[0], 'kept')  # type: ignore[union-attr]


def test_calls_of_a_stream_that_breaks_off_have_ids_of_their_own() -> None:
    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        for index in range(2):
            yield {index: DeltaToolCall('look', '{}', tool_call_id='same')}
        raise RuntimeError('the connection broke')

    async def main() -> None:
        async with Agent(FunctionModel(stream_function=stream), tools=[Watched().look]).run_stream_events(
            'go'
        ) as events:
            async for _ in events:
                pass

    with pytest.raises(RuntimeError) as caught:
        asyncio.run(main())
    response: ModelResponse = caught.value.messages[-1]  # type: ignore[attr-defined]
    assert len({part.tool_call_id for part in response.tool_calls}) == 2


def test_what_a_model_is_asked_for_follows_what_has_changed() -> None:
    class Row(BaseModel):
        n: int

    seen: Seen = []
    agent = Agent(script(text('1'), seen=seen), tools=[Watched().look])
    for options in ({}, {}, {'instructions': 'Be kind.'}, {'output_type': NativeOutput(Row)}):
        try:
            agent.run_sync('go', **options)  # type: ignore[arg-type]
        except UnexpectedModelBehavior:
            pass
    first, again, instructed, native = (
        next(info for messages, info in seen[index:]).model_request_parameters for index in range(4)
    )
    assert again == first
    assert (instructed.instruction_parts is None, first.instruction_parts is None) == (False, True)
    assert (native.output_mode, first.output_mode) == ('native', 'text')


def test_a_history_that_a_hook_rewrote_is_looked_through_again() -> None:
    seen: Seen = []
    hooks = Hooks[Any]()

    @hooks.on.before_model_request
    async def rewrite(ctx: Any, request_context: Any) -> Any:
        messages = request_context.messages
        if len(messages) == 3:
            late = replace(messages[2], parts=[*messages[2].parts, SystemPromptPart('late')])
            request_context.messages = [messages[0], messages[1], late]
        return request_context

    watched = Watched()
    model = script([call('look')], text('done'), seen=seen)
    Agent(model, tools=[watched.look], capabilities=[hooks]).run_sync('go')
    assert kinds(seen[1][0]) == ['user-prompt', 'tool-call', 'tool-return', 'user-prompt']


def test_waiting_calls_get_new_ids_if_the_conversation_has_used_theirs() -> None:
    def ask(n: int) -> None:
        raise AssertionError('it is not called')

    def waiting(history: list[ModelMessage], *before: Any) -> list[tuple[str, str]]:
        agent = Agent(
            script(*before, [call('ask', {'n': 2}, 'call_0')]),
            tools=[Tool(ask, requires_approval=True)],
            output_type=[str, DeferredToolRequests],
        )
        result = agent.run_sync('again', message_history=history)
        assert isinstance(result.output, DeferredToolRequests)
        response = result.all_messages()[-1]
        assert isinstance(response, ModelResponse)
        return [(item.tool_call_id, response.tool_calls[0].tool_call_id) for item in result.output.approvals]

    asks = ModelResponse(parts=[call('ask', {'n': 1}, 'call_0')])
    returned = ModelRequest(parts=[ToolReturnPart('ask', 'done', tool_call_id='call_0')])
    refused = ModelRequest(parts=[RetryPromptPart('no', tool_name='ask', tool_call_id='call_0')])
    answer = ModelResponse(parts=[TextPart('ok')])
    for history in ([PROMPT, asks, returned, answer], [PROMPT, asks, refused, answer]):
        [(requested, sent)] = waiting(history)
        assert requested == sent
        assert requested not in ('', 'call_0')
    assert waiting([PROMPT, answer]) == [('call_0', 'call_0')]
    wrong = [call('ask', {'n': 'x'}, 'call_0')]
    assert waiting([PROMPT, answer], wrong) == [('call_0', 'call_0')], 'it is the same call, tried again'


def test_a_request_that_a_hook_sends_again_counts_once_and_the_next_one_too() -> None:
    hooks = Hooks[Any]()

    @hooks.on.model_request
    async def twice(ctx: Any, *, request_context: Any, handler: Any) -> Any:
        await handler(request_context)
        return await handler(request_context)

    agent = Agent(script([call('look')], [call('look')], text('done')), tools=[Watched().look], capabilities=[hooks])
    assert agent.run_sync('go').usage.requests == 2


def test_a_node_says_what_it_has_sent() -> None:
    async def main() -> list[Any]:
        sent: list[Any] = []
        async with Agent(script(text('done'))).iter('go', model_settings={'temperature': 0.5}) as run:
            async for node in run:
                if Agent.is_model_request_node(node):
                    assert node.last_request_context is None
                    await node.run(run.ctx)
                    sent.append(node.last_request_context)
        return sent

    [context] = asyncio.run(main())
    assert kinds(context.messages) == ['user-prompt']
    assert context.model_settings == {'temperature': 0.5}
