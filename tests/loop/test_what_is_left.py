"""What a run leaves behind when it ends early: its messages, and nothing of other runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from stead import Agent, UsageLimitExceeded, capture_run_messages
from stead.capabilities import Hooks
from stead.messages import ModelMessage, ModelRequest, ModelResponse, SystemPromptPart, TextPart, UserPromptPart
from stead.models.function import AgentInfo, FunctionModel
from stead.models.wrapper import WrapperModel
from stead.usage import RequestUsage, UsageLimits

from .kit import Seen, call, kinds, outline, script, text

PROMPT = ModelRequest(parts=[UserPromptPart('go')])


def never() -> str:
    raise AssertionError('it is not called')


def test_a_response_is_kept_when_a_hook_fails_after_it() -> None:
    hooks = Hooks[Any]()

    @hooks.on.after_model_request
    async def fail(ctx: Any, *, request_context: Any, response: ModelResponse) -> ModelResponse:
        raise RuntimeError('the hook failed')

    with pytest.raises(RuntimeError) as caught:
        Agent(script(text('paid for')), capabilities=[hooks]).run_sync('go')
    messages: list[ModelMessage] = caught.value.messages  # type: ignore[attr-defined]
    assert kinds(messages) == ['user-prompt', 'text']


def test_a_run_that_never_began_leaves_its_history_as_it_was() -> None:
    async def main() -> list[ModelMessage]:
        old = ModelResponse(parts=[call('tool')], run_id='another run')
        async with Agent(script(text('unused'))).iter(message_history=[PROMPT, old]) as run:
            pass
        return run.all_messages()

    [_, response] = asyncio.run(main())
    assert isinstance(response, ModelResponse)
    assert response.state == 'complete'


def test_a_run_that_is_left_marks_the_response_whose_calls_it_did_not_make() -> None:
    async def main() -> list[ModelMessage]:
        async with Agent(script([call('tool')]), tools=[never]).iter('go') as run:
            async for node in run:
                if Agent.is_call_tools_node(node):
                    break
        return run.all_messages()

    response = asyncio.run(main())[-1]
    assert isinstance(response, ModelResponse)
    assert response.state == 'interrupted'


def test_a_cancelled_run_answers_the_calls_that_it_did_not_finish() -> None:
    async def main() -> list[ModelMessage]:
        begun = asyncio.Event()

        async def waits() -> None:
            begun.set()
            await asyncio.Event().wait()

        agent = Agent(script([call('waits')]), tools=[waits])
        with capture_run_messages() as messages:
            task = asyncio.ensure_future(agent.run('go'))
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        return messages

    messages = asyncio.run(main())
    assert kinds(messages) == ['user-prompt', 'tool-call', 'tool-return']
    assert 'may have run' in str(outline(messages)[-1])


@pytest.mark.parametrize(
    ('field', 'messages'),
    [(None, 3), ('model_name', 4), ('provider_name', 4), ('provider_response_id', 4)],
)
@pytest.mark.parametrize('changed', [0, 1])
def test_responses_are_merged_unless_they_are_of_two_models(field: str | None, messages: int, changed: int) -> None:
    seen: Seen = []
    responses = [ModelResponse(parts=[TextPart(word)], model_name='one', provider_name='here') for word in 'ab']
    if field is not None:
        setattr(responses[changed], field, 'another')
    Agent(script(text('done'), seen=seen)).run_sync('on', message_history=[PROMPT, *responses])
    [(sent, _)] = seen
    assert len(sent) == messages
    assert kinds(sent) == ['user-prompt', 'text', 'text', 'user-prompt']


def test_usage_of_merged_responses_is_added() -> None:
    seen: Seen = []
    responses = [
        ModelResponse(parts=[TextPart('a')], usage=RequestUsage(output_tokens=n), metadata={'n': n})
        for n in (1, 10, 100)
    ]
    Agent(script(text('done'), seen=seen)).run_sync('on', message_history=[PROMPT, *responses])
    [([_, merged, _], _)] = seen
    assert isinstance(merged, ModelResponse)
    assert (merged.usage.output_tokens, merged.metadata) == (111, {'n': 1})


def test_tokens_are_counted_while_they_come_in() -> None:
    sent = 0

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        nonlocal sent
        for _ in range(100):
            sent += 1
            yield 'word '

    async def main() -> None:
        agent = Agent(FunctionModel(stream_function=stream))
        async with agent.run_stream('go', usage_limits=UsageLimits(output_tokens_limit=10)) as result:
            async for _ in result.stream_text(debounce_by=None):
                pass

    with pytest.raises(UsageLimitExceeded, match='output_tokens_limit of 10'):
        asyncio.run(main())
    assert sent < 20


def test_counting_tokens_before_a_request_leaves_the_usage_of_the_run_alone() -> None:
    class Counting(WrapperModel):
        async def count_tokens(self, *args: Any, **kwargs: Any) -> RequestUsage:
            return RequestUsage(input_tokens=1, details={'counted': 1})

    answers = ModelResponse(parts=[TextPart('done')], usage=RequestUsage(input_tokens=1, details={'paid': 1}))
    limits = UsageLimits(input_tokens_limit=100, count_tokens_before_request=True)
    result = Agent(Counting(script(answers))).run_sync('go', usage_limits=limits)
    assert result.usage.details == {'paid': 1}


def test_system_prompts_of_joined_histories_are_sent_once_wherever_they_begin() -> None:
    seen: Seen = []
    begins = ModelRequest(parts=[UserPromptPart('a'), UserPromptPart('b')])
    conversation = [ModelRequest(parts=[SystemPromptPart('Be kind.'), UserPromptPart('c')])]
    answer = ModelResponse(parts=[TextPart('ok')])
    history = [begins, answer, *conversation, answer, *conversation, answer]
    Agent(script(text('done'), seen=seen)).run_sync('on', message_history=history)
    [(sent, _)] = seen
    assert str(sent).count('Be kind.') == 1  # as a prompt of the user, because it does not stand at the beginning
